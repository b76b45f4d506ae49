import SIP
import Testing

@Suite("A call between two sessions") struct InviteSessionCallTests {
    private func established() -> Link {
        let link = Link()
        link.call()
        link.run(for: .seconds(1))
        link.act(.callee, .accept(Array("a0".utf8)))
        link.run(for: .seconds(1))
        return link
    }

    @Test("Dialled, ringing, answered, ended by either side", arguments: [Link.Side.caller, .callee])
    func plain(ending: Link.Side) {
        let link = established()
        #expect(link.log[.caller] == ["ringing", "answer a0", "established"])
        #expect(link.log[.callee] == ["established"])
        link.act(ending, .end)
        link.run(for: .seconds(1))
        #expect(link.log[ending]?.last == "ended local")
        #expect(link.log[ending == .caller ? .callee : .caller]?.last == "ended remote")
        #expect(link.isFinished)
    }

    @Test("A lost ACK: the 2xx comes again and is acknowledged again; each side is established once")
    func lostACK() {
        let link = Link()
        var losses = 3
        link.drops = { _, message in
            guard message.method == .ack, losses > 0 else { return false }
            losses -= 1
            return true
        }
        link.call()
        link.run(for: .seconds(1))
        link.act(.callee, .accept(Array("a0".utf8)))
        link.run(for: .seconds(10))
        #expect(link.log[.caller] == ["ringing", "answer a0", "established"])
        #expect(link.log[.callee] == ["established"])
        // 500 ms, doubled up to 4 s (RFC 3261 §13.3.1.4).
        #expect(
            link.wire.filter { $0.contains("200") }
                == ["1000 callee 200", "1500 callee 200", "2500 callee 200", "4500 callee 200"])
    }

    @Test("Without any ACK for 32 s the callee ends the call by BYE")
    func noACK() {
        let link = Link()
        link.drops = { _, message in message.method == .ack }
        link.call()
        link.run(for: .seconds(1))
        link.act(.callee, .accept(Array("a0".utf8)))
        link.run(for: .seconds(31))
        #expect(link.log[.callee] == [])
        link.run(for: .seconds(2))
        #expect(link.log[.callee]?.last?.hasPrefix("ended failed") == true)
        #expect(link.wire.contains("33000 callee BYE"))
        #expect(link.log[.caller]?.last == "ended remote")
        #expect(link.isFinished)
    }

    @Test("A lost 200 is repeated and the call is established")
    func lost200() {
        let link = Link()
        var losses = 2
        link.drops = { _, message in
            guard message.status == 200, message.method == .invite, losses > 0 else { return false }
            losses -= 1
            return true
        }
        link.call()
        link.run(for: .seconds(1))
        link.act(.callee, .accept(Array("a0".utf8)))
        link.run(for: .seconds(3))
        #expect(link.log[.caller] == ["ringing", "answer a0", "established"])
    }

    @Test("A cancelled call ends at both sides, and is answered 487")
    func cancelled() {
        let link = Link()
        link.call()
        link.run(for: .seconds(1))
        link.act(.caller, .end)
        #expect(link.log[.caller]?.last == "ended local")
        link.run(for: .seconds(1))
        #expect(link.log[.callee] == ["ended cancelled(cause: nil)"])
        #expect(link.wire.suffix(3) == ["1000 caller CANCEL", "1010 callee 200", "1010 callee 487"])
        #expect(link.isFinished)
    }

    @Test("CANCEL waits for a provisional response")
    func cancelWaits() {
        let link = Link()
        link.ringsAutomatically = false
        link.call()
        link.act(.caller, .end)
        link.run(for: .seconds(1))
        #expect(link.wire == ["0 caller INVITE"])
        #expect(link.log[.caller] == ["ended local"])
        link.act(.callee, .ring(offer: nil))
        link.run(for: .seconds(1))
        #expect(link.log[.callee] == ["ended cancelled(cause: nil)"])
    }

    @Test("CANCEL and 200 cross: the 200 is acknowledged, then comes BYE")
    func crossing() {
        let link = Link()
        link.call()
        link.run(for: .seconds(1))
        link.act(.callee, .accept(Array("a0".utf8)))
        link.act(.caller, .end)
        link.run(for: .seconds(1))
        #expect(link.log[.caller] == ["ringing", "ended local"])
        #expect(link.log[.callee] == ["established", "ended remote"])
        #expect(
            link.wire.suffix(4).map { $0.dropFirst(5) } == ["caller ACK", "caller BYE", "callee 200", "callee 200"])
        #expect(link.isFinished)
    }

    @Test("The callee that hangs up before the ACK sends BYE only after it")
    func earlyHangUp() {
        let link = Link()
        link.call()
        link.run(for: .seconds(1))
        link.act(.callee, .accept(Array("a0".utf8)))
        link.act(.callee, .end)
        #expect(link.log[.callee] == ["ended local"])
        #expect(link.wire.last == "1000 callee 200")
        link.run(for: .seconds(1))
        #expect(link.wire.contains("1020 callee BYE"))
        #expect(link.log[.caller]?.last == "ended remote")
        #expect(link.isFinished)
    }

    @Test("A refusal has its status", arguments: [(486, "Busy Here"), (603, "Decline")])
    func refused(status: Int, reason: String) {
        let link = Link()
        link.call()
        link.run(for: .seconds(1))
        link.act(.callee, .reject(status: status, reason: reason))
        link.run(for: .seconds(1))
        #expect(link.log[.caller]?.last == "ended rejected(status: \(status), reason: \"\(reason)\")")
        #expect(link.log[.callee] == ["ended local"])
    }

    @Test("A re-INVITE is answered from both sides", arguments: [Link.Side.caller, .callee])
    func reinvite(side: Link.Side) {
        let link = established()
        link.act(side, .renegotiate(attempt: 7))
        link.run(for: .seconds(1))
        #expect(link.log[side]?.suffix(2) == ["answer a:o1", "settled 7 accepted"])
        #expect(link.log[side == .caller ? .callee : .caller]?.last == "offer o1")
    }

    @Test("A refused re-INVITE leaves the session as it was")
    func refusedReinvite() {
        let link = established()
        link.refusal[.callee] = 488
        link.act(.caller, .renegotiate(attempt: 1))
        link.run(for: .seconds(1))
        #expect(link.log[.caller]?.suffix(2) == ["withdrawn", "settled 1 refused(status: 488, reason: \"No\")"])
        link.refusal = [:]
        link.act(.caller, .renegotiate(attempt: 2))
        link.run(for: .seconds(1))
        #expect(link.log[.caller]?.last == "settled 2 accepted")
    }

    @Test("Glare: both are refused 491, wait as RFC 3261 §14.1 says, and both succeed")
    func glare() {
        let link = established()
        link.act(.caller, .renegotiate(attempt: 1))
        link.act(.callee, .renegotiate(attempt: 2))
        link.run(for: .seconds(10))
        #expect(link.log[.caller]?.contains("settled 1 accepted") == true)
        #expect(link.log[.callee]?.contains("settled 2 accepted") == true)
        let invites = link.wire.filter { $0.hasSuffix("INVITE") }
        // The random numbers are the least of their range: 0 for the callee, 2.1 s for the owner of the Call-ID.
        #expect(
            invites == [
                "0 caller INVITE", "2000 caller INVITE", "2000 callee INVITE", "2020 callee INVITE",
                "4120 caller INVITE",
            ])
    }

    @Test("A newer re-offer takes the place of one that has not left")
    func superseded() {
        let link = established()
        link.act(.caller, .renegotiate(attempt: 1))
        link.act(.caller, .renegotiate(attempt: 2))
        link.act(.caller, .renegotiate(attempt: 3))
        link.run(for: .seconds(1))
        #expect(
            link.log[.caller]?.filter { $0.hasPrefix("settled") }
                == ["settled 2 superseded", "settled 1 accepted", "settled 3 accepted"])
    }

    @Test("A re-offer wished before the ACK waits for it")
    func beforeACK() {
        let link = Link()
        link.call()
        link.run(for: .seconds(1))
        link.act(.callee, .accept(Array("a0".utf8)))
        link.act(.callee, .renegotiate(attempt: 1))
        #expect(link.wire.last == "1000 callee 200")
        link.run(for: .seconds(1))
        #expect(link.wire.contains("1020 callee INVITE"))
        #expect(link.log[.callee]?.last == "settled 1 accepted")
    }

    @Test("Hanging up with a re-INVITE under way ends both sides once")
    func endDuringReinvite() {
        let link = established()
        link.act(.caller, .renegotiate(attempt: 1))
        link.act(.callee, .end)
        link.run(for: .seconds(60))
        #expect(link.log[.caller]?.filter { $0.hasPrefix("ended") } == ["ended remote"])
        #expect(link.log[.callee]?.filter { $0.hasPrefix("ended") } == ["ended local"])
        #expect(link.isFinished)
    }
}
