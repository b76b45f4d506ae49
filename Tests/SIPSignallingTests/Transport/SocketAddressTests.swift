import SIPSignalling
import Testing

@Suite("Socket and listen addresses") struct SocketAddressTests {
    @Test(
        "Numeric addresses are read and written as RFC 5952 says",
        arguments: [
            ("192.0.2.1", "192.0.2.1:5060"), ("2001:DB8:0:0:0:0:0:1", "[2001:db8::1]:5060"), ("[::1]", "[::1]:5060"),
            ("::", "[::]:5060"), ("2001:db8:0:1:0:0:0:1", "[2001:db8:0:1::1]:5060"),
            ("1:0:2:3:4:5:6:7", "[1:0:2:3:4:5:6:7]:5060"), ("1::", "[1::]:5060"),
            ("::ffff:192.0.2.9", "192.0.2.9:5060"),
        ])
    func printed(text: String, expected: String) {
        #expect(SocketAddress(host: text, port: 5060)?.description == expected)
    }

    @Test(
        "Everything else is a name or nothing",
        arguments: [
            "", "pbx.example", "1.2.3", "1.2.3.4.5", "[1.2.3.4]", "[]", "::g", "1.2.3.4 ", "[::1", "fe80::1%lo",
        ])
    func refused(text: String) {
        #expect(SocketAddress(host: text, port: 1) == nil)
    }

    @Test("Listen addresses", arguments: [("udp:0.0.0.0:5060", "udp:0.0.0.0:5060"), ("TCP:[::]:0", "tcp:[::]:0")])
    func listen(text: String, expected: String) throws {
        #expect(try ListenAddress(parsing: text).description == expected)
    }

    @Test(
        "Wrong listen addresses are refused with what is expected",
        arguments: [
            "", "udp", "udp:5060", "tls:0.0.0.0:5061", "udp:localhost:5060", "udp:::1:5060", "udp:0.0.0.0:99999",
        ])
    func refusedListen(text: String) {
        #expect(throws: SIPTransportError.invalidListenAddress(text)) { try ListenAddress(parsing: text) }
    }
}
