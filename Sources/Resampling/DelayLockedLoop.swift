/// Learns how fast one sound card's clock runs against another's from how full the buffer between them is, and says how much
/// sound to leave out or add so that it stays as full as it should be.
///
/// A second-order loop: the error itself steers, and its sum is the drift. Wide at first, so that the drift is found within
/// seconds; narrow later, so that the unrest of the measure (a card reports its position in steps) is not heard.
public struct DelayLockedLoop: BitwiseCopyable, Sendable {
    /// Seconds of one update.
    private let interval: Double
    /// Samples of one update, and the most of them that it corrects.
    private let turn: Double
    private let limit: Double
    /// Hertz; the loop follows what changes more slowly than that.
    private var bandwidth: Double
    /// What the drift alone needs, in samples an update.
    private var drift = 0.0
    /// The error of late, in samples.
    public private(set) var error = 0.0

    private static var widest: Double {
        @_noLocks @_noAllocation get { 0.1 }
    }
    private static var narrowest: Double {
        @_noLocks @_noAllocation get { 0.01 }
    }
    /// Of sound that is corrected, a cent and a half at most: less than anyone hears.
    private static var mostCorrected: Double {
        @_noLocks @_noAllocation get { 0.001 }
    }

    /// - Parameter samples: between two updates, at `rate` a second.
    public init(samples: Int, rate: Int = 48_000) {
        interval = Double(max(samples, 1)) / Double(max(rate, 1))
        turn = Double(max(samples, 1))
        limit = turn * Self.mostCorrected
        bandwidth = Self.widest
    }

    /// How much faster the sound comes than it is taken, in parts per million, as far as it is known.
    public var partsPerMillion: Double {
        @_noLocks @_noAllocation get { drift / turn * 1e6 }
    }

    /// Takes how many samples too many there are (negative: too few), and nothing else: what is not corrected is no measure
    /// of the drift.
    @_noLocks @_noAllocation
    public mutating func watch(error samples: Int) { error += (Double(samples) - error) / 32 }

    /// Takes how many samples too many there are (negative: too few), and returns how many fewer are to be handed over than
    /// were given: a fraction of one.
    @_noLocks @_noAllocation
    public mutating func correct(error samples: Int) -> Double {
        // The smoothing is faster than the widest loop, and no part of its dynamics.
        error += (Double(samples) - error) / 8
        let frequency = 2 * Double.pi * bandwidth * interval
        let wanted = frequency * 1.414 * error + drift
        let correction = min(max(wanted, -limit), limit)
        // Where the correction is at its bound the error says nothing of the drift.
        if correction == wanted { drift = min(max(drift + frequency * frequency * error, -limit), limit) }
        let isFar = error > 96 || error < -96
        bandwidth = isFar ? Self.widest : max(Self.narrowest, bandwidth * (1 - interval / 8))
        return correction
    }

    /// The buffer has been filled anew: the error is forgotten, the drift is a property of the cards and is not.
    @_noLocks @_noAllocation
    public mutating func restart() {
        error = 0
        bandwidth = Self.widest
    }
}
