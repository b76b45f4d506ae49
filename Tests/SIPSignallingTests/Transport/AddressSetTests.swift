import Testing

@testable import SIPSignalling

@Suite("Who may call (accept_from)") struct AddressSetTests {
    @Test(
        "An address is let in by an entry that holds it",
        arguments: [
            (["192.0.2.7"], "192.0.2.7", true), (["192.0.2.7"], "192.0.2.8", false),
            (["192.0.2.0/24"], "192.0.2.255", true),
            (["192.0.2.0/25"], "192.0.2.128", false), (["192.0.2.77/25"], "192.0.2.1", true),
            (["0.0.0.0/0"], "8.8.8.8", true),
            (["0.0.0.0/0"], "2001:db8::1", false), (["::/0"], "2001:db8::1", true),
            (["2001:db8::/33"], "2001:db8:8000::", false),
            (["2001:db8::/33"], "2001:db8:7fff::1", true), (["10.0.0.0/8"], "::ffff:10.1.2.3", true),
            (["::ffff:10.0.0.0/104"], "10.9.9.9", true), ([], "127.0.0.1", false),
            (["10.0.0.1", "10.0.0.2"], "10.0.0.2", true),
        ])
    func matching(entries: [String], address: String, isIn: Bool) throws {
        let address = try #require(SocketAddress(host: address, port: 5060))
        #expect(try AddressSet(entries).contains(address) == isIn)
    }

    @Test(
        "lan is loopback and the networks of our interfaces",
        arguments: [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("192.168.7.200", true), ("192.168.8.1", false),
            ("fd00:1::77", true), ("fd00:2::1", false), ("8.8.8.8", false),
        ])
    func lan(address: String, isIn: Bool) throws {
        let set = try AddressSet(["LAN"], interfaces: ["192.168.7.3/24", "fd00:1::1/64"])
        #expect(set.contains(try #require(SocketAddress(host: address, port: 0))) == isIn)
    }

    @Test("The real interfaces hold loopback")
    func real() throws {
        #expect(try AddressSet(["lan"]).contains(try #require(SocketAddress(host: "127.0.0.1", port: 0))))
    }

    @Test(
        "A wrong entry is named",
        arguments: [
            "", "wan", "pbx.example", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0/8", "::/129", "1.2.3.4/x",
        ])
    func wrong(entry: String) {
        #expect(throws: AddressSet.EntryError(entry: entry)) { try AddressSet([entry]) }
    }
}
