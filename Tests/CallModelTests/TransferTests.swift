import CallModel
import Testing

@Suite("Call machine, transfer") struct TransferTests {
    private let carol = TransferTarget.handle(Handle(kind: .generic, value: "carol"))

    @Test("The call is held first; the peer is asked when it is, and the call given up when the target has answered")
    func answered() {
        var machine = Scene.connected.machine
        #expect(
            machine.follow(.transfer(1))
                == [.setGates(held: true, muted: false, earmuffed: false, generation: 1), .setHeld(true)])
        #expect(!machine.capabilities.transfer)
        #expect(machine.follow(.gatesApplied(generation: 1)) == [.renegotiate(attempt: 1)])
        #expect(machine.follow(.offerSettled(attempt: 1, .accepted)) == [.transfer(carol, attempt: 1)])
        #expect(machine.held)
        #expect(machine.follow(.transferSettled(attempt: 1, .answered)) == [.hangUp, .closeMedia])
        #expect(
            machine.follow(.over(.localEnded))
                == [.fulfil(ActionID(1), changed: true, peerNotified: nil), .over(.transferred)])
    }

    @Test("A call that is held already is transferred at once")
    func held() {
        var machine = Scene.held.machine
        #expect(machine.follow(.transfer(1)) == [.transfer(carol, attempt: 1)])
    }

    @Test("On failure it is ours again, still held, and the action fails with the reason")
    func failed() {
        var machine = Scene.transferring.machine
        let error = CallError(.busy, "busy", sipStatus: 486)
        #expect(machine.follow(.transferSettled(attempt: 1, .failed(error))) == [.fail(ActionID(901), error)])
        #expect(machine.state == .connected && machine.held && machine.capabilities.transfer)
    }

    @Test("A peer that tells nothing has 60 s")
    func timedOut() {
        var machine = Scene.transferring.machine
        #expect(machine.nextDeadline == Scene.start + .seconds(60))
        let effects = machine.follow(.timePassed, at: Scene.start + .seconds(60))
        #expect(effects.map(\.failure) == [.timedOut])
        #expect(machine.held && machine.state == .connected)
        // What it says later changes nothing.
        #expect(machine.follow(.transferSettled(attempt: 1, .answered)) == [])
    }

    @Test("A resume takes the call back, at any moment", arguments: [Scene.transferHolding, .transferring])
    func takenBack(scene: Scene) {
        var machine = scene.machine
        let effects = machine.follow(.resume(1))
        #expect(effects.contains { $0.endedAction == ActionID(901) && $0.failure == .superseded })
        #expect(!effects.contains { $0.endedAction == ActionID(1) })
        // Where the peer has been asked already, it may be at it still.
        #expect(machine.capabilities.transfer == (scene == .transferHolding))
    }

    @Test("What a peer says late of a transfer that was taken back ends nothing", arguments: [true, false])
    func late(answered: Bool) {
        var machine = Scene.takenBack.machine
        let outcome = answered ? TransferOutcome.answered : .failed(CallError(.unanswered, "487"))
        #expect(machine.cannotBeMet?.reason == .invalidState)
        #expect(machine.follow(.transferSettled(attempt: 1, outcome)) == [])
        #expect(machine.isAudible && machine.capabilities.transfer && machine.cannotBeMet == nil)
    }

    @Test("After a transfer that was taken back, the next one waits for the peer's word, for 60 s at most")
    func again() {
        var machine = Scene.takenBack.machine
        #expect(machine.follow(.transfer(1)).map(\.failure) == [.invalidState])
        #expect(machine.isAudible)
        #expect(machine.nextDeadline == Scene.start + .seconds(60))
        let later = Scene.start + .seconds(60)
        #expect(machine.follow(.timePassed, at: later) == [])
        _ = machine.follow(.transfer(1), at: later)
        _ = machine.follow(.gatesApplied(generation: 3), at: later)
        #expect(machine.follow(.offerSettled(attempt: 3, .accepted), at: later) == [.transfer(carol, attempt: 2)])
        // What is told of the first one is not about the second.
        #expect(machine.follow(.transferSettled(attempt: 1, .answered), at: later) == [])
        #expect(machine.transferTarget == carol)
        #expect(
            machine.follow(.transferSettled(attempt: 2, .answered), at: later) == [.hangUp, .closeMedia])
    }

    @Test("Where the loop does not close the gates, nothing is transferred")
    func stuckGates() {
        var machine = Scene.transferHolding.machine
        let effects = machine.follow(.timePassed, at: Scene.start + .seconds(4))
        #expect(effects.contains { $0.endedAction == ActionID(901) && $0.failure == .timedOut })
        #expect(!machine.held)
    }

    @Test("An end meanwhile fails the transfer, the peer's as our own")
    func ended() {
        for event in [CallEvent.over(.remoteEnded), .request(ActionID(1), .end)] {
            var machine = Scene.transferring.machine
            let effects = machine.follow(event)
            #expect(effects.contains { $0.endedAction == ActionID(901) && $0.failure == .cancelled })
        }
    }

    @Test("Not to itself, not twice, and not where the peer takes no REFER")
    func refused() {
        func reason(_ scene: Scene, _ target: TransferTarget) -> FailureReason? {
            var machine = scene.machine
            do throws(CallError) {
                _ = try machine.handle(.request(ActionID(1), .transfer(target)), at: Scene.start)
                return nil
            } catch {
                return error.reason
            }
        }
        #expect(reason(.connected, .call(Scene.id)) == .invalidState)
        #expect(reason(.transferring, carol) == .invalidState)
        #expect(reason(.untransferable, carol) == .notSupported)
        #expect(reason(.ringing, carol) == .invalidState)
        #expect(reason(.connected, .call(CallID())) == nil)
    }

    @Test("A call in another one's place is held, muted and earmuffed as that one is, or is about to be")
    func inPlaceOf() {
        for (scene, held, muted) in [
            (Scene.connected, false, false), (.muted, false, true), (.closing, true, false), (.held, true, false),
            (.offeringResume, true, false), (.opening, false, false),
        ] {
            var machine = CallMachine(
                incoming: CallID(), inPlaceOf: scene.machine, ringTimeout: Scene.ringTimeout, at: Scene.start)
            _ = machine.follow(.request(ActionID(1), .answer))
            _ = machine.follow(.audioOpened(nil))
            _ = machine.follow(.established)
            #expect(machine.held == held && machine.muted == muted, "\(scene)")
            #expect(machine.isActive == !held)
        }
    }
}
