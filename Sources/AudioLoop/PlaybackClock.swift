internal import Realtime
internal import Resampling

/// Keeps as much sound ahead of the loudspeaker as there should be, whatever its clock does against the one that turns the loop.
///
/// Where both are one clock, as on any one card, every sample is handed on as it is.
struct PlaybackClock: ~Copyable {
    private let period: Int
    private var loop: DelayLockedLoop
    private var resampler: VariableResampler
    private let memory: LockedBuffer
    private let output: UnsafeMutablePointer<Int16>
    /// Turns in a row in which there was nothing to correct.
    private var calmTurns = 0

    /// Samples too many or too few for a while that are let be.
    private let tolerance: Double
    /// Samples, 2.5 s: sound that is as it should be for so long needs nobody to work on it. A drift too slow to be seen by then comes
    /// back in minutes.
    private static var calm: Int {
        @_noLocks @_noAllocation get { 120_000 }
    }

    /// - Parameters:
    ///   - period: samples of a turn at 48 kHz.
    ///   - longest: samples that are given at once, at most; a turn if nil.
    ///   - tolerance: samples too many or too few that are let be. Half a millisecond for a while is drift: no wait is as
    ///     long for so long.
    init(period: Int, longest: Int? = nil, tolerance: Double = 24) {
        self.period = period
        self.tolerance = tolerance
        loop = DelayLockedLoop(samples: period)
        let longest = max(longest ?? period, period)
        resampler = VariableResampler(longest: longest)
        let most = VariableResampler.mostProduced(of: longest)
        memory = LockedBuffer(byteCount: most * MemoryLayout<Int16>.stride)
        output = memory.base.bindMemory(to: Int16.self, capacity: most)
    }

    /// How much faster the loop turns than the loudspeaker plays, in parts per million, as far as it is known.
    var partsPerMillion: Double {
        @_noLocks @_noAllocation get { loop.partsPerMillion }
    }

    /// Whether sound is stretched or shortened at the moment.
    var isCorrecting: Bool {
        @_noLocks @_noAllocation get { resampler.isActive }
    }

    /// Samples that wait while sound is stretched or shortened.
    var waiting: Int {
        @_noLocks @_noAllocation get { resampler.isActive ? VariableResampler.latency : 0 }
    }

    /// What to hand to the loudspeaker for a turn's sound.
    ///
    /// - Parameters:
    ///   - excess: samples that lie ahead of the loudspeaker's card beyond what should.
    ///   - fewer: samples, a fraction of one, by which that changes with this turn: what comes of it is no drift.
    @_noLocks @_noAllocation
    mutating func follow(
        _ played: UnsafeBufferPointer<Int16>, excess: Int, fewer: Double = 0
    ) -> UnsafeBufferPointer<Int16> {
        guard let sound = played.baseAddress, !played.isEmpty else { return played }
        guard resampler.isActive || fewer != 0 else {
            loop.watch(error: excess)
            guard loop.error > tolerance || loop.error < -tolerance else {
                resampler.pass(sound, played.count)
                return played
            }
            calmTurns = 0
            return correct(sound, played.count, excess, fewer: 0)
        }
        let isCalm =
            loop.error < tolerance / 4 && loop.error > -tolerance / 4
            && loop.partsPerMillion < 4 && loop.partsPerMillion > -4 && fewer == 0
        calmTurns = isCalm ? calmTurns + 1 : 0
        guard calmTurns * period > Self.calm else {
            return correct(sound, played.count, excess, fewer: fewer)
        }
        return UnsafeBufferPointer(start: output, count: resampler.release(sound, played.count, into: output))
    }

    @_noLocks @_noAllocation
    private mutating func correct(
        _ sound: UnsafePointer<Int16>, _ count: Int, _ excess: Int, fewer: Double
    ) -> UnsafeBufferPointer<Int16> {
        // What waits in the resampler lies ahead as well: that it begins to is no lack.
        let fewer = loop.correct(error: excess + waiting) + fewer
        return UnsafeBufferPointer(
            start: output, count: resampler.process(sound, count, fewer: fewer, into: output))
    }

    /// Sound was broken off: what comes next follows silence, on cards that drift as they did.
    @_noLocks @_noAllocation
    mutating func restart() {
        loop.restart()
        resampler.reset()
        calmTurns = 0
    }
}
