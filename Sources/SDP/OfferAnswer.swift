public import MediaDescription

/// Where our media is received: a numeric address without brackets, and the ports of the call's sockets.
public struct LocalMediaAddress: Sendable, Hashable {
    public var host: String
    public var rtpPort: UInt16
    public var rtcpPort: UInt16

    public init(host: String, rtpPort: UInt16, rtcpPort: UInt16) {
        self.host = host
        self.rtpPort = rtpPort
        self.rtcpPort = rtcpPort
    }
}

/// The offers and answers of one call with one audio stream (RFC 3264, 4568, 5761, 6337, 7587).
///
/// A pure value: keys are given to it, and a copy taken before an offer or answer brings back what was before. At most one
/// offer is open at a time (RFC 3261 §14.1); keeping to that is the caller's business.
public struct OfferAnswer: Sendable {
    public let policy: MediaPolicy
    /// Our keys, one for each suite we offer, in order of preference. They stay the same for the whole call.
    let keys: [SRTPKeying]
    let sessionID: UInt64

    /// Whether the peer's last offer holds us; answers never change it, save that to an offer the peer has asked for.
    public var remoteHold = false
    /// What was sent last, offer or answer.
    public internal(set) var lastSent: SessionDescription?

    var version: UInt64 = 1
    /// The index of our audio stream among the m-lines, from the first offer or answer on.
    var audioIndex: Int?
    var payloadTypes = PayloadTypeMap()
    /// The direction of the offer that awaits its answer, or was answered last.
    var offeredDirection: MediaDirection?
    var agreed: Agreement?

    /// What re-offers keep.
    struct Agreement: Sendable, Hashable {
        var codec: Codec
        var profile: RTPProfile
        var suite: SRTPSuite?
    }

    /// `sessionID` is the `o=` identifier, random; `keys` are random keys, one for each suite to be offered (none are needed
    /// where `policy.srtp` is `off`).
    public init(policy: MediaPolicy, sessionID: UInt64, keys: [SRTPKeying]) {
        self.policy = policy
        self.sessionID = sessionID
        self.keys = policy.srtp == .off ? [] : keys.filter { $0.keyAndSalt.count == 30 }
    }

    /// The direction to offer, with our hold and the peer's (DESIGN: hold, exactly).
    public func wantedDirection(held: Bool) -> MediaDirection {
        DirectionRule.offer(held: held, remoteHeld: remoteHold)
    }

    /// Gives `description` the version that belongs to it and remembers it as sent: the last one where nothing but the
    /// version would differ (RFC 3264 §8).
    mutating func send(_ media: [MediaSection], local: LocalMediaAddress) -> SessionDescription {
        let connection = ConnectionData(host: local.host)
        var description = SessionDescription(
            origin: Origin(sessionID: String(sessionID), version: String(version), address: connection),
            connection: connection, media: media)
        if let lastSent, lastSent != description {
            version += 1
            description.origin.version = String(version)
        }
        lastSent = description
        return description
    }

    /// Our audio section with these formats, the crypto lines given, and the rest of what every one has.
    func audioSection(
        formats: [(PayloadFormat, UInt8)], profile: RTPProfile, crypto: [CryptoAttribute], multiplexesRTCP: Bool,
        reports: ExtendedReports, direction: MediaDirection, local: LocalMediaAddress
    ) -> MediaSection {
        var section = MediaSection(
            kind: "audio", port: local.rtpPort, proto: profile.rawValue, formats: formats.map { String($0.1) })
        for (format, number) in formats {
            section.attributes.append(Attribute("rtpmap", "\(number) \(format.encoding)"))
            switch format {
            case .codec(.opus) where !policy.opus.format.isEmpty:
                section.attributes.append(Attribute("fmtp", "\(number) \(policy.opus.format)"))
            case .events: section.attributes.append(Attribute("fmtp", "\(number) 0-15"))
            case .redundancy:
                if let opus = formats.first(where: { $0.0 == .codec(.opus) })?.1 {
                    section.attributes.append(Attribute("fmtp", "\(number) \(opus)/\(opus)"))
                }
            case .codec: break
            }
        }
        section.attributes.append(Attribute("ptime", String(policy.packetMilliseconds)))
        if let longest = policy.maximumPacketMilliseconds {
            section.attributes.append(Attribute("maxptime", String(longest)))
        }
        if local.rtcpPort != local.rtpPort &+ 1 { section.attributes.append(Attribute("rtcp", String(local.rtcpPort))) }
        if multiplexesRTCP { section.attributes.append(Attribute("rtcp-mux")) }
        if let text = reports.attribute { section.attributes.append(Attribute("rtcp-xr", text)) }
        for line in crypto { section.attributes.append(Attribute("crypto", line.value)) }
        section.attributes.append(Attribute(direction.rawValue))
        return section
    }

    /// What media is told, with the peer's `audio` and what was agreed on with it.
    func parameters(
        _ audio: RemoteAudio, codec: RemoteAudio.Format, as kind: Codec, receive: UInt8,
        events: (send: UInt8, receive: UInt8, format: PayloadFormat)?, redundancy: (send: UInt8, receive: UInt8)?,
        multiplexesRTCP: Bool,
        direction: MediaDirection, security: StreamSecurity
    ) -> StreamParameters {
        var parameters = StreamParameters(
            remoteRTP: audio.rtp, remoteRTCP: multiplexesRTCP ? audio.rtp : audio.rtcp, direction: direction,
            codec: kind, sendPayloadType: codec.payloadType, receivePayloadType: receive,
            packetMilliseconds: audio.packetMilliseconds(wanted: policy.packetMilliseconds), security: security)
        parameters.multiplexesRTCP = multiplexesRTCP
        parameters.opus = codec.opus
        parameters.sendEventPayloadType = events?.send
        parameters.receiveEventPayloadType = events?.receive
        if case .events(let clockRate)? = events?.format, clockRate != kind.clockRate {
            parameters.eventClockRate = clockRate
        }
        parameters.sendRedundancyPayloadType = redundancy?.send
        parameters.receiveRedundancyPayloadType = redundancy?.receive
        parameters.maximumBitRate = audio.payloadBitRate(packetMilliseconds: parameters.packetMilliseconds)
        parameters.extendedReports = audio.extendedReports
        return parameters
    }
}
