import Codecs
import MediaDescription
import Testing

@Suite("Concealment") struct ConcealmentTests {
    @Test("by Opus goes on with the sound and fades")
    func fades() throws {
        let encoder = try VoiceEncoder(.opus)
        let decoder = try VoiceDecoder(.opus)
        let conceals = decoder.conceals
        #expect(conceals)
        let sound = Signals.sine(400, 19_200)
        var last: [Int16] = []
        for start in stride(from: 0, to: sound.count, by: 960) {
            last = decode(decoder, encode(encoder, sound[start..<start + 960]))
        }
        let first = conceal(decoder, 480)
        #expect(first.count == 480)
        #expect(Signals.rms(first) > Signals.rms(last) / 3)
        for _ in 0..<30 { _ = conceal(decoder, 960) }
        // Its concealment of a pure tone fades slowly.
        #expect(Signals.rms(conceal(decoder, 960)) < Signals.rms(last) / 4)
    }

    @Test("is as long as the gap, in units of 2.5 ms", arguments: [120, 240, 480, 500, 960, 1_920], [0, 9])
    func length(gap: Int, complexity: Int) throws {
        let decoder = try VoiceDecoder(.opus, complexity: complexity)
        #expect(conceal(decoder, gap).count == (gap + 119) / 120 * 120)
    }

    @Test("is not what the other codecs do", arguments: Codec.allCases.filter { $0 != .opus })
    func others(codec: Codec) throws {
        let decoder = try VoiceDecoder(codec)
        let (conceals, made) = (decoder.conceals, conceal(decoder, 960))
        #expect(!conceals && made.isEmpty)
        let payload = [UInt8](repeating: 0x80, count: 160)
        #expect(!codec.hasRedundancy(in: payload, payload.count))
    }
}

@Suite("Whether a packet repeats the one before it") struct RedundancyTests {
    /// The share of a voice's packets that say they do.
    private func share(expectedLoss: Int, milliseconds: Int) throws -> Double {
        var wishes = OpusParameters()
        wishes.inBandFEC = true
        let encoder = try VoiceEncoder(
            .opus, opus: OpusSettings(bitRate: 28_000, expectedLossPercent: expectedLoss, peer: wishes))
        let length = milliseconds * 48
        let sound = Signals.voice(48_000 * 2)
        var (packets, repeating) = (0, 0)
        for start in stride(from: 0, to: sound.count - length, by: length) {
            let payload = encode(encoder, sound[start..<start + length])
            packets += 1
            repeating += Codec.opus.hasRedundancy(in: payload, payload.count) ? 1 : 0
        }
        return Double(repeating) / Double(max(packets, 1))
    }

    @Test("is read from its first bits", arguments: [10, 20, 40, 60])
    func flags(milliseconds: Int) throws {
        #expect(try share(expectedLoss: 0, milliseconds: milliseconds) == 0)
        #expect(try share(expectedLoss: 20, milliseconds: milliseconds) > 0.6)
    }

    @Test("is no for what is no packet of that kind")
    func others() {
        for first in UInt8.min...UInt8.max {
            for length in 1...6 {
                let payload = [first] + [UInt8](repeating: 0xFF, count: length - 1)
                let says = Codec.opus.hasRedundancy(in: payload, payload.count)
                // CELT has no redundancy (RFC 6716 table 2: configurations 16 and up), nor has an empty frame.
                if first >= 0x80 || length == 1 { #expect(!says) }
            }
        }
        #expect(!Codec.opus.hasRedundancy(in: [0], 0))
    }
}
