import AudioLoop
import Codecs
import MediaDescription
import Playout
import Testing

@Suite("From mouth to ear") struct DelayTests {
    /// Two loops in one call, turned one after the other. Returns when the click that A's microphone hears at `click` is
    /// played by B, in samples after it, the two periods that lie ahead of a loudspeaker included.
    private func delay(_ codec: Codec, turnsBFirst: Bool, milliseconds: Int = 20, isLowDelay: Bool = false) throws
        -> Int
    {
        try measure(codec, turnsBFirst: turnsBFirst, milliseconds: milliseconds, isLowDelay: isLowDelay).delay
    }

    private func measure(
        _ codec: Codec, turnsBFirst: Bool, milliseconds: Int, isLowDelay: Bool
    ) throws -> (delay: Int, figures: CallAudioStatistics) {
        let click = 6 * 48_000
        var sound = Signals.sine(400, click, peak: 200)
        sound += Signals.sine(1_000, 4_800, peak: 20_000)
        let a = LoopBench(capture: sound)
        let b = LoopBench()
        let (alice, bob) = (
            try Peer(codec, hertz: 0, milliseconds: milliseconds, opus: OpusSettings(isLowDelay: isLowDelay)),
            try Peer(codec, hertz: 0, milliseconds: milliseconds, opus: OpusSettings(isLowDelay: isLowDelay))
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
                inbound.arrival = LoopBench.arrival
                sequence &+= 1
                #expect(bob.inject(inbound))
            }
            if !turnsBFirst { b.turn(1) }
            _ = bob.take()
        }
        let played = b.played()
        let heard = try #require(played.firstIndex { abs(Int($0)) > 4_000 })
        return (heard - click + 960, bob.call.statistics)
    }

    @Test("it takes at most 70 ms with 20 ms packets and 10 ms periods", arguments: Codec.allCases, [true, false])
    func mouthToEar(codec: Codec, turnsBFirst: Bool) throws {
        let delay = try delay(codec, turnsBFirst: turnsBFirst)
        #expect(delay <= 60 * 48, "\(Double(delay) / 48) ms")
    }

    @Test("10 ms packets and low-delay Opus take 14 ms less")
    func lowDelay() throws {
        let usual = try delay(.opus, turnsBFirst: false)
        let low = try delay(.opus, turnsBFirst: false, milliseconds: 10, isLowDelay: true)
        #expect(abs(usual - low - 14 * 48) <= 48, "\(Double(usual) / 48) ms, \(Double(low) / 48) ms")
    }

    @Test(
        "What the figures say of packet, codec and buffer is what a sound takes",
        arguments: [
            (Codec.opus, 20, false), (.opus, 10, true), (.opus, 40, false), (.opus, 60, false), (.g722, 20, false),
            (.pcma, 20, false),
        ], [true, false])
    func parts(stream: (codec: Codec, milliseconds: Int, isLowDelay: Bool), turnsBFirst: Bool) throws {
        let (delay, figures) = try measure(
            stream.codec, turnsBFirst: turnsBFirst, milliseconds: stream.milliseconds, isLowDelay: stream.isLowDelay)
        // A packet that comes just after B's turn waits for the next one in real time only, which this is not.
        let sum =
            Double(stream.milliseconds) + figures.codecMilliseconds + Double(figures.playout.waited) / 48 + 10
            + (turnsBFirst ? 10 : 0)
        #expect(abs(Double(delay) / 48 - sum) < 3, "\(Double(delay) / 48) ms, by the figures \(sum) ms")
    }
}
