internal import Glibc
public import Realtime
internal import Synchronization

/// A part of a turn of a call's sound, as a tap gives it.
public struct TappedSound: BitwiseCopyable, Sendable {
    /// Frames that it has room for.
    public static var capacity: Int {
        @_noLocks @_noAllocation get { 240 }
    }
    /// The stream's sampling time of the first frame, in samples at 48 kHz since the stream began. It runs on while the call
    /// is held or has no device: where frames are missing, so much time has passed without any.
    public var start = 0
    public var count = 0
    /// By turns a sample that the peer is sent, and the one that is heard of it at that moment.
    public var frames = InlineArray<480, Int16>(repeating: 0)
    public init() {}
}

/// Hands on what a call's peer is sent and what is heard of it, sample by sample side by side, from the loop to another
/// thread. Give it to `CallAudio.setTap`.
///
/// `@unchecked`: the loop alone touches what `memory` points to while the call has the tap.
public final class SoundTap: @unchecked Sendable {
    let memory: UnsafeMutablePointer<TapMemory>
    private let owner = LockedBuffer(byteCount: MemoryLayout<TapMemory>.size)
    private let reader: Mutex<RingReader<TappedSound>?>

    /// - Parameter beeps: whether both parties hear a short beep at the beginning and every 15 s: of 1400 Hz for 0.2 s.
    public init(beeps: Bool = false) {
        // Two and a half seconds: more than a disk should ever take.
        var ring = Ring<TappedSound>(capacity: 512)
        reader = Mutex(ring.takeReader())
        memory = owner.base.bindMemory(to: TapMemory.self, capacity: 1)
        memory.initialize(to: TapMemory(ring: ring.takeWriter(), beeps: beeps))
    }

    deinit { memory.deinitialize(count: 1) }

    /// The end for the thread that takes the sound; nil the second time.
    public func takeReader() -> RingReader<TappedSound>? { reader.withLock { $0.take() } }

    /// Frames that found the ring full: of a reader that was too slow.
    public var droppedFrames: Int { memory.pointee.dropped.value }
}

/// What the loop needs of a tap.
struct TapMemory: ~Copyable {
    private let ring: RingWriter<TappedSound>
    private let memory: LockedBuffer
    /// What the peer is sent in this turn, and what is heard of it.
    let sent: UnsafeMutablePointer<Int16>
    let heard: UnsafeMutablePointer<Int16>
    private let beep: UnsafeMutablePointer<Int16>?
    /// Samples since the last beep began.
    private var sinceBeep = 0
    let dropped = StatisticCell()

    private static var beepLength: Int {
        @_noLocks @_noAllocation get { 9_600 }
    }
    private static var beepInterval: Int {
        @_noLocks @_noAllocation get { 15 * 48_000 }
    }

    init(ring: consuming RingWriter<TappedSound>, beeps: Bool) {
        self.ring = ring
        let turn = AudioLoop.longestTurn
        memory = LockedBuffer(byteCount: (2 * turn + Self.beepLength) * MemoryLayout<Int16>.stride)
        sent = memory.base.bindMemory(to: Int16.self, capacity: 2 * turn + Self.beepLength)
        heard = sent + turn
        beep = beeps ? heard + turn : nil
        guard let beep else { return }
        for index in 0..<Self.beepLength {
            // -20 dBFS, with 5 ms up and down.
            let level = Double(min(index, Self.beepLength - 1 - index, 240)) / 240
            beep[index] = Int16(3_277 * level * sin(2 * .pi * 1_400 * Double(index) / 48_000))
        }
    }

    /// Adds to `samples` what is to be heard of the beep in this turn.
    @_noLocks @_noAllocation
    borrowing func addBeep(to samples: UnsafeMutablePointer<Int16>, _ count: Int) {
        guard let beep, sinceBeep < Self.beepLength else { return }
        for index in 0..<min(count, Self.beepLength - sinceBeep) {
            samples[index] = Int16(clamping: Int(samples[index]) + Int(beep[sinceBeep + index]))
        }
    }

    @_noLocks @_noAllocation
    borrowing func addBeep(to mix: UnsafeMutablePointer<Int32>, _ count: Int) {
        guard let beep, sinceBeep < Self.beepLength else { return }
        for index in 0..<min(count, Self.beepLength - sinceBeep) { mix[index] &+= Int32(beep[sinceBeep + index]) }
    }

    /// Begins with silence: what no path gives is none.
    @_noLocks @_noAllocation
    borrowing func clear() {
        for index in 0..<AudioLoop.longestTurn { (sent[index], heard[index]) = (0, 0) }
    }

    /// Hands the turn over, whose first sample is the stream's sample number `start`.
    @_noLocks @_noAllocation
    mutating func handOver(_ count: Int, from start: Int) {
        var done = 0
        while done < count {
            let part = min(count - done, TappedSound.capacity)
            if let slot = ring.nextSlot() {
                slot.pointee.start = start + done
                slot.pointee.count = part
                for index in 0..<part {
                    slot.pointee.frames[2 * index] = sent[done + index]
                    slot.pointee.frames[2 * index + 1] = heard[done + index]
                }
                ring.commit()
            } else {
                dropped.add(part)
            }
            done += part
        }
        for index in 0..<count { (sent[index], heard[index]) = (0, 0) }
        sinceBeep += count
        if sinceBeep >= Self.beepInterval { sinceBeep -= Self.beepInterval }
    }
}
