internal import Realtime

/// Brings who speaks here, near or far from the microphone, to one level, and lets nothing through that would clip.
///
/// Only speech moves the gain: neither pauses nor the echo of the other party, and noise is not brought up beyond what
/// disturbs nobody.
struct GainControl: BitwiseCopyable {
    /// The level of the loudest parts of speech, as the mean square of a sample: -19 dBFS, so that speech is at -23.
    private static var target: Float {
        @_noLocks @_noAllocation get { 1.35e7 }
    }
    /// The most that noise is brought up to: -55 dBFS.
    private static var mostNoise: Float {
        @_noLocks @_noAllocation get { 3_400 }
    }
    /// No sample is larger: -1 dBFS.
    private static var ceiling: Float {
        @_noLocks @_noAllocation get { 29_204 }
    }
    /// A block's step upwards and downwards: 6 and 20 dB a second.
    private static var rise: Float {
        @_noLocks @_noAllocation get { 1.00346 }
    }
    private static var fall: Float {
        @_noLocks @_noAllocation get { 0.98855 }
    }

    /// Amplitudes: 20 dB either way.
    private let least: Float
    private let most: Float
    private var gain: Float = 1
    /// The limiter's part, and what the last block ended with.
    private var limit: Float = 1
    private var applied: Float = 1
    /// The mean square of speech of late; 0 before the first.
    private var level: Float = 0

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
            let mean = energy / Float(count)
            // Syllables are heard by their loud parts: up within 50 ms, down within a second.
            level += (mean > level ? 0.1 : 0.005) * (mean - level)
            let bound = SpectralMath.root(Self.mostNoise * 240 / (noise + 1))
            let upmost = min(most, max(bound, 1))
            let wanted = min(max(SpectralMath.root(Self.target / (level + 1)), least), upmost)
            gain = wanted > gain ? min(wanted, gain * Self.rise) : max(wanted, gain * Self.fall)
        }
        limit(samples, count)
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
