public import MediaDescription

extension OfferAnswer {
    /// Answers the peer's offer: every m-line in order, the first acceptable audio taken, all else refused with port 0.
    ///
    /// `held` is our own hold. `parameters` is nil where a re-offer takes the stream away (port 0). Throws, having changed
    /// nothing, where there is nothing we can or may take.
    public mutating func receive(
        offer: SessionDescription, held: Bool, local: LocalMediaAddress
    ) throws(SDPNegotiationError) -> (answer: SessionDescription, parameters: StreamParameters?) {
        guard offer.media.count >= lastSent?.media.count ?? 0 else {
            throw SDPNegotiationError(
                kind: .malformed,
                message: "the offer has \(offer.media.count) m-lines, fewer than before (RFC 3264 §8)")
        }
        let taken = try chooseAudio(offer)
        var media = offer.media.map { section in
            MediaSection(kind: section.kind, port: 0, proto: section.proto, formats: section.formats)
        }
        guard let taken else {
            offeredDirection = nil
            return (send(media, local: local), nil)
        }
        let codec = taken.codec
        payloadTypes.adopt(codec.payloadType, for: codec.format)
        var formats = [(codec.format, codec.payloadType)]
        if let events = taken.events {
            payloadTypes.adopt(events.payloadType, for: events.format)
            formats.append((events.format, events.payloadType))
        }
        if let redundancy = taken.redundancy {
            payloadTypes.adopt(redundancy.payloadType, for: redundancy.format)
            formats.append((redundancy.format, redundancy.payloadType))
        }
        // Payload types 64-95 cannot be told from RTCP (RFC 5761 §4).
        let multiplexes = taken.audio.multiplexesRTCP && !formats.contains { 64...95 ~= $0.1 }
        let direction = DirectionRule.answer(to: taken.audio.direction, held: held)
        media[taken.index] = audioSection(
            formats: formats, profile: taken.audio.profile, crypto: taken.crypto.map { [$0] } ?? [],
            multiplexesRTCP: multiplexes, reports: taken.audio.extendedReports, direction: direction, local: local)
        // As the peer writes it: an answer's protocol is the offer's (RFC 3264 §6), and not every peer ignores case.
        media[taken.index].proto = offer.media[taken.index].proto
        audioIndex = taken.index
        offeredDirection = nil
        remoteHold = !taken.audio.direction.receives
        agreed = Agreement(codec: taken.kind, profile: taken.audio.profile, suite: taken.security.suite)
        var parameters = parameters(
            taken.audio, codec: codec, as: taken.kind, receive: codec.payloadType,
            events: taken.events.map { ($0.payloadType, $0.payloadType, $0.format) },
            redundancy: taken.redundancy.map { ($0.payloadType, $0.payloadType) }, multiplexesRTCP: multiplexes,
            direction: direction, security: taken.security)
        if taken.audio.multiplexesRTCP, !multiplexes {
            parameters.remoteRTCP.port = taken.audio.rtp.port < .max ? taken.audio.rtp.port + 1 : 0
        }
        return (send(media, local: local), parameters)
    }

    private struct Choice {
        var index: Int
        var audio: RemoteAudio
        var codec: RemoteAudio.Format
        var kind: Codec
        var events: RemoteAudio.Format?
        var redundancy: RemoteAudio.Format?
        var security: StreamSecurity
        /// Our line of the answer.
        var crypto: CryptoAttribute?
    }

    /// The audio section to take: the one in use where it is still acceptable, else the first that is. nil where the one in
    /// use was taken away.
    private func chooseAudio(_ offer: SessionDescription) throws(SDPNegotiationError) -> Choice? {
        var order = Array(offer.media.indices)
        if let audioIndex, order.contains(audioIndex) { order.insert(order.remove(at: audioIndex), at: 0) }
        var reason: SDPNegotiationError?
        for index in order where offer.media[index].kind == "audio" && offer.media[index].port != 0 {
            do throws(SDPNegotiationError) {
                return try choose(offer.media[index], at: index, of: offer)
            } catch {
                reason = reason ?? error
            }
        }
        if let reason { throw reason }
        if let audioIndex, offer.media.indices.contains(audioIndex), offer.media[audioIndex].kind == "audio" {
            return nil
        }
        throw refused("the offer has no audio stream")
    }

    private func choose(
        _ section: MediaSection, at index: Int, of offer: SessionDescription
    ) throws(SDPNegotiationError) -> Choice {
        let audio = try RemoteAudio(section, of: offer, known: PayloadTypeMap())
        let (security, line) = try acceptedSecurity(audio)
        // The codec in use stays while the peer still offers it; a change would be heard.
        for kind in [agreed?.codec].compactMap({ $0 }) + policy.codecs {
            guard let codec = audio.first(.codec(kind)) else { continue }
            return Choice(
                index: index, audio: audio, codec: codec, kind: kind, events: audio.events(for: kind),
                redundancy: policy.redundancy == .off ? nil : audio.redundancy(around: codec),
                security: security, crypto: line)
        }
        let names = policy.codecs.map(\.rawValue).joined(separator: ", ")
        throw refused("none of the offered codecs is one of ours: \(names)")
    }

    private func acceptedSecurity(
        _ audio: RemoteAudio
    ) throws(SDPNegotiationError) -> (StreamSecurity, CryptoAttribute?) {
        if audio.profile == .savp, policy.srtp == .off { throw refused("RTP/SAVP is offered and srtp is off here") }
        let usable = audio.crypto.filter { line in keys.contains { $0.suite == line.keying.suite } }
        // The suite in use stays while it is offered; else the peer's order counts (RFC 4568 §5.1.2).
        let line = usable.first { $0.keying.suite == agreed?.suite } ?? usable.first
        if let line, let ours = keys.first(where: { $0.suite == line.keying.suite }) {
            return (.srtp(send: ours, receive: line.keying), CryptoAttribute(tag: line.tag, keying: ours))
        }
        guard audio.profile == .avp else { throw refused("RTP/SAVP is offered without an a=crypto line we can use") }
        guard policy.srtp != .required else {
            throw refused("RTP/AVP is offered without an a=crypto line we can use, and srtp is required here")
        }
        return (.none, nil)
    }
}
