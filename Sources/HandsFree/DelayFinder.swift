internal import Realtime

/// Finds how many blocks the echo lies behind the reference, whatever the devices say of their delay: which of 32
/// frequencies are louder than they mostly are makes a word of each block, and the words of the microphone are compared with
/// those of the reference at every delay.
struct DelayFinder: ~Copyable {
    /// Delays that are tried, in blocks.
    static var range: Int {
        @_noLocks @_noAllocation get { 80 }
    }
    private static var firstBin: Int {
        @_noLocks @_noAllocation get { 4 }
    }
    /// Blocks over which a frequency's mean and a delay's match are taken: 1/3 s and 1.3 s.
    private static var meanBlocks: Float {
        @_noLocks @_noAllocation get { 64 }
    }
    private static var matchBlocks: Float {
        @_noLocks @_noAllocation get { 256 }
    }

    private let rows: FloatRows
    private let memory: LockedBuffer
    private let referenceMeans: UnsafeMutablePointer<Float>
    private let microphoneMeans: UnsafeMutablePointer<Float>
    /// Of each delay: how many of 32 bits differ, smoothed; 16 where nothing is known.
    private let differences: UnsafeMutablePointer<Float>
    private let words: UnsafeMutablePointer<UInt32>
    private var newest = 0
    private var candidate = -1
    private var blocksOfCandidate = 0

    init() {
        var rows = FloatRows(3, of: 64 + Self.range)
        referenceMeans = rows.next(32)
        microphoneMeans = rows.next(32)
        differences = rows.next(Self.range, filledWith: 16)
        self.rows = rows
        memory = LockedBuffer(byteCount: Self.range * MemoryLayout<UInt32>.stride)
        words = memory.base.bindMemory(to: UInt32.self, capacity: Self.range)
    }

    /// Takes the spectra of a block, and returns the delay where it has been the same for a while; -1 where none is known.
    @_noLocks @_noAllocation
    mutating func find(reference: UnsafePointer<Float>, microphone: UnsafePointer<Float>) -> Int {
        let range = Self.range
        newest &+= 1
        if newest == range { newest = 0 }
        words[newest] = Self.word(reference, referenceMeans)
        let heard = Self.word(microphone, microphoneMeans)
        var (best, least, most): (Int, Float, Float) = (-1, 32, 0)
        var delay = 0
        var sounded = false
        while delay < range {
            var place = newest &- delay
            if place < 0 { place &+= range }
            let word = words[place]
            if word != 0 {
                sounded = true
                let difference = Float((word ^ heard).nonzeroBitCount)
                differences[delay] += (difference - differences[delay]) / Self.matchBlocks
            }
            if differences[delay] < least { (best, least) = (delay, differences[delay]) }
            if differences[delay] > most { most = differences[delay] }
            delay &+= 1
        }
        guard sounded, most - least > 2.5 else { return -1 }
        if abs(best &- candidate) <= 1 {
            blocksOfCandidate = min(blocksOfCandidate &+ 1, 1 << 20)
        } else {
            blocksOfCandidate = 0
        }
        candidate = best
        return blocksOfCandidate > 60 ? best : -1
    }

    @_noLocks @_noAllocation
    private static func word(_ spectrum: UnsafePointer<Float>, _ means: UnsafeMutablePointer<Float>) -> UInt32 {
        var word: UInt32 = 0
        var bit = 0
        while bit < 32 {
            let bin = firstBin &+ bit
            let (real, imaginary) = (spectrum[bin], spectrum[Block.imaginary &+ bin])
            let power = real * real + imaginary * imaginary
            means[bit] += (power - means[bit]) / meanBlocks
            if power > means[bit] && power > 1e5 { word |= 1 << UInt32(truncatingIfNeeded: bit) }
            bit &+= 1
        }
        return word
    }
}
