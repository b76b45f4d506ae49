import MediaDescription
import SDP
import Testing

@Suite("Answers (RFC 3264 §6)") struct AnswerTests {
    /// An offer's m-lines, and either the answer's m-lines (port, proto, formats) or the status it is refused with.
    static let table: [(offer: [String], answer: [String], status: Int?)] = [
        (["m=audio 4000 RTP/AVP 0"], ["16384 RTP/AVP 0"], nil),
        (["m=audio 4000 RTP/AVP 8 0"], ["16384 RTP/AVP 8"], nil),
        (["m=audio 4000 RTP/AVP 0 9 8"], ["16384 RTP/AVP 9"], nil),
        (["m=audio 4000 RTP/AVP 0 111\r\na=rtpmap:111 opus/48000/2"], ["16384 RTP/AVP 111"], nil),
        (["m=audio 4000 RTP/AVP 107\r\na=rtpmap:107 OPUS/48000/2"], ["16384 RTP/AVP 107"], nil),
        // RFC 7587 §7: other opus rates and channels are malformed, the next codec is taken.
        (["m=audio 4000 RTP/AVP 107 8\r\na=rtpmap:107 opus/8000"], ["16384 RTP/AVP 8"], nil),
        (["m=audio 4000 RTP/AVP 120\r\na=rtpmap:120 pcma/8000"], ["16384 RTP/AVP 120"], nil),
        (
            ["m=audio 4000 RTP/AVP 0 101\r\na=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-16"],
            ["16384 RTP/AVP 0 101"], nil
        ),
        (
            [
                "m=audio 4000 RTP/AVP 96 101 102\r\na=rtpmap:96 opus/48000/2\r\na=rtpmap:101 telephone-event/8000\r\n"
                    + "a=rtpmap:102 telephone-event/48000"
            ], ["16384 RTP/AVP 96 102"], nil
        ),
        (
            ["m=audio 4000 RTP/AVP 96 101\r\na=rtpmap:96 opus/48000/2\r\na=rtpmap:101 telephone-event/8000"],
            ["16384 RTP/AVP 96 101"], nil
        ),
        (["m=video 5000 RTP/AVP 31 34", "m=audio 4000 RTP/AVP 0"], ["0 RTP/AVP 31 34", "16384 RTP/AVP 0"], nil),
        (["m=audio 4000 RTP/AVP 0", "m=audio 4002 RTP/AVP 8"], ["16384 RTP/AVP 0", "0 RTP/AVP 8"], nil),
        (["m=audio 0 RTP/AVP 0", "m=audio 4002 RTP/AVP 8"], ["0 RTP/AVP 0", "16384 RTP/AVP 8"], nil),
        (
            [
                "m=audio 4000 UDP/TLS/RTP/SAVPF 0", "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
                "m=audio 4002 RTP/AVP 8",
            ],
            ["0 UDP/TLS/RTP/SAVPF 0", "0 UDP/DTLS/SCTP webrtc-datachannel", "16384 RTP/AVP 8"], nil
        ),
        (["m=audio 4000 rtp/AVP 0"], ["16384 rtp/AVP 0"], nil),
        (["m=audio 4000 RTP/AVP 18 3"], [], 488),
        (["m=audio 4000 RTP/AVP 0\r\na=rtpmap:0 G723/8000"], [], 488),
        (["m=audio 4000 RTP/AVPF 0"], [], 488),
        (["m=video 4000 RTP/AVP 0"], [], 488),
        (["m=audio 0 RTP/AVP 0"], [], 488),
        (["m=audio 4000 RTP/AVP 0\r\nc=IN IP4 phone.example"], [], 488),
        (["m=audio 4000 RTP/AVP 0\r\nc=IN IP4 224.2.1.1/127"], [], 488),
        (["m=audio 4000 RTP/AVP 0\r\nc=IN IP4 239.0.0.1"], [], 488),
        (["m=audio 4000 RTP/AVP 0\r\nc=ATM NSAP 47.0091"], [], 488),
        (["m=audio 4000 RTP/AVP 0\r\nc=IN IP6 10.0.0.1"], [], 488),
        (["m=audio 4000 RTP/AVP 0\r\nc=IN IP6 2001:db8::7"], ["16384 RTP/AVP 0"], nil),
        // RFC 5118 §4.8 and §4.9: addresses of both kinds, and one of either kind.
        (
            [
                "m=audio 22334 RTP/AVP 0\r\nc=IN IP4 192.0.2.1",
                "m=video 6024 RTP/AVP 107\r\nc=IN IP6 2001:db8::1\r\na=rtpmap:107 H263-1998/90000",
            ], ["16384 RTP/AVP 0", "0 RTP/AVP 107"], nil
        ),
        (["m=audio 4000 RTP/AVP 0\r\nc=IN IP6 ::ffff:192.0.2.2"], ["16384 RTP/AVP 0"], nil),
    ]

    @Test("Every m-line is answered in order, foreign ones with port 0", arguments: table.indices)
    func everySection(row: Int) throws {
        let (offer, expected, status) = Self.table[row]
        let parsed = try Sample.parse(Sample.text(offer))
        var negotiator = Sample.negotiator(srtp: .off)
        do throws(SDPNegotiationError) {
            let (answer, parameters) = try negotiator.receive(offer: parsed, held: false, local: Sample.local)
            let lines = answer.media.map { "\($0.port) \($0.proto) \($0.formats.joined(separator: " "))" }
            #expect(lines == expected)
            #expect(answer.media.map(\.kind) == parsed.media.map(\.kind))
            #expect(parameters != nil)
            #expect(status == nil)
        } catch {
            #expect(error.sipStatus == status)
            #expect(negotiator.lastSent == nil)
        }
    }

    @Test("No c= at all is malformed")
    func noConnection() throws {
        let offer = try Sample.parse("v=0\r\no=- 1 1 IN IP4 1.1.1.1\r\nm=audio 4000 RTP/AVP 0\r\n")
        var negotiator = Sample.negotiator()
        do throws(SDPNegotiationError) {
            _ = try negotiator.receive(offer: offer, held: false, local: Sample.local)
            Issue.record("accepted")
        } catch {
            #expect(error.sipStatus == 400)
        }
    }

    @Test("Each side says in its Opus fmtp what it wants to receive")
    func opus() throws {
        var wanted = OpusParameters()
        wanted.inBandFEC = true
        wanted.maxAverageBitrate = 28_000
        var negotiator = Sample.negotiator(MediaPolicy(srtp: .off, opus: wanted))
        let offer = try Sample.peer(
            "m=audio 4000 RTP/AVP 96\r\na=rtpmap:96 opus/48000/2\r\n"
                + "a=fmtp:96 useDTX=1; maxplaybackrate=16000;cbr=1 ;stereo=0;sprop-stereo=1;maxaveragebitrate=9999999;x"
        )
        let (answer, parameters) = try negotiator.receive(offer: offer, held: false, local: Sample.local)
        let opus = try #require(parameters?.opus)
        #expect(opus.discontinuousTransmission)
        #expect(opus.constantBitrate)
        #expect(!opus.inBandFEC)
        #expect(opus.maxPlaybackRate == 16_000)
        #expect(opus.maxAverageBitrate == 510_000)
        #expect(answer.values("fmtp") == ["96 maxaveragebitrate=28000;useinbandfec=1"])
    }

    @Test(
        "Packet time follows ptime and stays below maxptime",
        arguments: [
            ("", 20), ("a=ptime:10", 10), ("a=ptime:30", 20), ("a=ptime:60\r\na=maxptime:40", 40),
            ("a=maxptime:10", 10),
            ("a=ptime:5", 10), ("a=ptime:x", 20), ("a=ptime:200", 60), ("a=ptime:20.0", 20),
        ])
    func packetTime(attributes: String, expected: Int) throws {
        var negotiator = Sample.negotiator(srtp: .off)
        let offer = try Sample.peer("m=audio 4000 RTP/AVP 0" + (attributes.isEmpty ? "" : "\r\n" + attributes))
        let (_, parameters) = try negotiator.receive(offer: offer, held: false, local: Sample.local)
        #expect(parameters?.packetMilliseconds == expected)
    }

    @Test("A re-INVITE with another packet time changes what we send, and what we wish for stays as it was")
    func packetTimeChanges() throws {
        var policy = MediaPolicy(srtp: .off, packetMilliseconds: 10)
        policy.maximumPacketMilliseconds = 20
        var negotiator = Sample.negotiator(policy)
        for (attributes, expected) in [("", 10), ("\r\na=ptime:40", 40), ("\r\na=ptime:20\r\na=maxptime:20", 20)] {
            let offer = try Sample.peer("m=audio 4000 RTP/AVP 0\(attributes)")
            let (answer, parameters) = try negotiator.receive(offer: offer, held: false, local: Sample.local)
            #expect(parameters?.packetMilliseconds == expected)
            #expect(answer.values("ptime") == ["10"] && answer.values("maxptime") == ["20"])
        }
    }

    @Test(
        "RTCP goes where rtcp-mux, a=rtcp or the next port say",
        arguments: [
            ("a=x", "198.51.100.5", 4_001), ("a=rtcp-mux", "198.51.100.5", 4_000),
            ("a=rtcp:4100", "198.51.100.5", 4_100),
            ("a=rtcp:4100 IN IP4 203.0.113.1", "203.0.113.1", 4_100),
            ("a=rtcp:4100 IN IP4 nowhere", "198.51.100.5", 4_100),
            ("a=rtcp:99999", "198.51.100.5", 4_001),
        ])
    func control(attribute: String, host: String, port: UInt16) throws {
        var negotiator = Sample.negotiator(srtp: .off)
        let offer = try Sample.peer("m=audio 4000 RTP/AVP 0\r\n" + attribute)
        let (answer, parameters) = try negotiator.receive(offer: offer, held: false, local: Sample.local)
        #expect(parameters?.remoteRTCP == MediaAddress(host: host, port: port))
        #expect(parameters?.multiplexesRTCP == (attribute == "a=rtcp-mux"))
        #expect(answer.values("rtcp-mux").count == (attribute == "a=rtcp-mux" ? 1 : 0))
    }

    @Test("Payload types that look like RTCP are not multiplexed with it")
    func rtcpLookalike() throws {
        var negotiator = Sample.negotiator(srtp: .off)
        let offer = try Sample.peer("m=audio 4000 RTP/AVP 72\r\na=rtpmap:72 PCMA/8000\r\na=rtcp-mux")
        let (answer, parameters) = try negotiator.receive(offer: offer, held: false, local: Sample.local)
        #expect(answer.values("rtcp-mux").isEmpty)
        #expect(parameters?.remoteRTCP.port == 4_001)
    }

    @Test("A port 0 in a re-offer takes the stream away, and a later one brings it back")
    func removal() throws {
        var negotiator = Sample.negotiator(srtp: .off)
        let with = try Sample.peer("m=audio 4000 RTP/AVP 0")
        let without = try Sample.peer("m=audio 0 RTP/AVP 0")
        _ = try negotiator.receive(offer: with, held: false, local: Sample.local)
        let (answer, parameters) = try negotiator.receive(offer: without, held: false, local: Sample.local)
        #expect(parameters == nil)
        #expect(answer.media[0].port == 0)
        #expect(try negotiator.receive(offer: with, held: false, local: Sample.local).parameters != nil)
    }

    @Test("A re-offer with fewer m-lines changes nothing")
    func fewerSections() throws {
        var negotiator = Sample.negotiator(srtp: .off)
        _ = try negotiator.receive(
            offer: Sample.peer("m=audio 4000 RTP/AVP 0", "m=video 5000 RTP/AVP 31"), held: false, local: Sample.local)
        let before = negotiator.lastSent
        let fewer = try Sample.peer("m=audio 4000 RTP/AVP 0")
        #expect(throws: SDPNegotiationError.self) {
            try negotiator.receive(offer: fewer, held: false, local: Sample.local)
        }
        #expect(negotiator.lastSent == before)
    }
}
