internal import Glibc
internal import Realtime

/// Makes one tone at a time out of a table of a sine that is computed beforehand.
struct ToneGenerator: ~Copyable {
    private let memory: LockedBuffer
    private let sine: UnsafeMutablePointer<Int16>
    /// The number of the tone that sounds; 0 for none.
    private var number: UInt32 = 0
    private var position = 0
    /// In 2³² parts of a turn of the circle.
    private var phase: UInt32 = 0
    private var gate = Ramp()

    private static var tableSize: Int {
        @_noLocks @_noAllocation get { 4_096 }
    }

    init() {
        memory = LockedBuffer(byteCount: Self.tableSize * MemoryLayout<Int16>.stride)
        sine = memory.base.bindMemory(to: Int16.self, capacity: Self.tableSize)
        for index in 0..<Self.tableSize {
            sine[index] = Int16(sin(Double(index) * 2 * .pi / Double(Self.tableSize)) * 32_767)
        }
    }

    /// Adds `count` samples of the tone with this number (0 for none) to `mix`. A change fades the old tone out first.
    @_noLocks @_noAllocation
    mutating func add(_ wanted: UInt32, to mix: UnsafeMutablePointer<Int32>, _ count: Int) {
        for index in 0..<count {
            if number != wanted && gate.isClosed {
                number = wanted
                position = 0
                phase = 0
            }
            guard let tone = Tone.numbered(number) else { return }
            let sample = gate.pass(sample(of: tone), towardsOpen: number == wanted)
            mix[index] &+= Int32(sample)
            position += 1
            if position == tone.cycle { position = 0 }
        }
    }

    @_noLocks @_noAllocation
    private mutating func sample(of tone: Tone) -> Int16 {
        guard let note = tone.note(at: position) else {
            phase = 0
            return 0
        }
        phase &+= UInt32(truncatingIfNeeded: (note.hertz << 32) / 48_000)
        var sample = value(at: phase)
        if note.overtone > 0 { sample += value(at: phase &* 2) / note.overtone }
        // Each note begins and ends over 5 ms; one of the ringer dies away like a bell.
        let edge = min(min(note.offset, note.length - note.offset), 240)
        sample = sample * note.peak / 32_768 * edge / 240
        if note.overtone > 0 { sample = sample * (2 * note.length - note.offset) / (2 * note.length) }
        return Int16(clamping: sample)
    }

    @_noLocks @_noAllocation
    private func value(at phase: UInt32) -> Int { Int(sine[Int(phase >> 20)]) }
}
