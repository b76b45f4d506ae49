import CallModel
import FoundationEssentials
import Testing

@Suite("Snapshots") struct SnapshotTests {
    @Test("The members that changed are named, in order")
    func changed() {
        let earlier = CallSnapshot(
            id: CallID(), direction: .outgoing, state: .ringing, handle: Handle(kind: .generic, value: "alice"))
        var later = earlier
        #expect(later.changed(since: earlier) == [])
        later.state = .connected
        later.muted = true
        later.codec = "opus"
        later.connectedAt = Date(timeIntervalSince1970: 1)
        later.capabilities.hold = true
        #expect(later.changed(since: earlier) == ["state", "muted", "capabilities", "codec", "connectedAt"])
    }

    @Test("Each member is noticed")
    func each() {
        let earlier = CallSnapshot(
            id: CallID(), direction: .outgoing, state: .ringing, handle: Handle(kind: .generic, value: "alice"))
        var later = CallSnapshot(
            id: CallID(), direction: .incoming, state: .ended, handle: Handle(kind: .generic, value: "bob"))
        (later.displayName, later.account, later.codec, later.security) = ("B", "a", "PCMA", "none")
        later.group = GroupID()
        (later.held, later.remoteHeld, later.muted, later.earmuffed) = (true, true, true, true)
        later.capabilities.dtmf = true
        later.endReason = .remoteEnded
        let date = Date(timeIntervalSince1970: 0)
        (later.startedConnectingAt, later.connectedAt, later.endedAt) = (date, date, date)
        #expect(
            later.changed(since: earlier) == [
                "id", "direction", "state", "handle", "displayName", "account", "held", "remoteHeld", "muted",
                "earmuffed", "group", "capabilities", "codec", "security", "startedConnectingAt", "connectedAt",
                "endedAt", "endReason",
            ])
    }
}

@Suite("Call names") struct CallIDTests {
    @Test("A name is read in either case and written in lower case")
    func lowerCase() throws {
        let text = "0A1B2C3D-4E5F-4071-8293-A4B5C6D7E8F9"
        let call = try #require(CallID(text))
        #expect("\(call)" == text.lowercased())
        #expect(CallID("\(call)") == call)
        #expect(CallID(call.uuid) == call)
    }

    @Test(
        "What is not a UUID is not a name",
        arguments: ["", "1", "0A1B2C3D-4E5F-4071-8293-A4B5C6D7E8F", "../../etc/passwd"])
    func refused(text: String) {
        #expect(CallID(text) == nil)
    }
}

@Suite("Event log") struct EventLogTests {
    private func log(_ count: Int, capacity: Int = 4) -> EventLog<Int> {
        var log = EventLog<Int>(instance: "run", capacity: capacity)
        for number in 0..<count { #expect(log.append(number * 10) == number + 1) }
        return log
    }

    @Test("A client is given what it missed", arguments: 0...6)
    func replay(since: Int) {
        let replay = log(6).replay(since: since, instance: "run")
        let expected = max(3, since + 1)..<7
        #expect(replay.entries.map(\.sequence) == Array(expected))
        #expect(replay.entries.map(\.event) == expected.map { ($0 - 1) * 10 })
        #expect(replay.gap == (since < 2))
    }

    @Test("Numbers of another run, or never given, are a gap", arguments: [("other", 3), ("run", 7), ("run", -1)])
    func foreign(instance: String, since: Int) {
        let replay = log(6).replay(since: since, instance: instance)
        #expect(replay.gap)
        #expect(replay.entries.map(\.sequence) == [3, 4, 5, 6])
    }

    @Test("1,024 are kept")
    func capacity() {
        var log = EventLog<Int>(instance: "run")
        for number in 1...3_000 { log.append(number) }
        #expect(log.replay(since: 1_976, instance: "run").gap == false)
        #expect(log.replay(since: 1_976, instance: "run").entries.count == 1_024)
        #expect(log.replay(since: 1_975, instance: "run").gap)
        #expect(log.sequence == 3_000)
    }

    @Test("An empty log has nothing to replay")
    func empty() {
        let replay = log(0).replay(since: 0, instance: "run")
        #expect(replay.entries.isEmpty && !replay.gap)
    }
}
