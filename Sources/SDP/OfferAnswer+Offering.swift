public import MediaDescription

extension OfferAnswer {
    /// A first offer, or a re-offer: that one keeps number, order and meaning of the m-lines, the payload types and the
    /// keys, and names the codec in use first. `direction` is usually `wantedDirection`.
    public mutating func offer(direction: MediaDirection, local: LocalMediaAddress) -> SessionDescription {
        var formats: [(PayloadFormat, UInt8)] = []
        for format in offeredFormats { formats.append((format, payloadTypes.assign(format))) }
        let audio = audioSection(
            formats: formats, profile: offeredProfile, crypto: offeredCrypto, multiplexesRTCP: true,
            reports: ExtendedReports(voipMetrics: true, lossRuns: true), direction: direction, local: local)
        var media = lastSent?.media ?? []
        if let audioIndex, media.indices.contains(audioIndex) {
            media[audioIndex] = audio
        } else {
            audioIndex = media.count
            media.append(audio)
        }
        offeredDirection = direction
        return send(media, local: local)
    }

    private var offeredFormats: [PayloadFormat] {
        var codecs: [Codec] = []
        if let codec = agreed?.codec { codecs.append(codec) }
        for codec in policy.codecs where !codecs.contains(codec) { codecs.append(codec) }
        var formats = codecs.map(PayloadFormat.codec)
        for clockRate in [48_000, 8_000] where codecs.contains(where: { $0.clockRate == clockRate }) {
            formats.append(.events(clockRate: clockRate))
        }
        // Last: to a peer that knows it not, the rest is as before.
        if policy.redundancy != .off, codecs.contains(.opus) { formats.append(.redundancy) }
        return formats
    }

    private var offeredProfile: RTPProfile { agreed?.profile ?? (policy.srtp == .required ? .savp : .avp) }

    private var offeredCrypto: [CryptoAttribute] {
        if let agreed, agreed.suite == nil, policy.srtp != .required { return [] }
        return offeredKeys.enumerated().map { CryptoAttribute(tag: $0.offset + 1, keying: $0.element) }
    }

    /// Where a stream may be clear, the first suite is offered alone, which all know that know keys (RFC 4568 §6.2): with a second
    /// line, an INVITE with credentials would be too long for a datagram (RFC 3261 §18.1.1).
    private var offeredKeys: [SRTPKeying] {
        guard policy.srtp != .required, let first = keys.first else { return keys }
        return [first] + keys.dropFirst().filter { $0.suite == agreed?.suite }
    }

    /// Takes the answer to our last offer; also the same or another one once more, as early media brings them.
    ///
    /// Throws, having changed nothing, where it refuses the stream or breaks our policy.
    public mutating func receive(answer: SessionDescription) throws(SDPNegotiationError) -> StreamParameters {
        guard let offeredDirection, let audioIndex else {
            throw SDPNegotiationError(kind: .noOffer, message: "an answer came and no offer of ours is open")
        }
        guard answer.media.indices.contains(audioIndex), answer.media[audioIndex].kind == "audio" else {
            throw SDPNegotiationError(
                kind: .malformed, message: "the answer has no audio at m-line \(audioIndex + 1), where ours stands")
        }
        let section = answer.media[audioIndex]
        guard section.port != 0 else { throw refused("the peer refused the audio stream (port 0)") }
        let audio = try RemoteAudio(section, of: answer, known: payloadTypes)
        let security = try answeredSecurity(audio)
        let offered = offeredFormats
        var streams: [StreamParameters] = []
        for format in audio.formats {
            guard case .codec(let codec) = format.format, let receive = payloadTypes[format.format],
                offered.contains(format.format), !streams.contains(where: { $0.codec == codec })
            else { continue }
            let events = audio.events(for: codec).flatMap { taken in
                payloadTypes[taken.format].map { (send: taken.payloadType, receive: $0, format: taken.format) }
            }
            let redundancy =
                offered.contains(.redundancy)
                ? audio.redundancy(around: format).flatMap { taken in
                    payloadTypes[.redundancy].map { (send: taken.payloadType, receive: $0) }
                } : nil
            streams.append(
                parameters(
                    audio, codec: format, as: codec, receive: receive, events: events, redundancy: redundancy,
                    multiplexesRTCP: audio.multiplexesRTCP,
                    direction: DirectionRule.agreed(offered: offeredDirection, answered: audio.direction),
                    security: security))
        }
        guard var stream = streams.first else { throw refused("the answer holds none of the codecs we offered") }
        agreed = Agreement(codec: stream.codec, profile: audio.profile, suite: security.suite)
        stream.alternatives = Array(streams.dropFirst())
        return stream
    }

    private func answeredSecurity(_ audio: RemoteAudio) throws(SDPNegotiationError) -> StreamSecurity {
        let offered = offeredCrypto.map(\.keying)
        // Matched by suite, not by tag: there are peers that number their line anew.
        for line in audio.crypto {
            if let ours = offered.first(where: { $0.suite == line.keying.suite }) {
                return .srtp(send: ours, receive: line.keying)
            }
        }
        guard audio.profile == .avp, offeredProfile == .avp, policy.srtp != .required else {
            throw refused("the answer has no a=crypto line that fits our offer, and the stream must be encrypted")
        }
        return .none
    }
}

extension StreamSecurity {
    var suite: SRTPSuite? {
        switch self {
        case .none: nil
        case .srtp(let send, _): send.suite
        }
    }
}

func refused(_ message: String) -> SDPNegotiationError {
    SDPNegotiationError(kind: .notAcceptable, message: message)
}
