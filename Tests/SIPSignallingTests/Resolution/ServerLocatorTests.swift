import SIP
import Testing

@testable import SIPSignalling

/// A name service that knows what it is told, and fails for the rest.
struct FakeNames: NameService {
    var records: [String: [SRVRecord]] = [:]
    var hosts: [String: [String]] = [:]
    var failure = NameFailure.none

    func services(_ name: String) throws(NameFailure) -> [SRVRecord] {
        guard let found = records[name] else { throw failure }
        return found
    }

    func addresses(_ name: String) throws(NameFailure) -> [SocketAddress] {
        guard let found = hosts[name] else { throw failure }
        return found.compactMap { SocketAddress(host: $0, port: 0) }
    }
}

@Suite("Locating servers (RFC 3263)") struct ServerLocatorTests {
    static let names = FakeNames(
        records: [
            "_sip._udp.both.example": [
                SRVRecord(priority: 2, weight: 0, port: 5070, target: "second.example", ttl: 900),
                SRVRecord(priority: 1, weight: 0, port: 5062, target: "first.example", ttl: 120),
            ],
            "_sip._tcp.both.example": [SRVRecord(priority: 1, weight: 0, port: 5064, target: "first.example")],
            "_sip._tcp.stream.example": [SRVRecord(priority: 1, weight: 0, port: 5065, target: "first.example")],
            "_sip._udp.none.example": [SRVRecord(priority: 0, weight: 0, port: 0, target: "")],
            "_sip._udp.dangling.example": [SRVRecord(priority: 0, weight: 0, port: 5060, target: "missing.example")],
        ],
        hosts: [
            "first.example": ["192.0.2.1", "2001:db8::1"], "second.example": ["192.0.2.2"],
            "both.example": ["192.0.2.9"],
            "plain.example": ["192.0.2.3"], "none.example": ["192.0.2.4"], "dangling.example": ["192.0.2.5"],
            "box.local": ["192.0.2.6"],
        ])

    @Test(
        "A URI leads to these places in this order",
        arguments: [
            ("sip:a@192.0.2.50", ["udp:192.0.2.50:5060"]),
            ("sip:a@192.0.2.50:5080;transport=tcp", ["tcp:192.0.2.50:5080"]),
            ("sip:a@[2001:db8::5]", ["udp:[2001:db8::5]:5060"]),
            ("sip:a@both.example", ["udp:192.0.2.1:5062", "udp:[2001:db8::1]:5062", "udp:192.0.2.2:5070"]),
            ("sip:a@both.example;transport=tcp", ["tcp:192.0.2.1:5064", "tcp:[2001:db8::1]:5064"]),
            ("sip:a@both.example:5099", ["udp:192.0.2.9:5099"]),
            ("sip:a@stream.example", ["tcp:192.0.2.1:5065", "tcp:[2001:db8::1]:5065"]),
            ("sip:a@plain.example", ["udp:192.0.2.3:5060"]),
            ("sip:a@plain.example;transport=TCP", ["tcp:192.0.2.3:5060"]),
            ("sip:a@none.example", ["udp:192.0.2.4:5060"]), ("sip:a@dangling.example", ["udp:192.0.2.5:5060"]),
            ("sip:a@box.local", ["udp:192.0.2.6:5060"]),
            ("sip:a@plain.example;maddr=192.0.2.60", ["udp:192.0.2.60:5060"]),
        ])
    func places(uri: String, expected: [String]) throws {
        let question = try ServerQuestion(try SIPURI(parsing: uri))
        var random = SystemRandomNumberGenerator()
        let found = try ServerLocator.locate(question, using: Self.names)
        #expect(found.hops(using: &random).map(\.description) == expected)
    }

    @Test("The shortest time to live counts")
    func ttl() throws {
        let question = try ServerQuestion(try SIPURI(parsing: "sip:both.example"))
        #expect(try ServerLocator.locate(question, using: Self.names).ttl == 120)
    }

    @Test("Where nothing is found the error says so, and whether to look at the name or at the network")
    func failures() throws {
        let question = try ServerQuestion(try SIPURI(parsing: "sip:a@nowhere.example"))
        for (failure, word) in [(NameFailure.none, "name right"), (.again, "network"), (.failed, "failed")] {
            do throws(ResolutionError) {
                _ = try ServerLocator.locate(question, using: FakeNames(failure: failure))
                Issue.record("found")
            } catch {
                #expect(error.message.contains(word))
                #expect(error.message.contains("nowhere.example"))
            }
        }
    }

    @Test(
        "What cannot be reached by UDP or TCP is refused",
        arguments: ["sips:a@b.example", "tel:+123", "sip:a@b;transport=tls"])
    func refused(uri: String) throws {
        let uri = try SIPURI(parsing: uri)
        #expect(throws: ResolutionError.self) { try ServerQuestion(uri) }
    }
}
