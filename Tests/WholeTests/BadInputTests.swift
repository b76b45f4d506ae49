import ControlProtocol
import Testing

extension Whole {
    @Suite("What bad input gets", .serialized, .timeLimit(.minutes(2))) struct BadInputTests {
        /// A request that is spoilt, and the status it gets; nil: silence.
        struct Spoilt: Sendable {
            var name: String
            var status: Int?
            var method = "OPTIONS"
            var user = "alice"
            var old = ""
            var new = ""
            var body = ""
            var type = "application/sdp"
        }

        static let requests = [
            Spoilt(name: "sound", status: 200),
            Spoilt(name: "a version to come", status: 505, old: "SIP/2.0\r\nVia", new: "SIP/3.0\r\nVia"),
            Spoilt(name: "no From", status: 400, old: "From:", new: "X-From:"),
            Spoilt(name: "no Call-ID", status: 400, old: "Call-ID:", new: "X-Call-ID:"),
            Spoilt(name: "another method in CSeq", status: 400, old: "CSeq: 1 OPTIONS", new: "CSeq: 1 INVITE"),
            Spoilt(name: "a CSeq too large", status: 400, old: "CSeq: 1 ", new: "CSeq: 36893488147419103232 "),
            Spoilt(name: "a body that is not there", status: 400, old: "Content-Length: 0", new: "Content-Length: 9"),
            Spoilt(name: "a negative length", status: 400, old: "Content-Length: 0", new: "Content-Length: -9"),
            Spoilt(name: "two of To", status: 400, old: "To:", new: "To: <sip:a@b>\r\nTo:"),
            Spoilt(name: "Max-Forwards in words", status: 400, old: "Max-Forwards: 70", new: "Max-Forwards: many"),
            Spoilt(name: "a URI of another scheme", status: 416, old: "sip:alice", new: "nobodyKnows:alice"),
            Spoilt(name: "an extension", status: 420, old: "Max-Forwards", new: "Require: antigravity\r\nMax-Forwards"),
            Spoilt(name: "a method", status: 405, method: "NEWMETHOD"),
            Spoilt(name: "a dialogue that is not", status: 481, method: "BYE"),
            Spoilt(name: "nothing to cancel", status: 481, method: "CANCEL"),
            Spoilt(name: "no Via", status: nil, old: "Via:", new: "X-Via:"),
            Spoilt(name: "ACK of nothing", status: nil, method: "ACK"),
            Spoilt(name: "nobody of that name", status: 404, method: "INVITE", user: "nobody", body: sound),
            Spoilt(name: "no Contact", status: 400, method: "INVITE", old: "Contact:", new: "X-Contact:", body: sound),
            Spoilt(name: "a body of another type", status: 415, method: "INVITE", body: "hello", type: "text/plain"),
            Spoilt(name: "no SDP at all", status: 400, method: "INVITE", body: "m=m=m=\r\n\u{0}\u{1}"),
            Spoilt(name: "SDP that ends early", status: 400, method: "INVITE", body: "v=0\r\no=- 1 1 IN"),
            Spoilt(
                name: "a port too large", status: 400, method: "INVITE",
                body: sound.replacing("6000", by: "600000")),
            Spoilt(
                name: "no codec of ours", status: 488, method: "INVITE", body: sound.replacing("AVP 8", by: "AVP 3")),
            Spoilt(
                name: "a picture only", status: 488, method: "INVITE", body: sound.replacing("m=audio", by: "m=video")),
        ]

        private static let sound = """
            v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 6000 RTP/AVP 8\r\n

            """

        @Test("Malformed SIP and SDP get what the RFCs name, or silence, and no call comes of them")
        func malformed() throws {
            let alice = try Endpoint("alice", tone: nil)
            for spoilt in Self.requests {
                let peer = try DatagramPeer()
                let text = peer.request(
                    spoilt.method, user: spoilt.user, port: alice.port, body: spoilt.body, type: spoilt.type)
                peer.send(text.replacing(spoilt.old, by: spoilt.new), to: alice.port)
                if spoilt.status != nil {
                    #expect(peer.finalStatus() == spoilt.status, "\(spoilt.name)")
                } else {
                    try Self.expectNothingBefore(peer, alice, "\(spoilt.name)")
                }
            }
            let noise = [
                "", "\r\n\r\n", "\u{0}\u{1}\u{2}", "SIP/2.0 200 OK\r\n\r\n", "INVITE", ":\r\n:\r\n",
                String(repeating: "A", count: 60_000),
                "OPTIONS sip:alice SIP/2.0\r\n" + String(repeating: "\r\n ", count: 9_000),
            ]
            for text in noise {
                let peer = try DatagramPeer()
                peer.send(text, to: alice.port)
                try Self.expectNothingBefore(peer, alice, "noise: \(text.prefix(20))")
            }
            #expect(try alice.control.request("call.list")["calls"]?.array?.isEmpty == true)
            #expect(!alice.control.events.contains { $0["type"]?.string == "call.incoming" })
        }

        /// What was sent gets no answer: the first to come is that of a request sent after it.
        static func expectNothingBefore(_ peer: DatagramPeer, _ endpoint: Endpoint, _ name: String) throws {
            let request = peer.request("OPTIONS", user: endpoint.name, port: endpoint.port)
            peer.send(request, to: endpoint.port)
            let first = try #require(peer.receive(), "\(name)")
            let callID = try #require(request.split(separator: "\r\n").first { $0.hasPrefix("Call-ID:") })
            #expect(first.hasPrefix("SIP/2.0 200") && first.contains(callID), "\(name)")
        }

        @Test("A stranger gets silence, is counted, and the line that would let it in is shown")
        func strangers() throws {
            let alice = try Endpoint("alice", tone: nil, acceptFrom: "127.0.0.1/32")
            let stranger = try DatagramPeer(host: "127.0.0.2")
            for method in ["INVITE", "OPTIONS", "REGISTER", "BYE"] {
                stranger.send(stranger.request(method, user: "alice", port: alice.port), to: alice.port)
            }
            let event = try alice.control.event("daemon.requestDropped")
            #expect(event["address"]?.string == "127.0.0.2")
            _ = try eventually("all are counted") {
                try alice.control.request("daemon.status")["droppedRequests"]?.integer == 4 ? true : nil
            }
            let shown = try #require(
                try alice.control.request("daemon.status")["strangers"]?.array?.first)
            #expect(shown["address"]?.string == "127.0.0.2")
            #expect(shown["count"]?.integer == 4)
            #expect(
                shown["advice"]?.string?.contains("[direct] accept_from = [\"127.0.0.1/32\", \"127.0.0.2/32\"]") == true
            )
            #expect(stranger.receive(seconds: 0.3) == nil)
            #expect(alice.process.output.contains("127.0.0.2/32"))
            // Who is let in is answered all the same.
            let known = try DatagramPeer()
            known.send(known.request("OPTIONS", user: "alice", port: alice.port), to: alice.port)
            #expect(known.finalStatus() == 200)
        }

        @Test(
            "Garbage at the media ports is counted and dropped, and both go on hearing each other",
            arguments: ["off", "required"])
        func media(srtp: String) throws {
            let pair = try CallPair(srtp: srtp)
            try pair.connect()
            let peer = try DatagramPeer()
            var packets: [[UInt8]] = [[], [0x80], [UInt8](repeating: 0xFF, count: 1_400)]
            for length in 1..<60 { packets.append((0..<length * 3).map { _ in UInt8.random(in: 0...255) }) }
            // RTP by its looks: version 2, PCMA or Opus, and noise.
            for type in [0, 8, 9, 96, 100, 101] {
                packets.append([0x80, UInt8(type)] + (0..<170).map { _ in UInt8.random(in: 0...255) })
                packets.append([0xBF, UInt8(type)] + (0..<20).map { _ in UInt8.random(in: 0...255) })
            }
            // RTCP by its looks: a BYE and a report of 31 blocks that are not there.
            packets += [[0x81, 203, 0, 1, 1, 2, 3, 4], [0x9F, 200, 0xFF, 0xFF, 1, 2, 3, 4]]
            for packet in packets {
                for port in pair.alice.mediaPort..<(pair.alice.mediaPort + 16) { peer.send(packet, to: port) }
            }
            _ = try eventually("the garbage is counted") {
                let invalid = try pair.alice.statistics()["received"]?["invalid"]?.integer ?? 0
                return invalid >= 20 ? true : nil
            }
            try pair.expectBothHeard()
            #expect(try pair.alice.call()["state"]?.string == "connected")
        }

        @Test("A bad line gets a JSON-RPC error, and the connection lives")
        func controlLines() throws {
            let alice = try Endpoint("alice", tone: nil)
            let control = try ControlConnection(path: alice.socket)
            let lines: [(String, Int)] = [
                ("nonsense", -32_700), ("{\"jsonrpc\":\"2.0\",", -32_700), ("[]", -32_600), ("5", -32_600),
                ("{\"jsonrpc\":\"2.0\",\"id\":1}", -32_600),
                ("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"call.fly\"}", -32_601),
                ("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"call.hold\"}", -32_602),
                ("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"call.hold\",\"params\":{\"id\":7}}", -32_602),
                (String(repeating: "[", count: 60_000), -32_700), (String(repeating: "x", count: 70_000), -32_600),
                ("\u{0}", -32_700),
            ]
            for (line, code) in lines {
                try control.sendRaw(line + "\n")
                let reply = try #require(try control.readLine())
                #expect(reply["error"]?["code"]?.integer == code, "\(line.prefix(60)): \(reply.text)")
            }
            #expect(try control.request("daemon.status")["version"]?.string != nil)
            #expect(try alice.control.request("daemon.status")["version"]?.string != nil)
        }
    }
}
