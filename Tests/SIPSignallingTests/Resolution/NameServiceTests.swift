import EventLoop
import SIP
import Synchronization
import Testing

@testable import SIPSignalling

@Suite("The system's names", .timeLimit(.minutes(1))) struct NameServiceTests {
    init() { EventLoop.shared.runInBackground() }

    /// The answer to `_sip._udp.a.b SRV`: priority 1, weight 2, port 5070, `c.a.b`, by a compressed name; TTL 300.
    static let answer: [UInt8] = {
        let header: [UInt8] = [0, 7, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]
        let name = Array("\u{4}_sip\u{4}_udp\u{1}a\u{1}b\0".utf8)
        let type: [UInt8] = [0, 33, 0, 1]
        let record: [UInt8] = [0xC0, 12, 0, 33, 0, 1, 0, 0, 1, 44, 0, 10, 0, 1, 0, 2, 0x13, 0xCE, 1, 0x63, 0xC0, 22]
        return [header, name, type, record].flatMap(\.self)
    }()

    @Test("SRV records are read from the octets of an answer, compressed names too")
    func answer() throws {
        let found = try SystemNameService.services(answer: Self.answer)
        #expect(found == [SRVRecord(priority: 1, weight: 2, port: 5_070, target: "c.a.b", ttl: 300)])
    }

    @Test("Answers cut or garbled anywhere are read or refused, never more")
    func hostile() {
        for count in 0..<Self.answer.count {
            _ = try? SystemNameService.services(answer: Array(Self.answer.prefix(count)))
            for octet: UInt8 in [0, 0x3F, 0xC0, 0xFF] {
                var garbled = Self.answer
                garbled[count] = octet
                _ = try? SystemNameService.services(answer: garbled)
            }
        }
        #expect(throws: NameFailure.self) { try SystemNameService.services(answer: []) }
    }

    @Test("localhost is found, and where one of its addresses is deaf the next one is tried")
    @DaemonActor func localhost() async throws {
        let server = try Fixture.answering()
        let client = try SIPEndpoint(listen: [ListenAddress(parsing: "udp:127.0.0.1:0")])
        defer { server.close() }
        defer { client.close() }
        let uri = try SIPURI(parsing: "sip:b@localhost:\(Fixture.hop(server).address.port)")
        for _ in 0..<2 {  // the second time from the cache
            let outcome = await Fixture.outcome(client, try Fixture.request(.options), to: .uri(uri))
            #expect(outcome.statuses == [200])
        }
    }

    @Test("Many questions at once are all answered, and one name is looked up once")
    @DaemonActor func many() async throws {
        let names = CountingNames()
        let resolver = Resolver(names: names)
        let questions = try (0..<40).map { try ServerQuestion(SIPURI(parsing: "sip:a@host\($0 % 20).example:5060")) }
        let answers = await withCheckedContinuation { (done: CheckedContinuation<Int, Never>) in
            let tally = Tally(of: questions.count, done)
            for question in questions { resolver.locate(question) { _ in tally.add() } }
        }
        #expect(answers == 40)
        #expect(names.count == 20)
    }
}

/// Counts to a number, then resumes.
@DaemonActor private final class Tally {
    private var count = 0
    private let all: Int
    private let done: CheckedContinuation<Int, Never>

    init(of all: Int, _ done: CheckedContinuation<Int, Never>) {
        self.all = all
        self.done = done
    }

    func add() {
        count += 1
        if count == all { done.resume(returning: count) }
    }
}

private final class CountingNames: NameService {
    private let asked = Mutex(0)
    var count: Int { asked.withLock { $0 } }

    func services(_ name: String) throws(NameFailure) -> [SRVRecord] { throw .none }

    func addresses(_ name: String) throws(NameFailure) -> [SocketAddress] {
        asked.withLock { $0 += 1 }
        throw .again
    }
}
