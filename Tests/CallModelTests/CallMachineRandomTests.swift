import CallModel
import Testing

/// SplitMix64: a failure is found again by its seed.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

@Suite("Call machine, long random lives") struct CallMachineRandomTests {
    @Test(
        "An action ends exactly once; a held call's gates are closed; after the end there is nothing", arguments: 1...8)
    func lives(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        var steps = 0
        while steps < 20_000 {
            steps += life(&random)
        }
    }

    private func life(_ random: inout SeededGenerator) -> Int {
        var now = Duration.seconds(5)
        var waiting: Set<ActionID> = []
        var machine: CallMachine
        if Bool.random(using: &random) {
            machine = CallMachine(incoming: Scene.id, ringTimeout: .seconds(30), at: now)
        } else {
            machine = CallMachine(outgoing: Scene.id, start: ActionID(0), ringTimeout: .seconds(30), at: now)
            waiting.insert(ActionID(0))
        }
        var attempt = 0
        var generation = 0
        var segment = 0
        var gatesHeld = false
        var gates = (muted: false, earmuffed: false)
        var steps = 0
        while steps < 400 {
            steps += 1
            now += .milliseconds(Int.random(in: 0...200, using: &random))
            var event = CallEvent.all.randomElement(using: &random) ?? .timePassed
            switch event {
            case .over where !Int.random(in: 0..<20, using: &random).isMultiple(of: 20): event = .timePassed
            case .request(_, .end) where Int.random(in: 0..<8, using: &random) > 0: event = .hold(steps)
            case .request(_, .reject) where Int.random(in: 0..<4, using: &random) > 0: event = .inviteSent
            case .request(_, let action): event = .request(ActionID(steps), action)
            case .offerSettled(_, let outcome): event = .offerSettled(attempt: attempt, outcome)
            case .gatesApplied: event = .gatesApplied(generation: generation)
            case .digitsSent(_, let sent): event = .digitsSent(segment: segment, sent)
            case .timePassed: if let deadline = machine.nextDeadline { now = max(now, deadline) }
            default: break
            }
            let wasOver = machine.state == .ended
            let before = machine
            let effects: [CallEffect]
            do throws(CallError) {
                effects = try machine.handle(event, at: now)
            } catch {
                #expect(machine == before)
                continue
            }
            if case .request(let action, _) = event { waiting.insert(action) }
            if wasOver { #expect(effects.isEmpty) }
            for effect in effects {
                switch effect {
                case .fulfil(let action, _, _), .fail(let action, _):
                    #expect(waiting.remove(action) != nil, "\(action) ended twice")
                case .applied(let action): #expect(waiting.contains(action))
                case .renegotiate(let number):
                    #expect(number == attempt + 1)
                    // Whatever is offered, no sound flows until the peer has accepted it.
                    #expect(gatesHeld)
                    attempt = number
                case .setGates(let held, let muted, let earmuffed, let number):
                    #expect(number == generation + 1)
                    gates = (muted, earmuffed)
                    generation = number
                    gatesHeld = held
                case .sendDigits(let digits, let number):
                    #expect(!digits.isEmpty && !digits.contains(";"))
                    segment = number
                case .over: #expect(waiting.isEmpty)
                default: break
                }
            }
            if machine.held { #expect(gatesHeld != machine.isAside) }
            #expect(gates == (machine.muted || machine.isAside, machine.earmuffed || machine.isAside))
            if machine.state == .connected, let deadline = machine.nextDeadline, case .timePassed = event {
                #expect(deadline > now)
            }
            if machine.state == .ended, before.state == .ended { break }
        }
        _ = machine.follow(.over(.remoteEnded), at: now).map { $0.endedAction.map { waiting.remove($0) } }
        #expect(waiting.isEmpty)
        return steps
    }
}
