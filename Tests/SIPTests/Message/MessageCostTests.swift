import Glibc
import SIP
import Testing

/// Eight times the input may cost eight times the processor time, not sixty-four. It is this thread's own time, so that
/// a busy machine makes no difference.
@Suite("Cost of reading", .serialized) struct MessageCostTests {
    @Test("A long list of Vias or Contacts costs in proportion to its length")
    func lists() {
        func message(_ count: Int) -> [UInt8] {
            let vias = String(repeating: "SIP/2.0/UDP h;branch=z9hG4bK1,", count: count)
            let contacts = String(repeating: "<sip:a@b>;x=y,", count: count)
            return wire(
                "OPTIONS sip:a@b SIP/2.0\nVia: \(vias)SIP/2.0/UDP h\nContact: \(contacts)<sip:a@b>\n"
                    + "From: <sip:a@b>;tag=1\nTo: <sip:a@b>\nCall-ID: x\nCSeq: 1 OPTIONS\n\n")
        }
        expectLinear(small: message(60), large: message(480))
    }

    @Test("Many headers, long folding, many parameters, quotes without end and line ends alone cost the same")
    func shapes() {
        let start = "OPTIONS sip:a@b SIP/2.0\n"
        let shapes: [(Int) -> String] = [
            { String(repeating: "Via: SIP/2.0/UDP h\n", count: $0 / 8) },
            { "Subject: x" + String(repeating: "\n y", count: $0) + "\n" },
            { "Via: SIP/2.0/UDP h" + String(repeating: ";a=b", count: $0) + "\n" },
            { "To: " + String(repeating: "\"", count: $0 * 2 + 1) + "\n" },
            { "Contact: " + String(repeating: "<", count: $0 * 4) + "\n" },
            { String(repeating: "Contact: *\n", count: $0 / 8) },
        ]
        for shape in shapes {
            expectLinear(small: wire(start + shape(240) + "\n"), large: wire(start + shape(1920) + "\n"))
        }
    }

    @Test("A stream that comes octet by octet costs in proportion to its length")
    func stream() throws {
        func octets(_ count: Int) -> [UInt8] {
            Array("OPTIONS sip:a@b SIP/2.0\r\n".utf8) + Array(String(repeating: "A: bcdefgh\r\n", count: count).utf8)
        }
        func cost(_ octets: [UInt8]) throws -> Duration {
            try best {
                var framer = StreamFramer()
                for octet in octets {
                    framer.append(CollectionOfOne(octet))
                    _ = try framer.next()
                }
            }
        }
        #expect(try cost(octets(2400)) < cost(octets(300)) * 24 + .milliseconds(2))
    }

    private func expectLinear(small: [UInt8], large: [UInt8]) {
        func cost(_ octets: [UInt8]) -> Duration { best { touchEverything(octets) } }
        #expect(cost(large) < cost(small) * 24 + .milliseconds(2))
    }

    private func best(_ body: () throws -> Void) rethrows -> Duration {
        var best = Duration.seconds(3600)
        for _ in 0..<5 {
            let start = Self.processorTime
            try body()
            best = min(best, Self.processorTime - start)
        }
        return best
    }

    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
