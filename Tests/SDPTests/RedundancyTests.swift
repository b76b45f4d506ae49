import MediaDescription
import SDP
import Testing

@Suite("Redundancy, extended reports and bandwidth in offer and answer") struct RedundancyTests {
    private let red = "m=audio 4000 RTP/AVP 111 63 0\r\na=rtpmap:111 opus/48000/2\r\na=rtpmap:63 red/48000/2\r\n"

    @Test("Redundancy is offered last, around Opus, unless it is off or Opus is not offered")
    func offered() {
        for policy in [RedundancyPolicy.auto, .on] {
            var negotiator = Sample.negotiator(MediaPolicy(srtp: .off, redundancy: policy))
            let offer = negotiator.offer(direction: .sendrecv, local: Sample.local)
            #expect(offer.media[0].formats.last == "97")
            #expect(offer.values("rtpmap").last == "97 red/48000/2")
            #expect(offer.values("fmtp").contains("97 96/96"))
        }
        for policy in [MediaPolicy(srtp: .off, redundancy: .off), MediaPolicy(codecs: [.pcma], srtp: .off)] {
            var negotiator = Sample.negotiator(policy)
            #expect(!negotiator.offer(direction: .sendrecv, local: Sample.local).description.contains("red/"))
        }
    }

    @Test("An answer that takes it gives both payload types, one that does not, none")
    func answered() throws {
        var negotiator = Sample.negotiator(srtp: .off)
        _ = negotiator.offer(direction: .sendrecv, local: Sample.local)
        let taken = try negotiator.receive(answer: Sample.peer(red + "a=fmtp:63 111/111"))
        #expect(taken.codec == .opus)
        #expect(taken.sendRedundancyPayloadType == 63 && taken.receiveRedundancyPayloadType == 97)
        let plain = try negotiator.receive(
            answer: Sample.peer("m=audio 4000 RTP/AVP 96\r\na=rtpmap:96 opus/48000/2"))
        #expect(plain.sendRedundancyPayloadType == nil && plain.receiveRedundancyPayloadType == nil)
    }

    @Test("We take what is offered around Opus, under the peer's numbers")
    func taken() throws {
        var negotiator = Sample.negotiator(srtp: .off)
        let offer = try Sample.peer(red + "a=fmtp:63 111/111")
        let (answer, parameters) = try negotiator.receive(offer: offer, held: false, local: Sample.local)
        #expect(answer.media[0].formats == ["111", "63"])
        #expect(answer.values("fmtp") == ["63 111/111"])
        #expect(parameters?.sendRedundancyPayloadType == 63 && parameters?.receiveRedundancyPayloadType == 63)
        // And what we offer later keeps them.
        #expect(negotiator.offer(direction: .sendonly, local: Sample.local).values("fmtp").contains("63 111/111"))
    }

    @Test(
        "Around another codec, with another clock, or where it is off here, it is left out of the answer",
        arguments: [
            ("a=fmtp:63 0/0", RedundancyPolicy.auto), ("a=fmtp:63 111/0", .auto), ("a=fmtp:63 111/111", .off),
        ])
    func refused(format: String, policy: RedundancyPolicy) throws {
        var negotiator = Sample.negotiator(MediaPolicy(srtp: .off, redundancy: policy))
        let offer = try Sample.peer(red + format)
        let (answer, parameters) = try negotiator.receive(offer: offer, held: false, local: Sample.local)
        #expect(answer.media[0].formats == ["111"])
        #expect(parameters?.sendRedundancyPayloadType == nil)
    }

