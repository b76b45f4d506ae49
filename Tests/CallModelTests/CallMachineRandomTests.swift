import CallModel
import Testing

@testable import CallFakes

@Suite("Call machine, long random lives") struct CallMachineRandomTests {
    @Test("An action ends exactly once; a held call's gates are closed; after the end there is nothing")
    func lives() {
        var steps = RandomLives.steps(otherwise: 100_000)
        var seed = RandomLives.seed
        while steps > 0 {
            let life = Life(seed: seed)
            life.run()
            steps -= life.history.count
            if let wrong = life.wrong ?? life.wrongReplayed {
                Issue.record("HANDSET_MODEL_SEED=\(seed), step \(life.history.count): \(wrong)")
                return
            }
            seed += 1
        }
    }
}

/// One call from its beginning to its end, and what was wrong in it.
private final class Life {
    private var random: SeededGenerator
    private let born: CallMachine
    private var machine: CallMachine
    private var now = Duration.seconds(5)
    private(set) var history: [(event: CallEvent, at: Duration)] = []
    private var effects: [CallEffect] = []
    private(set) var wrong: String?

    private var waiting: Set<ActionID> = []
    private var attempt = 0
    private var generation = 0
    private var segment = 0
    private var gatesHeld = false
    private var gates = (muted: false, earmuffed: false)

    init(seed: UInt64) {
        random = SeededGenerator(state: seed)
        if Bool.random(using: &random) {
            machine = CallMachine(incoming: Scene.id, ringTimeout: .seconds(30), at: now)
        } else {
            machine = CallMachine(outgoing: Scene.id, start: ActionID(0), ringTimeout: .seconds(30), at: now)
            waiting.insert(ActionID(0))
        }
        born = machine
    }

    func run() {
        while history.count < 400, wrong == nil {
            now += .milliseconds(Int.random(in: 0...200, using: &random))
            let event = nextEvent()
            let wasOver = machine.state == .ended
            step(event, wasOver: wasOver)
            if wasOver { break }
        }
        step(.over(.remoteEnded), wasOver: machine.state == .ended)
        expect(waiting.isEmpty, "\(waiting.count) actions have no end")
    }

    private func nextEvent() -> CallEvent {
        let event = CallEvent.all.randomElement(using: &random) ?? .timePassed
        let step = history.count + 1
        switch event {
        case .over where Int.random(in: 0..<20, using: &random) > 0: return passTime()
        case .request(_, .end) where Int.random(in: 0..<8, using: &random) > 0: return .hold(step)
        case .request(_, .reject) where Int.random(in: 0..<4, using: &random) > 0: return .inviteSent
        case .request(_, let action): return .request(ActionID(step), action)
        case .offerSettled(_, let outcome): return .offerSettled(attempt: attempt, outcome)
        case .gatesApplied: return .gatesApplied(generation: generation)
        case .digitsSent(_, let sent): return .digitsSent(segment: segment, sent)
        case .timePassed: return passTime()
        default: return event
        }
    }

    private func passTime() -> CallEvent {
        if let deadline = machine.nextDeadline { now = max(now, deadline) }
        return .timePassed
    }

    private func step(_ event: CallEvent, wasOver: Bool) {
        history.append((event, now))
        let before = machine
        let new: [CallEffect]
        do throws(CallError) {
            new = try machine.handle(event, at: now)
        } catch {
            return expect(machine == before, "\(event) was refused and changed something")
        }
        effects += new
        if case .request(let action, _) = event { waiting.insert(action) }
        expect(!wasOver || new.isEmpty, "\(event) had effects on a call that is over: \(new)")
        for effect in new { check(effect) }
        expect(!machine.held || gatesHeld != machine.isAside, "held with open gates after \(event)")
        let aside = machine.isAside
        expect(
            gates == (machine.muted || aside, machine.earmuffed || aside),
            "the gates are not as was asked after \(event)")
        if machine.state == .connected, case .timePassed = event, let deadline = machine.nextDeadline {
            expect(deadline > now, "time stands still")
        }
        checkCapabilities()
    }

    private func check(_ effect: CallEffect) {
        switch effect {
        case .fulfil(let action, _, _), .fail(let action, _):
            expect(waiting.remove(action) != nil, "\(action) ended twice, or was none")
        case .applied(let action): expect(waiting.contains(action), "\(action) was applied after its end")
        case .renegotiate(let number):
            expect(number == attempt + 1, "attempt \(number) follows \(attempt)")
            // Whatever is offered, no sound flows until the peer has accepted it.
            expect(gatesHeld, "offered with open gates")
            attempt = number
        case .setGates(let held, let muted, let earmuffed, let number):
            expect(number == generation + 1, "gates \(number) follow \(generation)")
            gates = (muted, earmuffed)
            generation = number
            gatesHeld = held
        case .sendDigits(let digits, _, let number):
            expect(!digits.isEmpty && !digits.contains(";"), "sends \(digits)")
            segment = number
        case .over: expect(waiting.isEmpty, "over before its actions")
        default: break
        }
    }

    private func checkCapabilities() {
        let said = machine.capabilities
        if let holds = takes(.hold(-1)) { expect(said.hold == holds, "hold is said to be \(said.hold)") }
        if let plays = takes(.digits(-1, "1")) { expect(said.dtmf == plays, "dtmf is said to be \(said.dtmf)") }
    }

    /// Whether the request is possible now; nil where too much is under way, which no capability is about.
    private func takes(_ request: CallEvent) -> Bool? {
        var copy = machine
        do throws(CallError) {
            _ = try copy.handle(request, at: now)
            return true
        } catch {
            return error.reason == .busy ? nil : false
        }
    }

    /// What is wrong where the same events, at the same times, lead another way.
    var wrongReplayed: String? {
        var again = born
        var seen: [CallEffect] = []
        for (event, at) in history { seen += (try? again.handle(event, at: at)) ?? [] }
        return again == machine && seen == effects ? nil : "the same events had another outcome"
    }

    private func expect(_ holds: Bool, _ complaint: @autoclosure () -> String) {
        if !holds, wrong == nil { wrong = complaint() }
    }
}
