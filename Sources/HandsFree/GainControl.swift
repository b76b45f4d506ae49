internal import Realtime

/// Brings who speaks here, near or far from the microphone, to one level, and lets nothing through that would clip.
///
/// Only speech moves the gain: neither pauses nor the echo of the other party, and noise is not brought up beyond what
/// disturbs nobody. It moves where the level is off by more than is heard as another level, and then once: syllables, and
/// the emphasis of a sentence, are the speaker's own.
struct GainControl: BitwiseCopyable {
    /// The level of the loud parts of speech, as the mean square of a sample: -23.7 dBFS.
    private static var target: Float {
        @_noLocks @_noAllocation get { 4.6e6 }
    }
    /// The most that noise is brought up to: -55 dBFS.
    private static var mostNoise: Float {
        @_noLocks @_noAllocation get { 3_400 }
    }
    /// No sample is larger: -1 dBFS.
    private static var ceiling: Float {
        @_noLocks @_noAllocation get { 29_204 }
    }
    /// A block's step upwards and downwards: 6 and 12 dB a second.
    private static var rise: Float {
        @_noLocks @_noAllocation get { 1.00346 }
    }
    private static var fall: Float {
        @_noLocks @_noAllocation get { 0.99312 }
    }
    /// How far the gain may be off before it moves (3 dB), and how far it is off where it stops (0.5 dB).
    private static var tolerance: Float {
        @_noLocks @_noAllocation get { 1.41 }
    }
    private static var aim: Float {
        @_noLocks @_noAllocation get { 1.06 }
    }
    /// Blocks of loud speech that the level is the mean of: 2 s.
    private static var memory: Float {
        @_noLocks @_noAllocation get { 400 }
    }

    /// Amplitudes: 20 dB either way.
    private let least: Float
    private let most: Float
    /// What speech is brought up by now, as a gain.
    private(set) var gain: Float = 1
    private var isMoving = false
    /// The limiter's part, and what the last block ended with.
    private var limit: Float = 1
    private var applied: Float = 1
    /// The mean square of the loud parts of speech, and of how many blocks that is.
    private var level: Float = 0
    private var blocks: Float = 0

    /// - Parameter most: how much it brings up, and down, at most, as a gain.
    @_noLocks @_noAllocation
    init(most: Float) {
        self.most = most
        least = 1 / most
    }

    /// - Parameters:
    ///   - voiceShare: how much of the block is speech of here, 0...1.
    ///   - noise: energy of the room's noise in a block, as it is sent.
    @_noLocks @_noAllocation
    mutating func process(_ samples: UnsafeMutablePointer<Float>, voiceShare: Float, noise: Float) {
        let count = Block.samples
        let energy = SpectralMath.energy(UnsafePointer(samples), count)
        if voiceShare > 0.5 && energy > 8 * noise && energy > 240 * 100 {
            hear(energy / Float(count))
            // Half a second of speech says how loud it is.
            if blocks > 100 { move(noise) }
        }
        limit(samples, count)
    }

    /// Takes the mean square of a block of speech.
    @_noLocks @_noAllocation
    private mutating func hear(_ square: Float) {
        if square * 8 > level {
            blocks = min(blocks + 1, Self.memory)
            level += (square - level) / blocks
        } else {
            // Where nothing is loud any more, who speaks has gone away: 9 dB in five seconds of speech.
            level *= 0.998
        }
    }

    /// A step towards where the level ought to be.
    @_noLocks @_noAllocation
    private mutating func move(_ noise: Float) {
        let bound = SpectralMath.root(Self.mostNoise * 240 / (noise + 1))
        let upmost = min(most, max(bound, 1))
        let wanted = min(max(SpectralMath.root(Self.target / (level + 1)), least), upmost)
        let off = wanted > gain ? wanted / gain : gain / wanted
        if off > Self.tolerance { isMoving = true }
        if off < Self.aim { isMoving = false }
        guard isMoving else { return }
        gain = wanted > gain ? min(wanted, gain * Self.rise) : max(wanted, gain * Self.fall)
    }

    /// Applies the gain, and less of it where a peak would exceed the ceiling: at once, and back within a fifth of a second.
    @_noLocks @_noAllocation
    private mutating func limit(_ samples: UnsafeMutablePointer<Float>, _ count: Int) {
        var peak: Float = 0
        var index = 0
        while index < count {
            peak = max(peak, abs(samples[index]))
            index &+= 1
        }
        limit = min(limit * 1.03, 1)
        if peak * gain * limit > Self.ceiling { limit = Self.ceiling / (peak * gain) }
        let (from, change) = (applied, gain * limit - applied)
        index = 0
        while index < count {
            // A fall is done within 1 ms.
            let way = change < 0 ? min(Float(index &+ 1) / 48, 1) : Float(index &+ 1) / Float(count)
            let sample = samples[index] * (from + change * way)
            samples[index] = min(max(sample, -Self.ceiling), Self.ceiling)
            index &+= 1
        }
        applied = gain * limit
    }
}
