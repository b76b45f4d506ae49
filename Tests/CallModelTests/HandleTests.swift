import CallModel
import Testing

@testable import CallFakes

@Suite("Handles") struct HandleTests {
    @Test(
        "What people dial is understood",
        arguments: [
            ("101", Handle.Kind.phoneNumber, "101"), ("+49 (30) 123-45.6", .phoneNumber, "+4930123456"),
            ("*43#", .phoneNumber, "*43#"), ("192.168.1.21", .generic, "192.168.1.21"),
            ("10.0.0.0", .generic, "10.0.0.0"),
            ("01.23.45.67", .phoneNumber, "01234567"), ("300.1.1.1", .phoneNumber, "300111"),
            ("alice", .generic, "alice"), ("door%20bell", .generic, "door%20bell"),
            ("alice@example.org", .emailAddress, "alice@example.org"),
            ("alice@[2001:db8::1]:5062", .emailAddress, "alice@[2001:db8::1]:5062"),
            ("sip:alice@example.org;transport=tcp", .generic, "sip:alice@example.org;transport=tcp"),
            ("SIP:192.0.2.7:5080", .generic, "sip:192.0.2.7:5080"),
            ("sips:alice@example.org", .generic, "sips:alice@example.org"),
            ("tel:+49-30-123", .phoneNumber, "tel:+49-30-123"),
            ("tel:7042;phone-context=example.com", .phoneNumber, "tel:7042;phone-context=example.com"),
            ("sip:+4930123;ext=7@example.org", .generic, "sip:+4930123;ext=7@example.org"),
        ])
    func accepted(text: String, kind: Handle.Kind, value: String) throws {
        let handle = try Handle(parsing: text)
        #expect(handle == Handle(kind: kind, value: value))
        #expect("\(handle)" == value)
        #expect(try Handle(parsing: value) == handle)
    }

    @Test(
        "What cannot be dialled is refused with a reason",
        arguments: [
            "", " ", "+", "a b", "alice@", "@example.org", "sip:", "sip:@host", "sip:alice@", "sip:alice@host:0",
            "sip:alice@host:65536", "sip:alice@host:5060x", "sip:alice@[::1", "sip:alice@[]", "sip:alice@[host]",
            "sip:alice@host?Replaces=1", "sip:a<b>@host", "sip:a%2@host", "alice@exa mple.org", "tel:", "tel:abc",
            "tel:+", "sip:alice@host\r\nEvil: yes", "älice", "a\u{0}b", "http://example.org/",
            String(repeating: "1", count: 257), "sip:a@-host", "100%",
        ])
    func refused(text: String) {
        do throws(CallError) {
            let handle = try Handle(parsing: text)
            Issue.record("\(text) was read as \(handle)")
        } catch {
            #expect(error.reason == .invalidHandle)
            #expect(!error.message.isEmpty)
        }
    }

    @Test("Random bytes never trap, and what is accepted is read again as the same")
    func random() throws {
        var random = SeededGenerator(state: 1)
        let alphabet = Array("sip:tel@[]:;.?%+*#-0159azAZ ü\r\n\"<>\u{0}")
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...24, using: &random)
            let text = String((0..<length).compactMap { _ in alphabet.randomElement(using: &random) })
            guard let handle = try? Handle(parsing: text) else { continue }
            #expect(try Handle(parsing: "\(handle)") == handle)
        }
    }
}

@Suite("Digits") struct DigitStringTests {
    @Test("Digits, pauses and letters are taken, letters in upper case")
    func accepted() {
        #expect(DigitString("0123456789*#ABCDabcd,;")?.characters == "0123456789*#ABCDABCD,;")
        #expect(DigitString("")?.characters == "")
    }

    @Test("Anything else is not", arguments: ["1 2", "e", "+49", "1\n", "٣", "1️⃣", String(repeating: "1", count: 129)])
    func refused(text: String) {
        #expect(DigitString(text) == nil)
    }
}
