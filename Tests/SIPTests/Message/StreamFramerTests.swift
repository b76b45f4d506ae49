import SIP
import Testing

@Suite("Framing of streams") struct StreamFramerTests {
    static let message = wire(
        """
        MESSAGE sip:bob@example.com SIP/2.0
        Via: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK1
        From: <sip:alice@example.com>;tag=1
        To: <sip:bob@example.com>
        Call-ID: a@b
        CSeq: 1 MESSAGE
        l: %CL%

        two
        lines
        """)

    static func frames(_ framer: inout StreamFramer, _ octets: some Sequence<UInt8>) throws -> [StreamFramer.Frame] {
        framer.append(octets)
        var frames: [StreamFramer.Frame] = []
        while let frame = try framer.next() { frames.append(frame) }
        return frames
    }

    @Test("However the octets come, the messages are the same", arguments: [1, 2, 3, 7, 64, 100, 10_000])
    func chunks(size: Int) throws {
        let stream = Self.message + Array("\r\n".utf8) + Self.message + Self.message + Array("\r\n\r\n".utf8)
        let wanted = StreamFramer.Frame.message(try SIPMessage(parsing: Self.message))
        var framer = StreamFramer()
        var frames: [StreamFramer.Frame] = []
        var rest = stream[...]
        while !rest.isEmpty {
            frames += try Self.frames(&framer, rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        #expect(frames == [wanted, wanted, wanted, .ping])
        #expect(framer.pendingCount == 0)
    }

    @Test("The body of a message is not taken for the next one")
    func body() throws {
        var message = try SIPMessage(parsing: Self.message)
        message.body = Self.message
        var framer = StreamFramer()
        let frames = try Self.frames(&framer, message.serialized() + Self.message)
        #expect(frames.count == 2)
        if case .message(let first) = frames.first {
            #expect(first.body == Self.message)
            #expect(first.defects.isEmpty)
        }
    }

    @Test("A double line end is a ping, a single one the pong that is awaited", arguments: [true, false])
    func keepAlive(isWhole: Bool) throws {
        var framer = StreamFramer()
        framer.expectPong()
        #expect(try Self.frames(&framer, Array("\r\n".utf8)) == [.pong])
        if isWhole {
            #expect(try Self.frames(&framer, Array("\r\n\r\n".utf8)) == [.ping])
        } else {
            #expect(try Self.frames(&framer, Array("\r".utf8)) == [])
            #expect(try Self.frames(&framer, Array("\n\r".utf8)) == [])
            #expect(try Self.frames(&framer, Array("\n".utf8)) == [.ping])
        }
        #expect(try Self.frames(&framer, Self.message).count == 1)
    }

    @Test("A single line end that nobody awaits, before a message, is nothing")
    func strayLineEnd() throws {
        var framer = StreamFramer()
        #expect(try Self.frames(&framer, Array("\r\n".utf8)) == [])
        #expect(try Self.frames(&framer, Self.message + Array("\r\n".utf8)).count == 1)
    }

    @Test(
        "Without a Content-Length that can be believed the stream ends",
        arguments: [
            "", "l: x\n", "l: 1\nl: 2\n", "l: -1\n", "l: 99999999999999999999\n",
        ])
    func unframed(line: String) throws {
        let text = "BYE sip:b@example.com SIP/2.0\nVia: SIP/2.0/TCP h;branch=z9hG4bK1\nFrom: <sip:a@b>\nTo: <sip:b@b>\n"
        var framer = StreamFramer()
        framer.append(wire(text + "Call-ID: x\nCSeq: 1 BYE\n" + line + "\n"))
        do throws(StreamFramer.Failure) {
            _ = try framer.next()
            Issue.record("the stream goes on")
        } catch {
            if case .unframed(let message) = error {
                #expect(message.verdict() == .reject(status: 400, reason: "Malformed Content-Length"))
            } else {
                Issue.record("\(error)")
            }
        }
        framer.append(Self.message)
        #expect(throws: StreamFramer.Failure.self) { try framer.next() }
    }

    @Test("What is no SIP ends the stream")
    func noSIP() {
        var framer = StreamFramer()
        framer.append(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        #expect(throws: StreamFramer.Failure.malformed(.malformedStartLine)) { try framer.next() }
    }

    @Test("A head without end and a body without measure are too large")
    func tooLarge() throws {
        var framer = StreamFramer()
        let line = Array("X: ".utf8) + [UInt8](repeating: 0x41, count: 1000)
        #expect(throws: StreamFramer.Failure.tooLarge) {
            for _ in 0..<100 { _ = try Self.frames(&framer, line) }
        }
        #expect(framer.pendingCount <= SIPMessage.maximumSize + line.count)
        var other = StreamFramer()
        other.append(Array("BYE sip:b@b SIP/2.0\r\nContent-Length: 65530\r\n\r\n".utf8))
        #expect(throws: StreamFramer.Failure.tooLarge) { try other.next() }
    }
}