    @Test("An answer never chooses redundancy for the codec")
    func first() throws {
        var negotiator = Sample.negotiator(srtp: .off)
        let offer = try Sample.peer(
            "m=audio 4000 RTP/AVP 98 111\r\na=rtpmap:98 red/48000/2\r\na=fmtp:98 111/111\r\na=rtpmap:111 opus/48000/2")
        let (answer, parameters) = try negotiator.receive(offer: offer, held: false, local: Sample.local)
        #expect(answer.media[0].formats == ["111", "98"])
        #expect(parameters?.codec == .opus && parameters?.sendPayloadType == 111)
        let alone = try Sample.peer("m=audio 4000 RTP/AVP 98\r\na=rtpmap:98 red/48000/2\r\na=fmtp:98 111/111")
        #expect(throws: SDPNegotiationError.self) {
            try negotiator.receive(offer: alone, held: false, local: Sample.local)
        }
    }

    @Test("Hostile format lines are bounded")
    func hostile() throws {
        var negotiator = Sample.negotiator(srtp: .off)
        let blocks = [String](repeating: "111", count: 10_000).joined(separator: "/")
        let offer = try Sample.parse(
            Sample.text([red + "a=fmtp:63 \(String(blocks.prefix(20_000)))"]))
        let (_, parameters) = try negotiator.receive(offer: offer, held: false, local: Sample.local)
        #expect(parameters?.codec == .opus)
    }

    @Test("Extended reports are offered, and those that both know are agreed on")
    func reports() throws {
        var negotiator = Sample.negotiator(srtp: .off)
        let offer = negotiator.offer(direction: .sendrecv, local: Sample.local)
        #expect(offer.values("rtcp-xr") == ["pkt-loss-rle voip-metrics"])
        let media = "m=audio 4000 RTP/AVP 0\r\n"
        func agreed(_ lines: String) throws -> ExtendedReports {
            try negotiator.receive(answer: Sample.peer(media + lines)).extendedReports
        }
        #expect(try agreed("a=sendrecv") == ExtendedReports())
        #expect(try agreed("a=rtcp-xr:voip-metrics") == ExtendedReports(voipMetrics: true))
        #expect(
            try agreed("a=rtcp-xr:pkt-loss-rle=512 stat-summary=loss,jitt voip-metrics rcvr-rtt=all:10000")
                == ExtendedReports(voipMetrics: true, lossRuns: true))
        var answerer = Sample.negotiator(srtp: .off)
        let answer = try answerer.receive(
            offer: Sample.peer(media + "a=rtcp-xr:voip-metrics pkt-dup-rle"), held: false, local: Sample.local)
        #expect(answer.answer.values("rtcp-xr") == ["voip-metrics"])
        #expect(answer.parameters?.extendedReports == ExtendedReports(voipMetrics: true))
        let none = try answerer.receive(offer: Sample.peer(media + "a=sendrecv"), held: false, local: Sample.local)
        #expect(none.answer.values("rtcp-xr").isEmpty)
    }

    @Test(
        "The peer's bandwidth is what is left for payload",
        arguments: [
            ("", nil), ("b=AS:64", 64_000 - 16_000), ("b=TIAS:64000", 64_000 - 4_800),
            ("b=AS:64\r\nb=TIAS:50000", 50_000 - 4_800), ("b=AS:5", 6_000), ("b=AS:0", nil), ("b=CT:64", nil),
            ("b=AS:64k", nil), ("b=AS:", nil), ("b=AS", nil), ("b=AS:-1", nil), ("b=TIAS:99999999999999", nil),
            ("b=AS:9999999999", 1_000_000_000 - 16_000),
        ] as [(String, Int?)])
    func bandwidth(line: String, payload: Int?) throws {
        var negotiator = Sample.negotiator(srtp: .off)
        let offer = try Sample.peer("m=audio 4000 RTP/AVP 0\r\n" + (line.isEmpty ? "a=sendrecv" : line))
        let found = try negotiator.receive(offer: offer, held: false, local: Sample.local).parameters?.maximumBitRate
        #expect(found == payload)
    }

    @Test("The session's bandwidth counts where the stream has none of its own, and both are written as they were read")
    func session() throws {
        let head = "v=0\r\no=peer 1 1 IN IP4 198.51.100.5\r\ns=-\r\nc=IN IP4 198.51.100.5\r\nb=AS:40\r\nt=0 0\r\n"
        var negotiator = Sample.negotiator(srtp: .off)
        let outer = try Sample.parse(head + "m=audio 4000 RTP/AVP 0\r\n")
        #expect(
            try negotiator.receive(offer: outer, held: false, local: Sample.local).parameters?.maximumBitRate
                == 40_000 - 16_000)
        let inner = try Sample.parse(head + "m=audio 4000 RTP/AVP 0\r\nb=TIAS:30000\r\n")
        #expect(
            try negotiator.receive(offer: inner, held: false, local: Sample.local).parameters?.maximumBitRate
                == 30_000 - 4_800)
        #expect(try Sample.parse(inner.description) == inner)
        let many = try Sample.parse(head + [String](repeating: "b=AS:1\r\n", count: 500).joined())
        #expect(many.bandwidth.count == 8)
    }
}
