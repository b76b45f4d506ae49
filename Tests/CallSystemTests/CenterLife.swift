import CallModel
import EventLoop
import FoundationEssentials

@testable import CallFakes
@testable import CallSystem

/// One thing that is done to a call centre. A list of them is a whole life: done again, it must end in the same way.
enum Deed {
    case ask(CallRequest)
    case transaction([CallRequest])
    case incoming(CallID)
    case tell(SignallingEvent)
    /// How the peers answer to re-offers from now on.
    case peersAnswer(OfferOutcome?)
    case deviceIsThere(Bool)
    case loopAcknowledges(Bool)
    case pass(Duration)
}

/// A call centre between fakes, what was done to it, and what was wrong with it.
@DaemonActor final class CenterLife {
    let bench: Bench
    private(set) var deeds: [Deed] = []
    private(set) var wrong: String?
    /// How many deeds it took.
    private(set) var wrongAfter = 0
    private var outcomes: [Bench.Outcome] = []
    private var transactions: [(asked: Int, reports: [[ActionReport]])] = []
    private var mirror = EventMirror()

    /// - Parameter keepsLines: whether what is asked of the fakes can be told afterwards.
    init(_ policy: CallPolicy, keepsLines: Bool = false) {
        // A life that is repeated has the same names also for the calls that the center begins by itself.
        var names = SeededGenerator(state: 0)
        bench = Bench(policy, newName: { CallID(using: &names) })
        bench.log.keepsLines = keepsLines
    }

    /// The last of what was done and of what came of it: what a person wants to see of a life that went wrong.
    var lastWords: String {
        let lately = deeds.filter { if case .pass = $0 { false } else { true } }.suffix(12).map { "\($0)" }
        let calls = bench.center.calls.map { "\(bench.log.name($0.id)) \($0)" }
        return (lately + bench.log.lines.suffix(30) + calls).joined(separator: "\n")
    }

    func perform(_ deed: Deed) {
        deeds.append(deed)
        switch deed {
        case .ask(let request): outcomes.append(bench.ask(request))
        case .transaction(let requests):
            let number = transactions.count
            transactions.append((requests.count, []))
            bench.center.transaction(requests, readAt: bench.clock.now) { [weak self] result in
                self?.transactions[number].reports.append((try? result.get()) ?? [])
            }
        case .incoming(let call): bench.offer(call)
        case .tell(let event): bench.signalling.tell(event)
        case .peersAnswer(let outcome): bench.signalling.outcome = outcome
        case .deviceIsThere(let isThere):
            bench.media.deviceError = isThere ? nil : CallError(.deviceUnavailable, "none")
        case .loopAcknowledges(let acknowledges): bench.media.acknowledges = acknowledges
        case .pass(let duration): bench.clock.run(duration)
        }
        check()
    }

    /// Ends what there is, and looks whether anything is left over.
    func end() {
        for deed in [Deed.loopAcknowledges(true), .pass(.seconds(30))] { perform(deed) }
        for call in bench.center.calls { perform(.ask(.end(call.id))) }
        perform(.pass(.seconds(1_000)))
        expect(bench.center.calls.isEmpty, "calls are left")
        expect(outcomes.allSatisfy { $0.results.count == 1 }, "a request has not ended exactly once")
        for (asked, reports) in transactions {
            expect(reports.count == 1 && reports[0].count == asked, "a transaction of \(asked) ended as \(reports)")
        }
        expect(bench.media.ring == nil && bench.media.tone == nil, "something still sounds")
        expect(bench.media.gates.isEmpty, "media is still open")
    }

    // MARK: What must be true at every moment

