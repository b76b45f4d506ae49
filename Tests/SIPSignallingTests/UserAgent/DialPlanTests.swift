import CallModel
import EventLoop
import SIP
import Testing

@testable import SIPSignalling

@Suite("Whom a handle means") struct DialPlanTests {
    private static func account(_ name: String, _ uri: String) throws -> SIPAccountConfiguration {
        SIPAccountConfiguration(
            name: name, uri: try SIPURI(parsing: uri), username: "u", password: "p", registrar: nil)
    }

    private func plan() throws -> DialPlan {
        DialPlan(accounts: [
            try Self.account("office", "sip:101@pbx.example"), try Self.account("home", "sip:me@home.example:5070"),
        ])
    }

    @Test(
        "With accounts",
        arguments: [
            ("200", nil, "sip:200@pbx.example", 0), ("200", "home", "sip:200@home.example:5070", 1),
            ("+49 (30) 123-45", nil, "sip:+493012345@pbx.example", 0), ("bob", nil, "sip:bob@pbx.example", 0),
            ("tel:+49-30-1;phone-context=x", nil, "sip:+49301@pbx.example", 0),
            ("TEL:112", "home", "sip:112@home.example:5070", 1), ("*72", nil, "sip:*72@pbx.example", 0),
            ("me@HOME.example", nil, "sip:me@HOME.example", 1), ("sip:x@pbx.example", "home", "sip:x@pbx.example", 1),
            ("x@other.example", nil, "sip:x@other.example", nil), ("192.168.1.5", nil, "sip:192.168.1.5", nil),
            ("sip:192.168.1.5:5080", nil, "sip:192.168.1.5:5080", nil),
            ("192.168.1.5:5080", nil, "sip:192.168.1.5:5080", nil),
            ("sip:bob:secret@host?Route=evil", nil, "sip:bob@host", nil), ("[::1]", nil, "sip:[::1]", nil),
            ("12345", nil, "sip:12345@pbx.example", 0),
        ] as [(String, String?, String, Int?)])
    func withAccounts(value: String, name: String?, uri: String, account: Int?) throws {
        let found = try plan().destination(of: Handle(kind: .generic, value: value), account: name)
        #expect(found.uri.description == uri)
        #expect(found.account == account)
    }

    @Test(
        "Without accounts a bare word is a host",
        arguments: [
            ("doorbell.local", "sip:doorbell.local"), ("bob@10.0.0.1", "sip:bob@10.0.0.1"),
            ("10.0.0.1", "sip:10.0.0.1"),
        ])
    func direct(value: String, uri: String) throws {
        let found = try DialPlan(accounts: []).destination(of: Handle(kind: .generic, value: value), account: nil)
        #expect(found.uri.description == uri)
        #expect(found.account == nil)
    }

    @Test("Without accounts a number cannot be called", arguments: ["102", "+49 30 123", "*72", "tel:112"])
    func numberWithoutAccount(value: String) {
        #expect {
            try DialPlan(accounts: []).destination(of: Handle(kind: .generic, value: value), account: nil)
        } throws: { ($0 as? CallError)?.reason == .invalidHandle && "\($0)".contains("needs an account") }
    }

    @Test(
        "What cannot be called is an invalid handle",
        arguments: ["", "sips:a@b", "SIPS:a@b", "sip:", "sip:@host", "a@", "tel:", "a\nb", "sip:a b@c"])
    func invalid(value: String) throws {
        #expect { try self.plan().destination(of: Handle(kind: .generic, value: value), account: nil) } throws: {
            ($0 as? CallError)?.reason == .invalidHandle
        }
    }

    @Test("An account that is not configured is said to be unknown")
    func unknownAccount() throws {
        #expect {
            try self.plan().destination(of: Handle(kind: .generic, value: "1"), account: "x")
        } throws: {
            ($0 as? CallError)?.reason == .unknownAccount
        }
    }

    @Test(
        "What an end in SIP means",
        arguments: [
            (.rejected(status: 486, reason: ""), "busy"), (.rejected(status: 600, reason: ""), "busy"),
            (.rejected(status: 603, reason: ""), "declined"), (.rejected(status: 480, reason: ""), "unanswered"),
            (.rejected(status: 404, reason: ""), "failed"), (.rejected(status: 408, reason: ""), "failed"),
            (.cancelled(cause: 200), "answeredElsewhere"), (.cancelled(cause: 603), "declinedElsewhere"),
            (.cancelled(cause: nil), "unanswered"), (.cancelled(cause: 16), "unanswered"), (.local, "localEnded"),
            (.remote, "remoteEnded"), (.failed(status: 408, text: ""), "failed"),
            (.unreachable(text: ""), "failed"),
        ] as [(InviteSession.Ending, String)])
    func endings(ending: InviteSession.Ending, word: String) {
        #expect(EndReason(ending, hasRung: false).word == word)
    }

    @Test("Each stranger is spoken of once an hour, and their number is bounded")
    func strangers() {
        var log = StrangerLog()
        let start = MonotonicInstant(nanoseconds: 0)
        #expect(log.note("a", at: start) == 1)
        #expect(log.note("a", at: start + .seconds(3_599)) == nil)
        #expect(log.note("a", at: start + .seconds(3_600)) == 3)
        #expect(log.note("a", at: start + .seconds(3_601)) == nil)
        for index in 0..<5_000 { #expect(log.note("x\(index)", at: start + .seconds(4_000 + index)) == 1) }
        #expect(log.note("a", at: start + .seconds(10_000)) == 1)
    }
}
