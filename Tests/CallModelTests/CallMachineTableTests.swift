import CallModel
import Testing

@Suite("Call machine, every state and event") struct CallMachineTableTests {
    @Test("A refused request changes nothing", arguments: Scene.allCases)
    func refusal(scene: Scene) {
        for event in CallEvent.all {
            let before = scene.machine
            var machine = before
            do throws(CallError) {
                _ = try machine.handle(event, at: Scene.start)
            } catch {
                #expect(machine == before, "\(event)")
                #expect(!error.message.isEmpty)
                if scene.isOver { #expect(error.reason == .unknownCall) }
            }
        }
    }

    @Test("Only requests are refused", arguments: Scene.allCases)
    func events(scene: Scene) {
        for event in CallEvent.all {
            if case .request = event { continue }
            var machine = scene.machine
            #expect(throws: Never.self, "\(event)") { try machine.handle(event, at: Scene.start) }
        }
    }

    @Test("Nothing comes out of a call that is over")
    func over() {
        for event in CallEvent.all {
            var machine = Scene.ended.machine
            #expect((try? machine.handle(event, at: Scene.start)) ?? [] == [], "\(event)")
        }
    }

    @Test(
        "After any event, the end of the call ends every action once and closes the stream", arguments: Scene.allCases)
    func ends(scene: Scene) {
        for event in CallEvent.all where !scene.isOver {
            var machine = scene.machine
            var effects = (try? machine.handle(event, at: Scene.start)) ?? []
            let accepted = machine != scene.machine || !effects.isEmpty
            effects += machine.follow(.over(.remoteEnded))
            #expect(machine.state == .ended)
            #expect(!machine.hasPendingActions)
            #expect(machine.nextDeadline == nil)
            let ended = effects.compactMap { $0.endedAction }
            #expect(Set(ended).count == ended.count, "\(event): \(effects)")
            if case .request = event, accepted { #expect(ended.contains(ActionID(1)), "\(event): \(effects)") }
            if case .over = effects.last {} else { Issue.record("\(event): the last effect is not .over") }
            #expect(effects.count { if case .over = $0 { true } else { false } } == 1)
        }
    }

    @Test("The gates asked for are the switches, and closed for a held call", arguments: Scene.allCases)
    func gates(scene: Scene) {
        for event in CallEvent.all {
            var machine = scene.machine
            for effect in (try? machine.handle(event, at: Scene.start)) ?? [] {
                guard case .setGates(let held, let muted, let earmuffed, _) = effect else { continue }
                #expect(muted == (machine.muted || machine.isAside))
                #expect(earmuffed == (machine.earmuffed || machine.isAside))
                #expect(held != machine.isAside || !machine.held)
            }
        }
    }

    @Test("Time alone ends every action, and never stands still", arguments: Scene.allCases)
    func deadlines(scene: Scene) {
        for event in CallEvent.all {
            var machine = scene.machine
            _ = try? machine.handle(event, at: Scene.start)
            var now = Scene.start
            var steps = 0
            while let deadline = machine.nextDeadline, now < Scene.start + .seconds(120), steps < 100 {
                #expect(deadline > now || steps == 0, "\(event)")
                now = max(now, deadline)
                _ = machine.follow(.timePassed, at: now)
                steps += 1
            }
            #expect(!machine.hasPendingActions, "\(event)")
            #expect(steps < 100, "\(event)")
        }
    }

    @Test("Capabilities tell the truth", arguments: Scene.allCases)
    func capabilities(scene: Scene) {
        let machine = scene.machine
        func accepts(_ event: CallEvent) -> Bool {
            var copy = machine
            return (try? copy.handle(event, at: Scene.start)) != nil
        }
        #expect(machine.capabilities.hold == accepts(.hold(1)))
        #expect(machine.capabilities.dtmf == accepts(.digits(1, "1")))
        #expect(machine.capabilities.transfer == accepts(.transfer(1)))
        #expect(!machine.capabilities.group && !machine.capabilities.ungroup)
    }
}
