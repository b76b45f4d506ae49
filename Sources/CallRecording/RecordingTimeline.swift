/// Where in a recording sound belongs: after as much silence as there was time without any.
///
/// The loop numbers its samples; while it does not run, the clock says how time passes, and the recording follows it
/// a second behind, so that neither is in the other's way.
struct RecordingTimeline {
    /// Frames of the recording so far, at 48 kHz.
    private(set) var frames = 0
    /// The stream's sampling time of frame 0; nil before the first sound.
    private var origin: Int?
    /// When and where the recording was known to be in step with the stream, in nanoseconds.
    private var knownAt: UInt64
    private var knownFrames = 0

    /// What is to be written.
    struct Placing: Equatable {
        /// Frames of silence, first.
        var silence = 0
        /// Frames of the sound that are there already, as silence.
        var skipped = 0
    }

    /// - Parameter now: CLOCK_MONOTONIC in nanoseconds.
    init(now: UInt64) { knownAt = now }

    /// Takes `count` frames of sound, the first of which has the sampling time `start`.
    mutating func place(start: Int, count: Int, now: UInt64) -> Placing {
        let origin = origin ?? start - frames
        self.origin = origin
        let place = start - origin
        let placing = Placing(silence: max(0, place - frames), skipped: min(count, max(0, frames - place)))
        frames += placing.silence + count - placing.skipped
        (knownAt, knownFrames) = (now, frames)
        return placing
    }

    /// No sound has come until `now`. Returns the frames of silence that are to be written.
    mutating func pass(until now: UInt64) -> Int {
        let elapsed = Int((now - min(now, knownAt)) / 1_000_000) * 48
        let silence = knownFrames + elapsed - 48_000 - frames
        // Not for every few samples.
        guard silence >= 24_000 else { return 0 }
        frames += silence
        return silence
    }
}
