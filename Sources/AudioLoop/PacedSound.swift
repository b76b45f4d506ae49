internal import Playout
internal import Realtime
internal import Resampling

/// Plays a stream a little faster or slower than it was decoded, by any fraction of a sample, as its sender's clock differs
/// from ours. At a pace of exactly 1 the sound is handed on as it is.
struct PacedSound: ~Copyable {
    private let kernel = SincKernel()
    private let memory: LockedBuffer
    private let output: UnsafeMutablePointer<Int16>
    /// Where the next sample lies behind the first that waits, 0..<1.
    private var offset = 0.0
    /// What the last turn has used up.
    private(set) var consumed = 0

    init() {
        memory = LockedBuffer(byteCount: AudioLoop.longestTurn * MemoryLayout<Int16>.stride)
        output = memory.base.bindMemory(to: Int16.self, capacity: AudioLoop.longestTurn)
    }

    @_noLocks @_noAllocation
    mutating func reset() { offset = 0 }

    /// Samples that must wait for a turn of `count` at `pace`.
    @_noLocks @_noAllocation
    func needed(_ count: Int, pace: Double) -> Int {
        pace == 1 && offset == 0 ? count : Int(offset + Double(count) * pace) + JitterBuffer.lookahead
    }

    /// Returns a turn of `count` samples: `sound` itself, or what was made of it. Before `sound` lies what was played.
    @_noLocks @_noAllocation
    mutating func turn(_ sound: UnsafeMutablePointer<Int16>, _ count: Int, pace: Double) -> UnsafeMutablePointer<Int16>
    {
        let count = min(count, AudioLoop.longestTurn)
        guard pace != 1 || offset != 0 else {
            consumed = count
            return sound
        }
        // Back to 1: within one turn the place becomes that of a sample, less than half of one away.
        let end = pace == 1 ? Double(Int(offset + Double(count) + 0.5)) : offset + Double(count) * pace
        let step = (end - offset) / Double(count)
        var place = offset
        for index in 0..<count {
            output[index] = kernel.sample(UnsafePointer(sound), at: place)
            place += step
        }
        consumed = Int(end)
        offset = end - Double(consumed)
        return output
    }
}