    private func check() {
        let calls = bench.center.calls
        let conversations = calls.filter { $0.service == nil }
        // A call that is being ended is closed to media already.
        let audible = conversations.filter {
            $0.state == .connected && !$0.held && bench.media.gates[$0.id]?.held == false
        }
        let alone = audible.filter { $0.group == nil }.count + Set(audible.compactMap(\.group)).count
        expect(alone <= 1, "\(audible.count) calls are active")
        // One that takes another one's place is there beside it until it is connected.
        expect(
            conversations.count <= 2 * bench.center.policy.maximumCalls
                && calls.count - conversations.count <= CallCenter.serviceCapacity, "there are \(calls.count) calls")
        for call in calls {
            expect(call.group == nil || calls.count { $0.group == call.group } > 1, "a group of one")
            guard let gates = bench.media.gates[call.id] else { continue }
            // A member of a group whose others go on is silenced by its switches.
            let isAside = bench.center.policy.groupHold == .keep && gates.muted && gates.earmuffed
            expect(!call.held || gates.held || (isAside && call.group != nil), "a held call's gates are open")
            expect(
                isAside || (gates.muted == call.muted && gates.earmuffed == call.earmuffed),
                "the gates are not as the switches")
            expect(bench.media.groups[call.id] == call.group, "media has it in another group")
        }
        if deeds.count.isMultiple(of: 4) { checkCapabilities(calls) }
        expect(bench.log.misuses.isEmpty, "\(bench.log.misuses)")
        mirror.take(bench.takenEventsWhole())
        expect(mirror.wrong == nil, mirror.wrong ?? "")
        // What observers know is behind by what is told in a later turn of the loop: nothing, once time has passed.
        if case .pass? = deeds.last { expect(mirror.calls == calls, "the events do not add up to the calls") }
    }

    private func checkCapabilities(_ calls: [CallSnapshot]) {
        for call in calls {
            let others = calls.filter { $0.id != call.id && ($0.group == nil || $0.group != call.group) }
            let merges = others.map { isPossible(.merge([call.id, $0.id])) }
            let said = call.capabilities
            let possible = CallCapabilities(
                hold: isPossible(.hold(call.id)), group: merges.contains(true), ungroup: isPossible(.split(call.id)),
                dtmf: DigitString("1").map { isPossible(.dtmf(call.id, $0)) } ?? false,
                transfer: isPossible(.transfer(call.id, to: .handle(.alice))))
            expect(said == possible, "\(said) are said, and possible is \(possible)")
        }
    }

    private func isPossible(_ request: CallRequest) -> Bool { (try? bench.center.check(request)) != nil }

    private func expect(_ holds: Bool, _ complaint: @autoclosure () -> String) {
        guard !holds, wrong == nil else { return }
        wrong = "deed \(deeds.count): \(complaint())"
        wrongAfter = deeds.count
    }

    /// All that can be seen of it from outside: the calls, how each request ended, and what was asked of the fakes.
    var trace: [String] {
        let results = outcomes.flatMap(\.results) + transactions.flatMap { $0.reports.joined() }.map(\.result)
        let ends = results.map { result in
            switch result {
            case .success(let result): "\(words(result.call)) \(result.changed) \(result.elapsedMs)"
            case .failure(let error): "\(error)"
            }
        }
        return ends + bench.center.calls.map(words) + ["\(bench.log.count)"]
    }

    /// The call without the name of its group, which is another one each time.
    private func words(_ call: CallSnapshot) -> String {
        var call = call
        let isGrouped = call.group != nil
        call.group = nil
        return "\(call) \(isGrouped)"
    }
}

/// The calls as who follows the events sees them.
private struct EventMirror {
    private(set) var calls: [CallSnapshot] = []
    private(set) var wrong: String?

    mutating func take(_ events: [CallCenterEvent]) {
        for event in events where wrong == nil {
            switch event {
            case .started(let call), .incoming(let call):
                if calls.contains(where: { $0.id == call.id }) { wrong = "call \(call.id) began twice" }
                calls.append(call)
            case .updated(let call, let changed):
                guard let index = calls.firstIndex(where: { $0.id == call.id }) else {
                    wrong = "an unknown call was updated"
                    continue
                }
                if changed.isEmpty || changed != call.changed(since: calls[index]) {
                    wrong = "\(changed) are said to have changed, and \(call.changed(since: calls[index])) have"
                }
                calls[index] = call
            case .ended(let call):
                if call.state != .ended || call.endReason == nil { wrong = "ended as \(call.state)" }
                // One call too many is told of by its end alone.
                let isKnown = calls.contains { $0.id == call.id }
                if !isKnown, call.endReason != .busy { wrong = "an unknown call ended" }
                calls.removeAll { $0.id == call.id }
            default: break
            }
        }
    }
}
