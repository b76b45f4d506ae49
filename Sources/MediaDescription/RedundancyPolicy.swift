/// When earlier packets are sent once more in later ones (RFC 2198), where the peer takes that.
public enum RedundancyPolicy: String, Sendable, Hashable, CaseIterable {
    /// Never, and not from the peer either.
    case off
    /// While the peer's reports say that packets get lost.
    case auto
    /// Always.
    case on
}

/// Extended reports that both ends take (`a=rtcp-xr`, RFC 3611 §5).
public struct ExtendedReports: Sendable, Hashable {
    /// `voip-metrics`
    public var voipMetrics = false
    /// `pkt-loss-rle`
    public var lossRuns = false

    public init(voipMetrics: Bool = false, lossRuns: Bool = false) {
        self.voipMetrics = voipMetrics
        self.lossRuns = lossRuns
    }
}
