/// What is known of the echo, for people.
public struct EchoFigures: BitwiseCopyable, Sendable {
    /// By how much the echo is quieter than the microphone heard it, while the other party speaks alone, as a ratio of
    /// energies; 0 before the first, and anew where the echo's way has changed or nothing is taken out any more.
    public var reduction: Float = 0
    /// The same of the linear filter alone.
    public var cancelled: Float = 0
    /// Samples from the reference to the loudest part of the echo.
    public var delaySamples = 0
    /// The filter has found the echo.
    public var isConverged = false

    @_noLocks @_noAllocation
    public init() {}
}

/// Measures how much of the echo is gone, in blocks in which the other party speaks alone.
struct EchoMeter: BitwiseCopyable {
    private var microphone: Float = 0
    private var sent: Float = 0
    private var left: Float = 0
    private var blocks = 0

    @_noLocks @_noAllocation
    init() {}

    var figures = EchoFigures()

    /// What was measured is not true any more: the way has changed, or nothing is taken out.
    @_noLocks @_noAllocation
    mutating func forget() {
        let delay = figures.delaySamples
        self = EchoMeter()
        figures.delaySamples = delay
    }

    /// Takes the energies of a block. `taken` is what the filter took out, `voiceShare` how much of the rest is speech of here.
    @_noLocks @_noAllocation
    mutating func measure(
        microphone: Float, sent: Float, taken: Float, left: Float, voiceShare: Float, isActive: Bool
    ) {
        // A block of -60 dBFS at least, most of it echo.
        guard isActive, microphone > 240 * 1_000, taken > 0.5 * microphone, voiceShare < 0.3 else { return }
        // Over a second of such blocks.
        blocks = min(blocks &+ 1, 200)
        let speed = 1 / Float(blocks)
        self.microphone += speed * (microphone - self.microphone)
        self.sent += speed * (sent - self.sent)
        self.left += speed * (left - self.left)
        figures.reduction = self.microphone / (self.sent + 1)
        figures.cancelled = self.microphone / (self.left + 1)
        figures.isConverged = blocks > 40 && figures.cancelled > 10
    }
}
