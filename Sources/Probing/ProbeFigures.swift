/// What a probe's far end gave back.
public struct ProbeFigures: Sendable, Hashable {
    /// RMS of the tone as it came back, in dBFS.
    public var level = 0.0
    /// In Hz.
    public var frequency = 0.0
    /// The tone against everything else in its place: noise, distortion, what a codec adds, in dB.
    public var signalToNoise = 0.0
    /// RMS of what was heard before anything was sent, in dBFS; nil for digital silence.
    public var noise: Double?
    /// From the moment at which a sample was sent to that at which it was heard, in ms: the median of all seconds, the
    /// least and the most.
    public var delay = 0.0
    public var leastDelay = 0.0
    public var mostDelay = 0.0
    /// How often the tone was missing for 5 ms or more, for how long in all, and at once, in ms.
    public var gaps = 0
    public var gapMilliseconds = 0.0
    public var longestGap = 0.0

    public init() {}
}
