import CallModel
import CallSystem
import EventLoop
import Testing

@testable import CallFakes

@Suite("Call center, long random lives", .timeLimit(.minutes(60))) struct CallCenterRandomTests {
    private static let deedsPerLife = 1_000

    init() { EventLoop.shared.runInBackground() }

    @Test("At most one call is active, a held one is silent, every request ends once, and it is the same when repeated")
    @DaemonActor
    func lives() async {
        var steps = RandomLives.steps(otherwise: 30_000)
        var seed = RandomLives.seed
        while steps > 0 {
            var random = SeededGenerator(state: seed)
            let policy = CallPolicy(
                ringTimeoutSeconds: 20, autoResume: seed.isMultiple(of: 2),
                groupHold: seed.isMultiple(of: 3) ? .keep : .silence)
            let life = CenterLife(policy)
            while life.deeds.count < Self.deedsPerLife, life.wrong == nil {
                for deed in Self.next(life.bench, &random) { life.perform(deed) }
            }
            life.end()
            if let wrong = life.wrong ?? Self.wrongRepeated(life, policy) {
                let again = CenterLife(policy, keepsLines: true)
                for deed in life.deeds.prefix(life.wrongAfter) { again.perform(deed) }
                Issue.record("HANDSET_MODEL_SEED=\(seed) HANDSET_MODEL_STEPS=1, \(wrong)\n\(again.lastWords)")
                return
            }
            steps -= life.deeds.count
            seed += 1
            await Task.yield()
        }
    }

    @DaemonActor private static func wrongRepeated(_ life: CenterLife, _ policy: CallPolicy) -> String? {
        let again = CenterLife(policy)
        for deed in life.deeds { again.perform(deed) }
        return again.trace == life.trace ? nil : "the same deeds ended in another way"
    }

    /// What comes next, and how much time passes after it.
    @DaemonActor private static func next(_ bench: Bench, _ random: inout SeededGenerator) -> [Deed] {
        var deeds: [Deed] = []
        switch Int.random(in: 0..<60, using: &random) {
        case 0: deeds.append(.loopAcknowledges(false))
        case 1...4: deeds.append(.loopAcknowledges(true))
        case 5: deeds.append(.deviceIsThere(false))
        case 6...9: deeds.append(.deviceIsThere(true))
        case 10...13: deeds.append(.peersAnswer(.accepted))
        case 14: deeds.append(.peersAnswer(.refused(status: 488, text: "No")))
        case 15: deeds.append(.peersAnswer(nil))
        case 16...20:
            let requests = (0..<Int.random(in: 1...4, using: &random)).map { _ in request(bench, &random) }
            deeds.append(.transaction(requests))
        case 21...40: deeds.append(.ask(request(bench, &random)))
        default: if let deed = fromOutside(bench, &random) { deeds.append(deed) }
        }
        let pause = Int.random(in: 0..<100, using: &random)
        deeds.append(.pass(.milliseconds(pause == 0 ? Int.random(in: 0...30_000, using: &random) : pause)))
        return deeds
    }

    @DaemonActor private static func request(_ bench: Bench, _ random: inout SeededGenerator) -> CallRequest {
        let call = someCall(bench, &random)
        return switch Int.random(in: 0..<28, using: &random) {
        case 0: .start(.alice, account: nil, id: CallID(using: &random))
        case 1...3: .answer(call)
        case 4: .endAndAnswer(call)
        case 5: .reject(call, .busy)
        case 6: .end(call)
        case 7...10: .hold(call)
        case 11...14: .resume(call)
        case 15: .mute(call)
        case 16: .unmute(call)
        case 17: .earmuff(call)
        case 18: .unearmuff(call)
        case 19...21: .merge((0..<Int.random(in: 2...3, using: &random)).map { _ in someCall(bench, &random) })
        case 22: .split(call)
        case 26: .transfer(call, to: .handle(.alice))
        case 27: .transfer(call, to: .call(someCall(bench, &random)))
        default: DigitString("1,2;3").map { .dtmf(call, $0) } ?? .hold(call)
        }
    }

    @DaemonActor private static func fromOutside(_ bench: Bench, _ random: inout SeededGenerator) -> Deed? {
        let call = someCall(bench, &random)
        switch Int.random(in: 0..<24, using: &random) {
        case 0...3: return .incoming(CallID(using: &random))
        case 23:
            var echo = IncomingCall(id: CallID(using: &random), from: .alice)
            echo.service = .echo
            return .tell(.incoming(echo))
        case 4, 5: return .tell(.remoteHold(call, Bool.random(using: &random)))
        case 6: return .tell(.ringing(call, earlyMedia: Bool.random(using: &random)))
        case 7, 8: return bench.state(call) == .incoming ? nil : .tell(.media(call, .plain))
        case 9...12: return bench.state(call) == .incoming ? nil : .tell(.established(call))
        case 13: return .tell(.ended(call, .remoteEnded))
        case 14: return bench.state(call) == .incoming ? .tell(.ended(call, .unanswered)) : nil
        case 15: return .tell(.transferSettled(call, attempt: Int.random(in: 1...3, using: &random), .answered))
        case 16:
            let attempt = Int.random(in: 1...3, using: &random)
            return .tell(.transferSettled(call, attempt: attempt, .failed(CallError(.busy, "busy"))))
        case 17:
            return .tell(.incoming(IncomingCall(id: CallID(using: &random), from: .alice, replaces: call)))
        case 18: return .tell(.transferRequested(call, to: .alice))
        case 19: return .tell(.transferAllowed(call, Int.random(in: 0..<4, using: &random) > 0))
        case 20: return .tell(.transferProgress(call, status: 180))
        default: return .tell(.digit(call, "5", milliseconds: 100))
        }
    }

    @DaemonActor private static func someCall(_ bench: Bench, _ random: inout SeededGenerator) -> CallID {
        bench.center.calls.randomElement(using: &random)?.id ?? CallID(using: &random)
    }
}
