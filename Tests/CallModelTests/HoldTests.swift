import CallModel
import Testing

@Suite("Hold") struct HoldTests {
    @Test("The gates close before the offer leaves, and the peer's answer fulfils the hold")
    func order() {
        var machine = Scene.connected.machine
        #expect(
            machine.follow(.hold(1)) == [
                .setGates(held: true, muted: false, earmuffed: false, generation: 1), .setHeld(true),
            ])
        #expect(!machine.held)
        #expect(machine.follow(.gatesApplied(generation: 1)) == [.applied(ActionID(1)), .renegotiate(attempt: 1)])
        #expect(machine.held)
        #expect(
            machine.follow(.offerSettled(attempt: 1, .accepted)) == [
                .fulfil(ActionID(1), changed: true, peerNotified: true)
            ])
        #expect(machine.held)
    }

    @Test(
        "A peer that refuses, or whose offer won, does not make us audible",
        arguments: [OfferOutcome.refused(status: 488, text: "No"), .superseded])
    func refused(outcome: OfferOutcome) {
        var machine = Scene.offeringHold.machine
        #expect(
            machine.follow(.offerSettled(attempt: 1, outcome)) == [
                .fulfil(ActionID(901), changed: true, peerNotified: false)
            ])
        #expect(machine.held)
    }

    @Test("A peer that does not answer within 4 s of the request is held without knowing it")
    func timeOut() {
        var machine = Scene.offeringHold.machine
        #expect(machine.nextDeadline == Scene.start + .seconds(4))
        #expect(machine.follow(.timePassed, at: Scene.start + .milliseconds(3_999)) == [])
        #expect(
            machine.follow(.timePassed, at: Scene.start + .seconds(4)) == [
                .fulfil(ActionID(901), changed: true, peerNotified: false)
            ])
        #expect(machine.held)
        #expect(machine.follow(.offerSettled(attempt: 1, .accepted)) == [])
    }

    @Test("Where the loop does not acknowledge, the hold fails and the call is as it was")
    func loopIsStuck() {
        var machine = Scene.closing.machine
        let effects = machine.follow(.timePassed, at: Scene.start + .seconds(4))
        #expect(
            effects.prefix(2) == [
                .setGates(held: false, muted: false, earmuffed: false, generation: 2), .setHeld(false),
            ])
        #expect(effects.last?.failure == .timedOut)
        #expect(!machine.held)
    }

    @Test("Hold of a held call is fulfilled at once, and nothing is sent")
    func idempotent() {
        var machine = Scene.held.machine
        #expect(machine.follow(.hold(1)) == [.fulfil(ActionID(1), changed: false, peerNotified: true)])
        var open = Scene.connected.machine
        #expect(open.follow(.resume(1)) == [.fulfil(ActionID(1), changed: false, peerNotified: nil)])
    }

    @Test("Without a stream there is nothing to hold, and the call says so before")
    func noStream() {
        var machine = Scene.ringing.machine
        _ = machine.follow(.established)
        #expect(machine.state == .connected && !machine.capabilities.hold)
        #expect(machine.follow(.hold(1)).first?.failure == .holdNotSupported)
        _ = machine.follow(.streamAgreed(takesDigits: false))
        #expect(machine.capabilities.hold)
        #expect(machine.follow(.hold(1)).first?.failure == nil)
    }

    @Test("A second hold ends with the first one")
    func joined() {
        var machine = Scene.closing.machine
        #expect(machine.follow(.hold(1)) == [])
        _ = machine.follow(.gatesApplied(generation: 1))
        #expect(
            machine.follow(.offerSettled(attempt: 1, .accepted)) == [
                .fulfil(ActionID(901), changed: true, peerNotified: true),
                .fulfil(ActionID(1), changed: false, peerNotified: true),
            ])
    }

    @Test("The gates open once the peer has accepted, not before")
    func resume() {
        var machine = Scene.held.machine
        #expect(machine.follow(.resume(1)) == [.openAudio, .setHeld(false), .renegotiate(attempt: 2)])
        #expect(machine.held)
        _ = machine.follow(.audioOpened(nil))
        #expect(
            machine.follow(.offerSettled(attempt: 2, .accepted)) == [
                .setGates(held: false, muted: false, earmuffed: false, generation: 2)
            ])
        #expect(
            machine.follow(.gatesApplied(generation: 2)) == [
                .applied(ActionID(1)), .fulfil(ActionID(1), changed: true, peerNotified: nil),
            ])
        #expect(!machine.held)
    }

    @Test("A refused resume leaves the call held and fails with the peer's status")
    func resumeRefused() {
        var machine = Scene.offeringResume.machine
        let effects = machine.follow(.offerSettled(attempt: 2, .refused(status: 488, text: "Not Acceptable Here")))
        #expect(effects.first == .setHeld(true))
        guard case .fail(ActionID(902), let error) = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(error.reason == .refused && error.sipStatus == 488)
        #expect(machine.held)
    }

    @Test("A resume without an answer fails after 10 s; a peer that accepts later is told of the hold again")
    func resumeTimeOut() {
        var machine = Scene.offeringResume.machine
        let effects = machine.follow(.timePassed, at: Scene.start + .seconds(10))
        #expect(effects.first == .setHeld(true))
        #expect(effects.last?.failure == .timedOut)
        #expect(machine.held)
        let late = Scene.start + .seconds(12)
        #expect(machine.follow(.offerSettled(attempt: 2, .accepted), at: late) == [.renegotiate(attempt: 3)])
        #expect(machine.follow(.offerSettled(attempt: 3, .accepted), at: late) == [])
        #expect(machine.held)
        #expect(machine.nextDeadline == nil)
    }

    @Test("A resume during a hold waits for it")
    func resumeQueued() {
        var machine = Scene.queuedResume.machine
        _ = machine.follow(.gatesApplied(generation: 1))
        #expect(
            machine.follow(.offerSettled(attempt: 1, .accepted)) == [
                .fulfil(ActionID(901), changed: true, peerNotified: true), .openAudio, .setHeld(false),
                .renegotiate(attempt: 2),
            ])
        #expect(machine.nextDeadline == Scene.start + .seconds(10))
    }

    @Test("A hold supersedes a resume that waits, one that is offered and one that is being applied")
    func superseded() {
        var waiting = Scene.queuedResume.machine
        #expect(waiting.follow(.hold(1)).map(\.failure) == [.superseded])

        var offered = Scene.offeringResume.machine
        let effects = offered.follow(.hold(1))
        #expect(effects.map(\.failure) == [.superseded, nil, nil])
        #expect(effects.suffix(2) == [.setHeld(true), .renegotiate(attempt: 3)])
        #expect(offered.held)
        #expect(offered.follow(.offerSettled(attempt: 2, .superseded)) == [])
        #expect(
            offered.follow(.offerSettled(attempt: 3, .accepted)) == [
                .fulfil(ActionID(1), changed: false, peerNotified: true)
            ])

        var opening = Scene.opening.machine
        let closing = opening.follow(.hold(1))
        #expect(closing.first?.failure == .superseded)
        #expect(closing.contains(.setGates(held: true, muted: false, earmuffed: false, generation: 3)))
        // The acknowledgement of the gates that were to open says nothing of those that close.
        #expect(opening.follow(.gatesApplied(generation: 2)) == [])
        #expect(!opening.held)
        #expect(opening.follow(.gatesApplied(generation: 3)).contains(.renegotiate(attempt: 3)))
    }

    @Test("The remote party's hold is its own: it changes neither ours nor our gates")
    func remoteHold() {
        var machine = Scene.closing.machine
        #expect(machine.follow(.remoteHold(true)) == [])
        _ = machine.follow(.gatesApplied(generation: 1))
        _ = machine.follow(.offerSettled(attempt: 1, .accepted))
        #expect(machine.held && machine.remoteHeld)
        #expect(machine.follow(.remoteHold(false)) == [])
        #expect(machine.held && !machine.remoteHeld)
        var both = Scene.bothHeld.machine
        _ = both.follow(.resume(1))
        _ = both.follow(.offerSettled(attempt: 2, .accepted))
        _ = both.follow(.gatesApplied(generation: 2))
        #expect(!both.held && both.remoteHeld)
    }

    @Test("The end of the call fails what waits and fulfils nothing but the end")
    func endDuringHold() {
        var machine = Scene.queuedResume.machine
        let effects = machine.follow(.request(ActionID(1), .end))
        #expect(effects.compactMap(\.failure) == [.cancelled, .cancelled])
        #expect(effects.suffix(2) == [.hangUp, .closeMedia])
        #expect(machine.follow(.gatesApplied(generation: 1)) == [])
        #expect(machine.follow(.offerSettled(attempt: 1, .accepted)) == [])
        #expect(
            machine.follow(.over(.localEnded)) == [
                .fulfil(ActionID(1), changed: true, peerNotified: nil), .over(.localEnded),
            ])
    }

    @Test("Mute and earmuff survive a hold, in any combination", arguments: [false, true], [false, true])
    func switchesSurvive(muted: Bool, earmuffed: Bool) {
        var machine = Scene.connected.machine
        _ = machine.follow(.request(ActionID(1), .setMuted(muted)))
        _ = machine.follow(.request(ActionID(2), .setEarmuffed(earmuffed)))
        let closed = machine.follow(.hold(3))
        guard case .setGates(true, muted, earmuffed, let generation) = closed.first else {
            Issue.record("\(closed)")
            return
        }
        _ = machine.follow(.gatesApplied(generation: generation))
        _ = machine.follow(.offerSettled(attempt: 1, .accepted))
        _ = machine.follow(.resume(4))
        _ = machine.follow(.audioOpened(nil))
        #expect(
            machine.follow(.offerSettled(attempt: 2, .accepted)) == [
                .setGates(held: false, muted: muted, earmuffed: earmuffed, generation: generation + 1)
            ])
        #expect(machine.muted == muted && machine.earmuffed == earmuffed)
    }
}
