import CallModel
import Testing

@Suite("A member of a group whose others go on") struct AsideTests {
    @Test("is held by its own two switches, and its remote party is not told")
    func order() {
        var machine = Scene.connected.machine
        #expect(
            machine.follow(.request(ActionID(1), .setAside)) == [
                .setGates(held: false, muted: true, earmuffed: true, generation: 1)
            ])
        #expect(!machine.held)
        #expect(
            machine.follow(.gatesApplied(generation: 1)) == [
                .applied(ActionID(1)), .fulfil(ActionID(1), changed: true, peerNotified: false),
            ])
        #expect(machine.held && machine.isAside)
        #expect(!machine.muted && !machine.earmuffed)
    }

    @Test("is resumed without its remote party's consent, muted if it was")
    func resume() {
        var machine = Scene.aside.machine
        _ = machine.follow(.request(ActionID(1), .setMuted(true)))
        _ = machine.follow(.gatesApplied(generation: 2))
        #expect(
            machine.follow(.resume(2)) == [.setGates(held: false, muted: true, earmuffed: false, generation: 3)])
        #expect(!machine.held)
        #expect(
            machine.follow(.gatesApplied(generation: 3)) == [
                .applied(ActionID(2)), .fulfil(ActionID(2), changed: true, peerNotified: nil),
            ])
    }

    @Test("is held in earnest where that is asked for, and has been held all along")
    func inEarnest() {
        var machine = Scene.aside.machine
        #expect(
            machine.follow(.hold(1)) == [
                .setGates(held: true, muted: false, earmuffed: false, generation: 2), .setHeld(true),
                .renegotiate(attempt: 1),
            ])
        #expect(machine.held && !machine.isAside)
        #expect(
            machine.follow(.offerSettled(attempt: 1, .accepted)) == [
                .fulfil(ActionID(1), changed: false, peerNotified: true)
            ])
    }

    @Test("is held in earnest even where the gates still move")
    func inEarnestEarly() {
        var machine = Scene.closingAside.machine
        #expect(
            machine.follow(.hold(1)) == [
                .setGates(held: true, muted: false, earmuffed: false, generation: 2), .setHeld(true),
            ])
        #expect(machine.follow(.gatesApplied(generation: 1)) == [])
        #expect(
            machine.follow(.gatesApplied(generation: 2)) == [.applied(ActionID(901)), .renegotiate(attempt: 1)])
        #expect(machine.held)
    }

    @Test("A call that is held already stays so; one that resumes meanwhile is resumed after it")
    func others() {
        var machine = Scene.held.machine
        #expect(
            machine.follow(.request(ActionID(1), .setAside)) == [
                .fulfil(ActionID(1), changed: false, peerNotified: true)
            ])
        #expect(!machine.isAside)
        machine = Scene.closingAside.machine
        #expect(machine.follow(.resume(2)) == [])
        #expect(
            machine.follow(.gatesApplied(generation: 1)) == [
                .applied(ActionID(901)), .fulfil(ActionID(901), changed: true, peerNotified: false),
                .setGates(held: false, muted: false, earmuffed: false, generation: 2),
            ])
        #expect(!machine.held)
    }

    @Test("Where the loop does not acknowledge, it is as it was")
    func loopIsStuck() {
        var machine = Scene.closingAside.machine
        let effects = machine.follow(.timePassed, at: Scene.start + .seconds(4))
        #expect(effects.first == .setGates(held: false, muted: false, earmuffed: false, generation: 2))
        #expect(effects.last?.failure == .timedOut)
        #expect(!machine.held && !machine.isAside)
    }
}
