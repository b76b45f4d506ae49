/// A reception report block (RFC 3550 §6.4.1).
public struct ReportBlock: Hashable, Sendable {
    /// Whose packets are reported on.
    public var source: UInt32
    /// Lost since the last report, in 1/256.
    public var fractionLost: UInt8
    /// Lost since the beginning, -0x800000...0x7FFFFF.
    public var cumulativeLost: Int
    public var extendedHighest: UInt32
    /// In units of the RTP clock.
    public var jitter: UInt32
    /// The middle 32 bits of the NTP time in the source's last SR; 0 before the first.
    public var lastSenderReport: UInt32
    /// Since that SR came, in 1/65536 s.
    public var delaySinceLastSenderReport: UInt32

    public init(
        source: UInt32, fractionLost: UInt8, cumulativeLost: Int, extendedHighest: UInt32, jitter: UInt32,
        lastSenderReport: UInt32, delaySinceLastSenderReport: UInt32
    ) {
        self.source = source
        self.fractionLost = fractionLost
        self.cumulativeLost = cumulativeLost
        self.extendedHighest = extendedHighest
        self.jitter = jitter
        self.lastSenderReport = lastSenderReport
        self.delaySinceLastSenderReport = delaySinceLastSenderReport
    }

    /// The round trip in 1/65536 s when this block came back at `now`; nil where the peer has had no SR of ours yet,
    /// or its arithmetic gives less than nothing (RFC 3550 §6.4.1).
    public func roundTrip(at now: NTPTime) -> UInt32? {
        guard lastSenderReport != 0 else { return nil }
        let trip = Int32(truncatingIfNeeded: Int64(now.middle &- lastSenderReport &- delaySinceLastSenderReport))
        return trip < 0 ? nil : UInt32(trip)
    }
}

/// An NTP timestamp: seconds since 1900 and their fraction (RFC 3550 §4).
public struct NTPTime: Hashable, Sendable {
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// From a time since 1970.
    public init(unixNanoseconds: UInt64) {
        let (seconds, rest) = unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        rawValue = (seconds &+ 2_208_988_800) << 32 | (rest << 32) / 1_000_000_000
    }

    /// The middle 32 bits: units of 1/65536 s.
    public var middle: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 16) }
}

/// What a sender says of its own stream (RFC 3550 §6.4.1).
public struct SenderInformation: Hashable, Sendable {
    public var ntp: NTPTime
    /// The same instant on the stream's RTP clock.
    public var timestamp: UInt32
    public var packets: UInt32
    /// Payload octets, without headers and padding.
    public var octets: UInt32

    public init(ntp: NTPTime, timestamp: UInt32, packets: UInt32, octets: UInt32) {
        self.ntp = ntp
        self.timestamp = timestamp
        self.packets = packets
        self.octets = octets
    }
}

/// One packet of a compound RTCP packet (RFC 3550 §6).
public enum RTCPPacket: Hashable, Sendable {
    case senderReport(source: UInt32, SenderInformation, [ReportBlock])
    case receiverReport(source: UInt32, [ReportBlock])
    /// The CNAME of each source that says one (RFC 3550 §6.5); other items are skipped.
    case sourceDescription([CanonicalName])
    case goodbye(sources: [UInt32])
    /// RFC 3611.
    case extendedReport(source: UInt32, [ExtendedReportBlock])
    /// APP and every type we do not know, skipped by its length.
    case other(type: UInt8)

    public struct CanonicalName: Hashable, Sendable {
        public var source: UInt32
        /// UTF-8 as it came, at most 255 octets.
        public var name: [UInt8]

        public init(source: UInt32, name: [UInt8]) {
            self.source = source
            self.name = name
        }
    }
}
