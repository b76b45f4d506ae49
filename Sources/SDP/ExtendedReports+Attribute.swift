internal import MediaDescription

extension ExtendedReports {
    /// Reads the value of `a=rtcp-xr` (RFC 3611 §5.1): the formats that we know, with or without their parameters.
    init(attribute: String?) {
        self.init()
        for word in (attribute ?? "").split(separator: " ", maxSplits: 16) {
            switch word.split(separator: "=", maxSplits: 1).first {
            case "voip-metrics": voipMetrics = true
            case "pkt-loss-rle": lossRuns = true
            default: break
            }
        }
    }

    /// The value of the attribute; nil where there is nothing to say.
    var attribute: String? {
        let formats = [lossRuns ? "pkt-loss-rle" : nil, voipMetrics ? "voip-metrics" : nil].compactMap { $0 }
        return formats.isEmpty ? nil : formats.joined(separator: " ")
    }
}
