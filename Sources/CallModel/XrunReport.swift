/// The last time that a sound card ran dry, or over, and why.
public struct XrunReport: Sendable, Hashable {
    public enum Cause: String, Sendable, Hashable, CaseIterable {
        /// The audio loop was not woken in time, or had no processor.
        case lateWakeUp
        /// A turn of it took too long.
        case longTurn
        /// The machine was asleep.
        case suspended
        /// The processor was given to another virtual machine.
        case stolenTime
        /// The card stopped by itself: the loop was in time.
        case card
    }

    public var cause: Cause
    /// Seconds since then.
    public var age: Double
    /// How late the sound was.
    public var lateMilliseconds: Double
    /// How late it might have been: what lay ahead of the loudspeaker.
    public var aheadMilliseconds: Double
    /// Whether the loudspeaker ran dry; else sound of the microphone was lost.
    public var isPlayback: Bool

    public init(
        cause: Cause, age: Double, lateMilliseconds: Double, aheadMilliseconds: Double, isPlayback: Bool
    ) {
        self.cause = cause
        self.age = age
        self.lateMilliseconds = lateMilliseconds
        self.aheadMilliseconds = aheadMilliseconds
        self.isPlayback = isPlayback
    }
}
