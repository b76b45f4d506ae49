internal import MediaDescription

/// How RTP is carried (RFC 3551, RFC 3711).
enum RTPProfile: String, Sendable {
    case avp = "RTP/AVP"
    case savp = "RTP/SAVP"
}

/// What a peer's audio section says, as far as we can use it.
struct RemoteAudio: Sendable {
    struct Format: Sendable {
        var payloadType: UInt8
        var format: PayloadFormat
        var opus: OpusParameters
        /// Of redundancy: the payload types of its blocks, as fmtp names them.
        var carried: [UInt8] = []
    }

    var rtp: MediaAddress
    var rtcp: MediaAddress
    var profile: RTPProfile
    /// Where `c=` is null (RFC 2543's hold) the peer does not receive, whatever its direction attribute says.
    var direction: MediaDirection
    var isNullAddress: Bool
    /// In the peer's order of preference.
    var formats: [Format]
    var multiplexesRTCP: Bool
    var packetMilliseconds: Int?
    var maximumPacketMilliseconds: Int?
    /// Of ours, those that the peer takes.
    var extendedReports: ExtendedReports
    /// What the peer says that the stream may use, in bit/s, and whether UDP and IP headers count in it.
    private var bandwidth: (bitRate: Int, withHeaders: Bool)?
    /// The usable ones, in the peer's order.
    var crypto: [CryptoAttribute]

    /// `known` is what our own numbers mean to us, for answers that leave out rtpmap.
    init(
        _ section: MediaSection, of session: SessionDescription, known: PayloadTypeMap
    ) throws(SDPNegotiationError) {
        guard let profile = RTPProfile(rawValue: section.proto.uppercased()) else {
            throw SDPNegotiationError(
                kind: .notAcceptable, message: "\(section.proto) is not supported, only RTP/AVP and RTP/SAVP")
        }
        guard let connection = session.connection(of: section) else {
            throw SDPNegotiationError(kind: .malformed, message: "no c= line for the audio stream")
        }
        let octets = try connection.unicastOctets()
        self.profile = profile
        isNullAddress = octets.allSatisfy { $0 == 0 }
        rtp = MediaAddress(host: connection.address, port: section.port)
        let attributes = section.attributes
        let written = session.direction(of: section)
        direction = isNullAddress ? MediaDirection(sends: written.sends, receives: false) : written
        formats = Self.formats(section, known: known)
        multiplexesRTCP = attributes.has("rtcp-mux")
        rtcp = multiplexesRTCP ? rtp : Self.controlAddress(attributes.first("rtcp"), rtp: rtp)
        packetMilliseconds = Self.milliseconds(attributes.first("ptime"))
        maximumPacketMilliseconds = Self.milliseconds(attributes.first("maxptime"))
        extendedReports = ExtendedReports(attribute: attributes.first("rtcp-xr") ?? session.attributes.first("rtcp-xr"))
        bandwidth = session.bandwidth(of: section)
        crypto = attributes.filter { $0.name == "crypto" }.prefix(32)
            .compactMap { $0.value.flatMap(CryptoAttribute.init(parsing:)) }
    }

    private static func formats(_ section: MediaSection, known: PayloadTypeMap) -> [Format] {
        var encodings: [UInt8: String] = [:]
        var parameters: [UInt8: String] = [:]
        for attribute in section.attributes where attribute.name == "rtpmap" || attribute.name == "fmtp" {
            let words = (attribute.value ?? "").split(separator: " ", maxSplits: 1)
            guard words.count == 2, let number = payloadType(words[0]) else { continue }
            if attribute.name == "rtpmap" {
                encodings[number] = encodings[number] ?? words[1].split(separator: " ").first.map(String.init)
            } else {
                parameters[number] = parameters[number] ?? String(words[1])
            }
        }
        var found: [Format] = []
        for word in section.formats.prefix(128) {
            guard let number = payloadType(word), !found.contains(where: { $0.payloadType == number }) else { continue }
            let format =
                encodings[number].map { PayloadFormat(encoding: $0) }
                ?? PayloadFormat(staticPayloadType: number) ?? known.format(of: number)
            guard let format else { continue }
            let opus = format == .codec(.opus) ? OpusParameters(parsingFormat: parameters[number] ?? "") : .init()
            let carried = format == .redundancy ? Self.carried(parameters[number] ?? "") : []
            found.append(Format(payloadType: number, format: format, opus: opus, carried: carried))
        }
        return found
    }

    private static func payloadType(_ word: some StringProtocol) -> UInt8? {
        guard word.utf8.count <= 3, word.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return UInt8(word).flatMap { $0 <= 127 ? $0 : nil }
    }

    /// `a=rtcp:port [IN IP4|IP6 address]` (RFC 3605), else the port above RTP's.
    private static func controlAddress(_ value: String?, rtp: MediaAddress) -> MediaAddress {
        var address = MediaAddress(host: rtp.host, port: rtp.port < .max ? rtp.port + 1 : 0)
        let words = (value ?? "").split(separator: " ", maxSplits: 4)
        guard let first = words.first, let port = UInt16(first) else { return address }
        address.port = port
        guard words.count == 4 else { return address }
        let connection = ConnectionData(
            networkType: String(words[1]), addressType: String(words[2]), address: String(words[3]))
        if (try? connection.unicastOctets()) != nil { address.host = connection.address }
        return address
    }

    /// ptime and maxptime may carry a fraction, which counts for nothing here.
    private static func milliseconds(_ value: String?) -> Int? {
        guard let whole = value?.split(separator: ".").first?.split(separator: " ").first, whole.utf8.count <= 4,
            let milliseconds = Int(whole), milliseconds > 0
        else { return nil }
        return milliseconds
    }

    /// The first format of the peer's that carries `format`.
    func first(_ format: PayloadFormat) -> Format? { formats.first { $0.format == format } }

    /// The peer's events for a codec: those on its clock, else those on 8 kHz, which some peers name beside Opus.
    func events(for codec: Codec) -> Format? {
        first(.events(clockRate: codec.clockRate)) ?? first(.events(clockRate: 8_000))
    }

    private static func carried(_ parameters: String) -> [UInt8] {
        parameters.split(separator: "/", maxSplits: 16).compactMap { payloadType($0.filter { $0 != " " }) }
    }

    /// The peer's redundancy whose blocks are all of `codec`, which is Opus; one whose fmtp is missing counts as such.
    func redundancy(around codec: Format) -> Format? {
        guard codec.format == .codec(.opus) else { return nil }
        return formats.first { format in
            format.format == .redundancy && format.carried.allSatisfy { $0 == codec.payloadType }
        }
    }

    /// What the peer leaves for payload, in bit/s, without the headers of RTP, and of UDP and IP where they count.
    func payloadBitRate(packetMilliseconds: Int) -> Int? {
        guard let bandwidth else { return nil }
        let headerOctets = bandwidth.withHeaders ? 12 + 8 + 20 : 12
        return max(6_000, bandwidth.bitRate - headerOctets * 8 * 1_000 / max(1, packetMilliseconds))
    }

    /// How long our packets shall be: what the peer asks for, else `wanted`, at most what it allows, rounded down to what
    /// our encoders make.
    func packetMilliseconds(wanted: Int) -> Int {
        let limit = min(packetMilliseconds ?? wanted, maximumPacketMilliseconds ?? .max)
        return [60, 40, 20, 10].first { $0 <= limit } ?? 10
    }
}
