internal import Glibc
internal import MediaDescription
internal import Realtime

/// Makes one tone at a time out of a table of a sine that is computed beforehand.
struct ToneGenerator: ~Copyable {
    private let memory: LockedBuffer
    private let sine: UnsafeMutablePointer<Int16>
    private let table: ToneTable
    /// The raw value of the `Tone` that sounds; 0 for none.
    private var number: UInt32 = 0
    /// Samples since the tone or its segment began.
    private var position = 0
    /// Which segment of the tone sounds.
    private var place = 0
    /// In 2³² parts of a turn of the circle.
    private var phase: UInt32 = 0
    private var addedPhase: UInt32 = 0
    private var modulationPhase: UInt32 = 0
    private var gate = Ramp()

    private static var tableSize: Int {
        @_noLocks @_noAllocation get { 4_096 }
    }

    /// Samples over which a note begins and ends: 5 ms.
    private static var edge: Int {
        @_noLocks @_noAllocation get { 240 }
    }

    init(_ tones: CallProgressTones) {
        memory = LockedBuffer(byteCount: Self.tableSize * MemoryLayout<Int16>.stride)
        sine = memory.base.bindMemory(to: Int16.self, capacity: Self.tableSize)
        for index in 0..<Self.tableSize {
            sine[index] = Int16(sin(Double(index) * 2 * .pi / Double(Self.tableSize)) * 32_767)
        }
        table = ToneTable(tones)
    }

    /// Something sounds, or dies away.
    var isSounding: Bool {
        @_noLocks @_noAllocation get { number != 0 }
    }

    /// Adds `count` samples of the tone with this number (0 for none) to `mix`. A change fades the old tone out first.
    @_noLocks @_noAllocation
    mutating func add(_ wanted: UInt32, to mix: UnsafeMutablePointer<Int32>, _ count: Int) {
        for index in 0..<count {
            if number != wanted && gate.isClosed {
                number = wanted
                (position, place) = (0, 0)
                silencePhases()
            }
            let made: Int16
            if number == 1 {
                made = warble()
            } else {
                guard let start = table.start(ofNumber: number) else { return }
                made = sample(of: start)
            }
            mix[index] &+= Int32(gate.pass(made, towardsOpen: number == wanted))
        }
    }

    @_noLocks @_noAllocation
    private mutating func warble() -> Int16 {
        let hertz = Warble.hertz(at: position)
        let offset = position % Warble.noteLength
        position = position &+ 1 == Warble.cycle ? 0 : position &+ 1
        guard hertz > 0 else {
            silencePhases()
            return 0
        }
        phase &+= UInt32(truncatingIfNeeded: (hertz << 32) / 48_000)
        // With a little of the octave above.
        let sample = value(at: phase) + value(at: phase &* 2) / 3
        let shaped = shape(sample * 11_000 / 32_768, offset: offset, length: Warble.noteLength)
        return Int16(clamping: shaped * (2 * Warble.noteLength - offset) / (2 * Warble.noteLength))
    }

    @_noLocks @_noAllocation
    private mutating func sample(of start: UnsafePointer<ToneTable.Segment>) -> Int16 {
        let segment = start[place]
        let (offset, length) = (position, Int(segment.length))
        position += 1
        if position >= length {
            position = 0
            let next = place &+ 1
            place = next == ToneTable.capacity || start[next].length == 0 ? 0 : next
        }
        guard !segment.isSilent else {
            silencePhases()
            return 0
        }
        phase &+= segment.step
        addedPhase &+= segment.addedStep
        modulationPhase &+= segment.modulationStep
        var sample = value(at: phase)
        if segment.addedStep > 0 {
            // Each 3 dB weaker, so that both together are as loud as one.
            sample = (sample + value(at: addedPhase)) * 23_170 / 32_768
        }
        if segment.modulationStep > 0 {
            // By 85 %, as it is done in Japan.
            sample = sample * (32_768 + value(at: modulationPhase) * 85 / 100) / 60_621
        }
        // Call waiting is softer, since it sounds over a conversation; a warning is louder.
        let peak = number == 5 ? 1_600 : number == 6 ? 6_600 : 3_300
        return Int16(clamping: shape(sample * peak / 32_768, offset: offset, length: length))
    }

    /// Begins and ends a note of `length` samples softly.
    @_noLocks @_noAllocation
    private func shape(_ sample: Int, offset: Int, length: Int) -> Int {
        let rim = min(offset, length - offset)
        return rim < Self.edge ? sample * rim / Self.edge : sample
    }

    @_noLocks @_noAllocation
    private mutating func silencePhases() { (phase, addedPhase, modulationPhase) = (0, 0, 0) }

    @_noLocks @_noAllocation
    private func value(at phase: UInt32) -> Int { Int(sine[Int(phase >> 20)]) }
}
