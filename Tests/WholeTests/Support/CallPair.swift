import ControlProtocol

/// Two endpoints in one call: alice's microphone is a 440 Hz tone, bob's one of 1,000 Hz.
final class CallPair {
    let alice: Endpoint
    let bob: Endpoint

    static let aliceTone = 440.0
    static let bobTone = 1_000.0
    /// What is heard of a microphone's tone must be above this, in dBFS; it is sent with -13.5.
    static let audible = -25.0

    init(srtp: String = "optional", codecs: String? = nil, settings: String = "") throws {
        alice = try Endpoint("alice", tone: Self.aliceTone, srtp: srtp, codecs: codecs, settings: settings)
        bob = try Endpoint("bob", tone: Self.bobTone, srtp: srtp, codecs: codecs, settings: settings)
    }

    /// Alice dials, bob answers, both hear each other.
    func connect() throws {
        try alice.control.request("call.start", ["handle": .string(bob.uri)])
        _ = try bob.control.event("call.incoming")
        try bob.act("call.answer")
        let alice = self.alice
        _ = try eventually("alice is connected") { try alice.call()["state"]?.string == "connected" ? true : nil }
        try expectHeard(by: alice, Self.bobTone)
        try expectHeard(by: bob, Self.aliceTone)
    }

    /// Waits until `tone` is heard, for the time a buffer takes to fill.
    func expectHeard(by endpoint: Endpoint, _ tone: Double) throws {
        _ = try eventually("\(endpoint.name) hears \(tone) Hz", within: 5) {
            try endpoint.listen(seconds: 0.3).levelDbfs(of: tone) > Self.audible ? true : nil
        }
    }
}
