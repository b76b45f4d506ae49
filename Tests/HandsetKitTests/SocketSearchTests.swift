import Testing

@testable import HandsetKit

@Suite("Where the daemon is looked for") struct SocketSearchTests {
    @Test("The socket is looked for where handsetd makes it")
    func search() {
        let environment = ["XDG_RUNTIME_DIR": "/run/user/1000", "RUNTIME_DIRECTORY": "relative"]
        func paths(_ configured: String?, _ environment: [String: String], own: String? = nil) -> [String] {
            SocketSearch.paths(configured: configured, own: own) { environment[$0] }
        }
        #expect(paths(nil, environment) == ["/run/handset/control.sock", "/run/user/1000/handset/control.sock"])
        #expect(
            paths("/srv/phone.sock", ["RUNTIME_DIRECTORY": "/run/x"]) == [
                "/srv/phone.sock", "/run/x/control.sock", "/run/handset/control.sock",
            ])
        #expect(
            paths(nil, [:], own: "/tmp/handset-7") == ["/run/handset/control.sock", "/tmp/handset-7/control.sock"])
    }
}
