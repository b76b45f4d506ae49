/// A `b=` line (RFC 8866 §5.8).
public struct Bandwidth: Sendable, Hashable {
    /// Lines that are read in one place, at most.
    static let maximumLines = 8

    /// `AS`: kbit/s with the headers of RTP, UDP and IP. `TIAS` (RFC 3890): bit/s with that of RTP alone.
    public var type: String
    public var value: Int

    public init(type: String, value: Int) {
        self.type = type
        self.value = value
    }
}

extension SessionDescription {
    /// What may be sent to a section, in bit/s, and whether the headers of UDP and IP count in it; nil where nothing is said.
    /// The more exact `TIAS` goes before `AS`, the section's own lines before those of the session; 0, as some write who
    /// have no answer, says nothing.
    func bandwidth(of section: MediaSection) -> (bitRate: Int, withHeaders: Bool)? {
        for lines in [section.bandwidth, bandwidth] {
            if let exact = lines.first(where: { $0.type == "TIAS" && $0.value > 0 }) { return (exact.value, false) }
            if let coarse = lines.first(where: { $0.type == "AS" && $0.value > 0 }) {
                return (min(coarse.value, 1_000_000) * 1_000, true)
            }
        }
        return nil
    }
}
