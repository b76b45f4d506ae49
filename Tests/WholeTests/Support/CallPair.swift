import ControlProtocol
import Testing

/// What two endpoints speak into and are heard from.
enum Medium: String, CaseIterable, CustomTestStringConvertible {
    case files, cards

    /// Those that can be had on this machine.
    static let available = VirtualCard.isAvailable ? allCases : [.files]

    var testDescription: String { rawValue }
}

/// Two endpoints in one call: alice's microphone is a 440 Hz tone, bob's one of 1,000 Hz.
final class CallPair {
    let alice: Endpoint
    let bob: Endpoint

    static let aliceTone = 440.0
    static let bobTone = 1_000.0
    /// What is heard of a microphone's tone must be above this, in dBFS; it is sent with -13.5.
    static let audible = -25.0

    init(
        host: String = "127.0.0.1", srtp: String = "optional", codecs: String? = nil, settings: String = "",
        sounds: (alice: Sound, bob: Sound)? = nil, echoUser: String? = nil
    ) throws {
        alice = try Endpoint(
            "alice", tone: Self.aliceTone, host: host, srtp: srtp, codecs: codecs, settings: settings,
            sound: sounds?.alice, echoUser: echoUser)
        bob = try Endpoint(
            "bob", tone: Self.bobTone, host: host, srtp: srtp, codecs: codecs, settings: settings, sound: sounds?.bob,
            echoUser: echoUser)
    }

    convenience init(on medium: Medium) throws {
        switch medium {
        case .files: try self.init()
        case .cards:
            let cards = (alice: try VirtualCard(tone: Self.aliceTone), bob: try VirtualCard(tone: Self.bobTone))
            try self.init(sounds: (cards.alice.sound, cards.bob.sound))
        }
    }

    /// Alice dials, bob answers, both hear each other.
    func connect() throws { try connect(expecting: [(alice, Self.bobTone), (bob, Self.aliceTone)]) }

    /// Alice dials, bob answers, and each of these hears that.
    func connect(expecting heard: [(Endpoint, Double)]) throws {
        try alice.control.request("call.start", ["handle": .string(bob.uri)])
        _ = try bob.control.event("call.incoming")
        try bob.act("call.answer")
        try alice.expectConnected()
        for (endpoint, tone) in heard { try endpoint.expectHeard(tone) }
    }

    func expectBothHeard() throws {
        try alice.expectHeard(Self.bobTone)
        try bob.expectHeard(Self.aliceTone)
    }

    /// Alice holds: nothing is heard on either side, to the sample; then she resumes.
    func holdAndResume() throws {
        let held = try alice.act("call.hold")
        #expect(held["changed"]?.bool == true)
        #expect(held["peerNotified"]?.bool == true)
        #expect(try #require(held["appliedMs"]?.double) >= 0)
        _ = try bob.control.event("call.updated") { $0["call"]?["remoteHeld"]?.bool == true }
        // The loop has acknowledged: not one sample of bob is handed to alice's card any more.
        #expect(try alice.listen(seconds: 0.5).isDigitalSilence)
        // What was in flight is played; then there is nothing.
        _ = try bob.listen(seconds: 0.5)
        #expect(try bob.listen(seconds: 0.5).isDigitalSilence)
        // Neither who holds nor who is held sends anything.
        let endpoints = [alice, bob]
        let packets = try endpoints.map { try $0.statistics()["sent"]?["packets"]?.integer }
        _ = try bob.listen(seconds: 0.2)
        #expect(try endpoints.map { try $0.statistics()["sent"]?["packets"]?.integer } == packets)
        #expect(try bob.call()["held"]?.bool == false)
        #expect(try alice.call()["remoteHeld"]?.bool == false)

        #expect(try alice.act("call.hold")["changed"]?.bool == false)
        #expect(try alice.act("call.resume")["changed"]?.bool == true)
        try expectBothHeard()
        #expect(try alice.call()["held"]?.bool == false)
        #expect(try bob.call()["remoteHeld"]?.bool == false)
    }
}
