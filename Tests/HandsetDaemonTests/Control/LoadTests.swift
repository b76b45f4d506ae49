import CallModel
import CallSystem
import ControlProtocol
import EventLoop
import Glibc
import Testing

@testable import CallFakes
@testable import HandsetDaemon

@Suite("Many calls, many clients", .serialized, .timeLimit(.minutes(20))) struct LoadTests {
    /// `HANDSET_LOAD` says how much more than what a quick test does.
    private static let times = getenv("HANDSET_LOAD").flatMap { Int(String(cString: $0)) } ?? 1

    @discardableResult
    private func ask(_ client: LineClient, _ method: String, _ call: CallID, _ more: String = "") throws -> JSONValue {
        let answer = client.ask("{\"id\":1,\"method\":\"\(method)\",\"params\":{\"id\":\"\(call)\"\(more)}}")
        return try #require(answer?["result"], "\(method): \(answer.map { $0.text } ?? "no answer")")
    }

    /// Reads events up to the one with that number; false where one is missing or out of its turn.
    private func follow(_ client: LineClient, from seen: inout Int, to last: Int) -> Bool {
        while seen < last {
            guard client.nextJSON()?["params"]?["seq"]?.integer == seen + 1 else { return false }
            seen += 1
        }
        return true
    }

    /// Reads events up to the next one of that type.
    private func read(_ client: LineClient, _ type: String, after seen: inout Int) throws {
        while true {
            let event = try #require(client.nextJSON()?["params"], "no \(type)")
            try #require(event["seq"]?.integer == seen + 1)
            seen += 1
            if event["type"]?.string == type { return }
        }
    }

    @Test("Fifty clients see every event of holds and resumes, in order, and one that has stalled harms nobody")
    func clients() async throws {
        let served = try await ServedCenter()
        let driver = try served.client()
        let readers = try (0..<50).map { _ in try served.client(isSubscribed: true) }
        let stalled = try served.client(isSubscribed: true)
        var seen = [Int](repeating: 0, count: readers.count)
        let call = CallID()
        try ask(driver, "call.start", call, ",\"handle\":\"alice\"")
        let began = MonotonicInstant.now
        let rounds = 100 * Self.times
        for round in 1...rounds {
            #expect(try ask(driver, "call.hold", call)["changed"]?.bool == true)
            #expect(try ask(driver, "call.resume", call)["changed"]?.bool == true)
            guard round.isMultiple(of: 20) || round == rounds else { continue }
            let last = await served.sequence
            for (index, reader) in readers.enumerated() {
                try #require(
                    follow(reader, from: &seen[index], to: last), "client \(index) misses one after \(seen[index])")
            }
        }
        let seconds = MonotonicInstant.now.milliseconds(since: began) / 1_000
        print("\(2 * rounds) actions in \(seconds) s, \(seen[0]) events to each of \(readers.count) clients")
        #expect(seen[0] >= 4 * rounds)
        // Who reads late reads what has come, from the first on, until it was cut off.
        #expect(stalled.nextJSON()?["params"]?["seq"]?.integer == 1)
        try ask(driver, "call.end", call)
        await served.close()
    }

    @Test("Call after call leaves no memory, descriptor or thread behind")
    func calls() async throws {
        let served = try await ServedCenter()
        let (driver, reader) = (try served.client(), try served.client(isSubscribed: true))
        var seen = 0
        var before = Footprint()
        let count = 1_000 * Self.times
        for number in 1...count {
            if number == 100 { before = Footprint() }
            let call = CallID()
            if number.isMultiple(of: 2) {
                await served.offer(call)
                try read(reader, "call.incoming", after: &seen)
                try ask(driver, "call.answer", call)
            } else {
                try ask(driver, "call.start", call, ",\"handle\":\"alice\"")
            }
            try ask(driver, "call.hold", call)
            try ask(driver, "call.resume", call)
            #expect(try ask(driver, "call.end", call)["call"]?["state"]?.string == "ended")
            let last = await served.sequence
            try #require(follow(reader, from: &seen, to: last), "an event after \(seen) is missing")
        }
        let after = Footprint()
        print("\(count) calls: \((after.resident - before.resident) / 1_024) KiB more than after 100")
        #expect(after.resident - before.resident < 1 << 20)
        #expect(after.descriptors == before.descriptors && after.threads == before.threads)
        #expect(await served.isEmpty)
        await served.close()
    }
}
