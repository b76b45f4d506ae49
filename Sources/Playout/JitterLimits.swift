/// How much a jitter buffer may delay.
public struct JitterLimits: Sendable, Hashable {
    /// The least head start of a packet, in milliseconds, 0...200: 0 lets the network alone decide.
    public var minimumMilliseconds: Int
    /// Packets that come later than the fastest by more than this many milliseconds are lost; 20...450.
    public var maximumMilliseconds: Int

    public init(minimumMilliseconds: Int = 0, maximumMilliseconds: Int = 400) {
        self.minimumMilliseconds = min(max(minimumMilliseconds, 0), 200)
        self.maximumMilliseconds = min(max(maximumMilliseconds, 20), 450)
    }
}
