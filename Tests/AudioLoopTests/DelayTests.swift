import AudioLoop
import Codecs
import MediaDescription
import Testing

@Suite("From mouth to ear") struct DelayTests {
    /// Two loops in one call, turned one after the other. Returns when the click that A's microphone hears at `click` is
    /// played by B, in samples after it, the two periods that lie ahead of a loudspeaker included.
    private func delay(_ codec: Codec, turnsBFirst: Bool, milliseconds: Int = 20) throws -> Int {
        let click = 6 * 48_000
        var sound = Signals.sine(400, click, peak: 200)
        sound += Signals.sine(1_000, 4_800, peak: 20_000)
        let a = LoopBench(capture: sound)
        let b = LoopBench()
        let (alice, bob) = (
            try Peer(codec, hertz: 0, milliseconds: milliseconds), try Peer(codec, hertz: 0, milliseconds: milliseconds)
        )
        a.enter(alice)
        b.enter(bob)
        var sequence: UInt16 = 0
        for _ in 0..<640 {
            if turnsBFirst { b.turn(1) }
            a.turn(1)
            for packet in alice.take() where packet.kind == .audio {
                var inbound = InboundPacket()
                (inbound.sequenceNumber, inbound.payloadType, inbound.timestamp) = (sequence, 96, packet.timestamp)
                (inbound.payload, inbound.count) = (packet.payload, packet.count)
                inbound.arrival = LoopBench.now
                sequence &+= 1
                #expect(bob.inject(inbound))
            }
            if !turnsBFirst { b.turn(1) }
            _ = bob.take()
        }
        let played = b.played()
        let heard = try #require(played.firstIndex { abs(Int($0)) > 4_000 })
        return heard - click + 960
    }

    @Test("it takes at most 70 ms with 20 ms packets and 10 ms periods", arguments: Codec.allCases, [true, false])
    func mouthToEar(codec: Codec, turnsBFirst: Bool) throws {
        let delay = try delay(codec, turnsBFirst: turnsBFirst)
        #expect(delay <= 60 * 48, "\(Double(delay) / 48) ms")
    }
}
