import CallModel
import CallSystem
import EventLoop
import Testing

@testable import CallFakes

@Suite("Call center, groups", .timeLimit(.minutes(1))) struct GroupTests {
    init() { EventLoop.shared.runInBackground() }

    /// Three calls that were answered one after the other: the last is active.
    @DaemonActor private func three(_ bench: Bench) -> [CallID] { (0..<3).map { _ in bench.answered() } }

    /// A group of three.
    @DaemonActor private func grouped(_ bench: Bench) -> [CallID] {
        let calls = three(bench)
        bench.perform(.merge(calls))
        _ = bench.log.taken()
        _ = bench.takenEvents()
        return calls
    }

    @DaemonActor private func group(_ bench: Bench, _ call: CallID) -> GroupID? {
        bench.center.snapshot(of: call)?.group
    }

    @Test("A merge resumes what is held, leaves the active call as it is, and says so") @DaemonActor
    func merge() async throws {
        let bench = Bench()
        let calls = three(bench)
        _ = bench.log.taken()
        _ = bench.takenEvents()
        let merged = bench.perform(.merge([calls[0], calls[2]]))
        let result = try #require(merged.result)
        #expect(result.changed && result.call.id == calls[0] && result.call.group != nil)
        #expect(
            bench.log.taken() == ["group A", "group C", "activate A", "held A false", "offer A 2", "gates A"])
        #expect(group(bench, calls[0]) == group(bench, calls[2]) && group(bench, calls[1]) == nil)
        #expect(bench.held(calls[0]) == false && bench.held(calls[2]) == false && bench.held(calls[1]) == true)
        #expect(bench.media.groups[calls[0]] == result.call.group && bench.media.groups[calls[1]] == nil)
        let events = bench.takenEvents()
        #expect(events.contains("call.updated C group,capabilities"), "\(events)")
        // A call joins a group.
        #expect(bench.perform(.merge([calls[1], calls[2]])).result?.call.group == result.call.group)
        #expect(calls.allSatisfy { bench.held($0) == false })
        let again = bench.perform(.merge(calls))
        #expect(again.result?.changed == false)
    }

    @Test("What cannot be merged or split is refused, and nothing is done") @DaemonActor
    func impossible() async {
        let bench = Bench()
        let first = bench.answered()
        let ringing = bench.incoming("carol")
        _ = bench.log.taken()
        #expect(bench.perform(.merge([first])).failure == .invalidState)
        #expect(bench.perform(.merge([first, first])).failure == .invalidState)
        #expect(bench.perform(.merge([first, ringing])).failure == .invalidState)
        #expect(bench.perform(.merge([first, CallID()])).failure == .unknownCall)
        #expect(bench.perform(.split(first)).failure == .invalidState)
        #expect(bench.perform(.split(CallID())).failure == .unknownCall)
        #expect(bench.log.taken() == [])
    }

    @Test("A merge that a remote party refuses leaves all as it was") @DaemonActor
    func refusedMerge() async {
        let bench = Bench()
        let calls = three(bench)
        bench.signalling.outcome = .refused(status: 488, text: "No")
        let merge = bench.ask(.merge(calls))
        bench.clock.run(.milliseconds(10))
        bench.signalling.outcome = .accepted
        bench.clock.run(.milliseconds(200))
        #expect(merge.results.count == 1 && merge.failure == .refused)
        #expect(calls.allSatisfy { group(bench, $0) == nil } && bench.media.groups.isEmpty)
        #expect(calls.map { bench.held($0) } == [true, true, false])
    }

    @Test("Any member holds and resumes all of them, and answering another call does, too") @DaemonActor
    func holdAll() async {
        let bench = Bench()
        let calls = grouped(bench)
        let hold = bench.perform(.hold(calls[1]))
        #expect(hold.result?.changed == true && hold.result?.peerNotified == true)
        #expect(hold.result?.appliedMs == 5 && hold.result?.call.id == calls[1])
        #expect(calls.allSatisfy { bench.held($0) == true && group(bench, $0) != nil })
        #expect(bench.perform(.hold(calls[0])).result?.changed == false)
        #expect(bench.perform(.resume(calls[0])).result?.changed == true)
        #expect(calls.allSatisfy { bench.held($0) == false })
        let other = bench.incoming("carol")
        #expect(bench.media.ring == .callWaiting)
        #expect(bench.perform(.answer(other)).result != nil)
        #expect(calls.allSatisfy { bench.held($0) == true } && bench.held(other) == false)
        #expect(bench.perform(.resume(calls[2])).result?.changed == true)
        #expect(calls.allSatisfy { bench.held($0) == false } && bench.held(other) == true)
    }

    @Test("The one split out is active, and the rest is held; of two, none is a group any more", arguments: [2, 3])
    @DaemonActor
    func split(members: Int) async {
        let bench = Bench()
        let calls = Array(three(bench).prefix(members))
        bench.perform(.merge(calls))
        let split = bench.perform(.split(calls[0]))
        #expect(split.result?.changed == true && split.result?.call.group == nil)
        #expect(bench.held(calls[0]) == false && calls.dropFirst().allSatisfy { bench.held($0) == true })
        #expect(calls.dropFirst().allSatisfy { (group(bench, $0) != nil) == (members > 2) })
        #expect(bench.media.groups.count == (members > 2 ? 2 : 0))
        // One out of a held group, too.
        if members > 2 {
            #expect(bench.perform(.split(calls[1])).result != nil)
            #expect(calls.map { bench.held($0) } == [true, false, true])
            #expect(calls.allSatisfy { group(bench, $0) == nil })
        }
    }

    @Test("A call that will not be resumed stays in its group") @DaemonActor
    func refusedSplit() async {
        let bench = Bench()
        let calls = grouped(bench)
        bench.perform(.hold(calls[0]))
        bench.signalling.outcome = .refused(status: 488, text: "No")
        let split = bench.perform(.split(calls[0]))
        #expect(split.failure == .refused)
        #expect(calls.allSatisfy { bench.held($0) == true && group(bench, $0) != nil })
        #expect(bench.media.groups.count == 3)
    }

    @Test("One that ends leaves the others; a group with one left is none") @DaemonActor
    func leaving() async {
        let bench = Bench()
        let calls = grouped(bench)
        bench.signalling.tell(.ended(calls[0], .remoteEnded))
        bench.clock.run(.milliseconds(100))
        #expect(group(bench, calls[1]) != nil && group(bench, calls[1]) == group(bench, calls[2]))
        bench.perform(.end(calls[1]))
        #expect(group(bench, calls[2]) == nil && bench.held(calls[2]) == false && bench.media.groups.isEmpty)
        let events = bench.takenEvents()
        #expect(events.last == "call.updated C group,capabilities", "\(events)")
    }

    @Test("Where the others are to go on, hold is between us and them, and nobody is told") @DaemonActor
    func keep() async {
        let bench = Bench(CallPolicy(groupHold: .keep))
        let calls = grouped(bench)
        let hold = bench.perform(.hold(calls[0]))
        #expect(hold.result?.changed == true && hold.result?.peerNotified == false)
        #expect(bench.log.taken() == ["gates A muted+earmuffed", "gates B muted+earmuffed", "gates C muted+earmuffed"])
        #expect(calls.allSatisfy { bench.held($0) == true })
        #expect(bench.perform(.resume(calls[0])).result?.changed == true)
        #expect(bench.log.taken() == ["gates A ", "gates B ", "gates C "].map { String($0.dropLast()) })
        // The rest of a group from which one is split goes on, too; one that is left over is held in earnest.
        bench.perform(.split(calls[0]))
        #expect(
            bench.log.taken() == ["gates B muted+earmuffed", "gates C muted+earmuffed", "ungroup A"])
        bench.perform(.split(calls[1]))
        #expect(bench.held(calls[0]) == true && bench.held(calls[1]) == false && bench.held(calls[2]) == true)
        let log = bench.log.taken()
        #expect(log.contains("offer A 3") && log.contains("offer C 1") && !log.contains("offer B 3"), "\(log)")
        #expect(bench.media.gates[calls[2]] == Gates(held: true))
    }

    @Test("The end of the second last of a group that was set aside holds the last in earnest") @DaemonActor
    func keepLeaving() async {
        let bench = Bench(CallPolicy(groupHold: .keep))
        let calls = Array(three(bench).suffix(2))
        bench.perform(.merge(calls))
        bench.perform(.hold(calls[0]))
        #expect(bench.media.gates[calls[1]] == Gates(muted: true, earmuffed: true))
        bench.signalling.tell(.ended(calls[0], .remoteEnded))
        bench.clock.run(.milliseconds(100))
        #expect(bench.held(calls[1]) == true && bench.media.gates[calls[1]] == Gates(held: true))
        #expect(bench.perform(.resume(calls[1])).result?.changed == true)
    }

    @Test("A hold that comes while calls are merged undoes the merge, and each is held in earnest") @DaemonActor
    func heldMeanwhile() async {
        let bench = Bench(CallPolicy(groupHold: .keep))
        let calls = Array(three(bench).suffix(2))
        let merge = bench.ask(.merge(calls))
        bench.clock.run(.milliseconds(5))
        let hold = bench.ask(.hold(calls[1]))
        bench.clock.run(.milliseconds(300))
        #expect(merge.failure == .superseded && hold.results.count == 1)
        #expect(calls.allSatisfy { group(bench, $0) == nil && bench.media.gates[$0]?.held == bench.held($0) })
        #expect(bench.held(calls[1]) == true)
    }

    @Test("Capabilities say what can be grouped and taken out of a group") @DaemonActor
    func capabilities() async {
        let bench = Bench()
        func can(_ call: CallID) -> String {
            guard let capabilities = bench.center.snapshot(of: call)?.capabilities else { return "?" }
            return (capabilities.group ? "g" : "-") + (capabilities.ungroup ? "u" : "-")
        }
        let first = bench.answered()
        #expect(can(first) == "--")
        let second = bench.incoming("carol")
        #expect(can(first) == "--" && can(second) == "--")
        bench.perform(.answer(second))
        #expect(can(first) == "g-" && can(second) == "g-")
        _ = bench.takenEvents()
        bench.perform(.merge([first, second]))
        #expect(can(first) == "-u" && can(second) == "-u")
        let third = bench.answered()
        #expect(can(first) == "gu" && can(third) == "g-")
        bench.perform(.end(third))
        #expect(can(first) == "-u")
        bench.perform(.end(second))
        #expect(can(first) == "--")
        #expect(bench.takenEvents().last == "call.updated A group,capabilities")
    }

    @Test("A member that ends while it is merged ends the merge, once") @DaemonActor
    func endsMeanwhile() async {
        let bench = Bench()
        let calls = three(bench)
        let merge = bench.ask(.merge(calls))
        bench.clock.run(.milliseconds(5))
        bench.signalling.tell(.ended(calls[0], .remoteEnded))
        bench.clock.run(.milliseconds(300))
        #expect(merge.results.count == 1 && merge.failure == .cancelled)
        #expect(calls.dropFirst().allSatisfy { group(bench, $0) == nil })
        #expect(bench.held(calls[1]) == true && bench.held(calls[2]) == false)
    }

    @Test("A transaction may answer a call and make a group of it at once") @DaemonActor
    func transaction() async throws {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.incoming("carol")
        let reports = try #require(try bench.transaction([.answer(second), .merge([first, second])])?.get())
        #expect(reports.allSatisfy { (try? $0.result.get())?.changed == true })
        #expect(group(bench, first) != nil && group(bench, first) == group(bench, second))
    }
}
