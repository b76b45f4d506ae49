import MediaDescription
import SDP
import Testing

@Suite("Offers (RFC 3264 §5, §8)") struct OfferTests {
    @Test("A first offer names our codecs in our order, with events on both clocks and rtcp-mux")
    func first() {
        var negotiator = Sample.negotiator(srtp: .off)
        let offer = negotiator.offer(direction: .sendrecv, local: Sample.local)
        #expect(offer.media[0].formats == ["96", "9", "8", "0", "100", "101", "97"])
        #expect(
            offer.values("rtpmap") == [
                "96 opus/48000/2", "9 G722/8000", "8 PCMA/8000", "0 PCMU/8000", "100 telephone-event/48000",
                "101 telephone-event/8000", "97 red/48000/2",
            ])
        #expect(offer.values("rtcp-mux") == [""])
        #expect(offer.values("rtcp").isEmpty)
        #expect(offer.origin.address.address == "192.0.2.10")
    }

    @Test("The answer's ptime and maxptime bound our packets; we name a longest one only where we mind")
    func packetTime() throws {
        for (ours, attributes, expected) in [
            (20, "a=ptime:10", 10), (10, "a=ptime:20", 20), (60, "a=maxptime:40", 40), (10, "a=x", 10),
        ] {
            var negotiator = Sample.negotiator(MediaPolicy(srtp: .off, packetMilliseconds: ours))
            let offer = negotiator.offer(direction: .sendrecv, local: Sample.local)
            #expect(offer.values("ptime") == [String(ours)] && offer.values("maxptime").isEmpty)
            let parameters = try negotiator.receive(answer: Sample.peer("m=audio 4000 RTP/AVP 96\r\n\(attributes)"))
            #expect(parameters.packetMilliseconds == expected)
        }
    }

    @Test("Events are offered for the clocks that are offered")
    func events() {
        var negotiator = Sample.negotiator(MediaPolicy(codecs: [.pcma], srtp: .off))
        #expect(negotiator.offer(direction: .sendrecv, local: Sample.local).media[0].formats == ["8", "101"])
    }

    @Test("IPv6 addresses and an RTCP port of its own are written out")
    func ipv6() {
        var negotiator = Sample.negotiator(srtp: .off)
        let offer = negotiator.offer(
            direction: .sendrecv, local: LocalMediaAddress(host: "2001:db8::9", rtpPort: 4_000, rtcpPort: 4_010))
        #expect(offer.connection?.addressType == "IP6")
        #expect(offer.values("rtcp") == ["4010"])
    }

    @Test("The o= version grows by one exactly when the text changes")
    func version() throws {
        var negotiator = Sample.negotiator(srtp: .optional)
        func version(_ description: SessionDescription) -> UInt64? { UInt64(description.origin.version) }
        let first = version(negotiator.offer(direction: .sendrecv, local: Sample.local))
        #expect(version(negotiator.offer(direction: .sendrecv, local: Sample.local)) == first)
        let held = version(negotiator.offer(direction: .sendonly, local: Sample.local))
        #expect(held == first.map { $0 + 1 })
        #expect(version(negotiator.offer(direction: .sendonly, local: Sample.local)) == held)
        var answerer = Sample.negotiator(srtp: .off)
        let offer = try Sample.peer("m=audio 4000 RTP/AVP 0")
        let one = try answerer.receive(offer: offer, held: false, local: Sample.local).answer
        #expect(try answerer.receive(offer: offer, held: false, local: Sample.local).answer == one)
    }

    @Test("We send with the peer's payload type and receive with ours")
    func payloadTypes() throws {
        var negotiator = Sample.negotiator(srtp: .off)
        _ = negotiator.offer(direction: .sendrecv, local: Sample.local)
        let parameters = try negotiator.receive(
            answer: Sample.peer(
                "m=audio 4000 RTP/AVP 111 112\r\na=rtpmap:111 opus/48000/2\r\na=rtpmap:112 telephone-event/48000"))
        #expect(parameters.codec == .opus)
        #expect(parameters.sendPayloadType == 111)
        #expect(parameters.receivePayloadType == 96)
        #expect(parameters.sendEventPayloadType == 112)
        #expect(parameters.receiveEventPayloadType == 100 && parameters.eventClockRate == nil)
        let slow = try negotiator.receive(
            answer: Sample.peer(
                "m=audio 4000 RTP/AVP 111 101\r\na=rtpmap:111 opus/48000/2\r\na=rtpmap:101 telephone-event/8000"))
        #expect(slow.codec == .opus && slow.sendEventPayloadType == 101 && slow.eventClockRate == 8_000)
    }

    @Test("An answer that leaves out rtpmap means our numbers")
    func noMap() throws {
        var negotiator = Sample.negotiator(srtp: .off)
        _ = negotiator.offer(direction: .sendrecv, local: Sample.local)
        #expect(try negotiator.receive(answer: Sample.peer("m=audio 4000 RTP/AVP 96")).codec == .opus)
    }

    @Test("The answer's first codec counts; one we did not offer is passed over")
    func answeredCodec() throws {
        var negotiator = Sample.negotiator(MediaPolicy(codecs: [.pcma, .pcmu], srtp: .off))
        _ = negotiator.offer(direction: .sendrecv, local: Sample.local)
        #expect(try negotiator.receive(answer: Sample.peer("m=audio 4000 RTP/AVP 9 0 8")).codec == .pcmu)
    }

    @Test("To each further codec of the answer that was offered the peer may go over")
    func alternatives() throws {
        var negotiator = Sample.negotiator(MediaPolicy(codecs: [.opus, .pcma, .pcmu], srtp: .off))
        _ = negotiator.offer(direction: .sendrecv, local: Sample.local)
        let answer =
            "m=audio 4000 RTP/AVP 111 9 8 112 0 120 101\r\na=rtpmap:111 opus/48000/2\r\na=rtpmap:112 opus/48000/2"
        let lines = "\r\na=rtpmap:120 PCMA/8000\r\na=rtpmap:101 telephone-event/8000\r\na=ptime:40\r\na=recvonly"
        let parameters = try negotiator.receive(answer: Sample.peer(answer + lines))
        #expect(parameters.codec == .opus && parameters.sendPayloadType == 111)
        let others = parameters.alternatives
        #expect(others.map(\.codec) == [.pcma, .pcmu])
        #expect(others.map(\.sendPayloadType) == [8, 0] && others.map(\.receivePayloadType) == [8, 0])
        #expect(others.allSatisfy { $0.alternatives.isEmpty && $0.sendEventPayloadType == 101 })
        #expect(others.allSatisfy { $0.direction == .sendonly && $0.packetMilliseconds == 40 })
        #expect(others.allSatisfy { $0.remoteRTP == parameters.remoteRTP && $0.security == parameters.security })
        #expect(try negotiator.receive(answer: Sample.peer("m=audio 4000 RTP/AVP 8")).alternatives.isEmpty)
        // Of an offer's codecs our answer names one.
        let offer = try Sample.peer("m=audio 4000 RTP/AVP 0 8")
        var answerer = Sample.negotiator(srtp: .off)
        #expect(try answerer.receive(offer: offer, held: false, local: Sample.local).parameters?.alternatives == [])
    }

    @Test(
        "Answers that give no stream are refused",
        arguments: [
            "m=audio 0 RTP/AVP 0", "m=audio 4000 RTP/AVP 18", "m=video 4000 RTP/AVP 0", "m=audio 4000 RTP/SAVP 0",
            "m=audio 4000 RTP/AVP 0\r\nc=IN IP4 name.example",
        ])
    func refused(section: String) throws {
        var negotiator = Sample.negotiator(srtp: .off)
        _ = negotiator.offer(direction: .sendrecv, local: Sample.local)
        let answer = try Sample.peer(section)
        #expect(throws: SDPNegotiationError.self) { try negotiator.receive(answer: answer) }
    }

    @Test("An answer without an offer is an error")
    func unasked() throws {
        var negotiator = Sample.negotiator(srtp: .off)
        let description = try Sample.peer("m=audio 4000 RTP/AVP 0")
        #expect(throws: SDPNegotiationError.self) { try negotiator.receive(answer: description) }
    }

    @Test("A re-offer keeps m-lines and payload types, and names the codec in use first")
    func reoffer() throws {
        var negotiator = Sample.negotiator(srtp: .off)
        let offer = try Sample.peer(
            "m=video 5000 RTP/AVP 31",
            "m=audio 4000 RTP/AVP 100 8\r\na=rtpmap:100 PCMU/8000\r\na=rtpmap:8 G729/8000")
        _ = try negotiator.receive(offer: offer, held: false, local: Sample.local)
        let reoffer = negotiator.offer(direction: .sendonly, local: Sample.local)
        #expect(reoffer.media.map(\.kind) == ["video", "audio"])
        #expect(reoffer.media[0].port == 0)
        #expect(reoffer.media[1].formats.first == "100")
        #expect(Set(reoffer.media[1].formats).count == reoffer.media[1].formats.count)
        #expect(reoffer.values("rtpmap", at: 1).first == "100 PCMU/8000")
    }

    @Test(
        "Two negotiators agree with each other under every pair of policies", arguments: SRTPPolicy.allCases,
        SRTPPolicy.allCases)
    func eachOther(caller: SRTPPolicy, callee: SRTPPolicy) throws {
        var calling = Sample.negotiator(srtp: caller)
        var called = OfferAnswer(
            policy: MediaPolicy(srtp: callee), sessionID: 9,
            keys: [SRTPKeying(suite: .aesCM128HMACSHA1_80, keyAndSalt: Array(repeating: 9, count: 30))])
        let possible = (caller != .off || callee != .required) && (caller != .required || callee != .off)
        let offer = calling.offer(direction: .sendrecv, local: Sample.local)
        do throws(SDPNegotiationError) {
            let (answer, theirs) = try called.receive(offer: offer, held: false, local: Sample.local)
            let ours = try calling.receive(answer: answer)
            #expect(possible)
            #expect(ours.codec == .opus)
            #expect(ours.multiplexesRTCP)
            #expect(ours.receivePayloadType == theirs?.sendPayloadType)
            if case .srtp(let send, let receive) = ours.security {
                #expect(theirs?.security == .srtp(send: receive, receive: send))
            } else {
                #expect(theirs?.security == StreamSecurity.none)
            }
        } catch {
            #expect(!possible)
        }
    }
}
