import Codecs
import MediaDescription
import Testing

@Suite("Concealment") struct ConcealmentTests {
    @Test("goes on with the sound and fades", arguments: Codec.allCases)
    func fades(codec: Codec) throws {
        let encoder = try VoiceEncoder(codec)
        let decoder = try VoiceDecoder(codec)
        let sound = Signals.sine(400, 19_200)
        var last: [Int16] = []
        for start in stride(from: 0, to: sound.count, by: 960) {
            last = decode(decoder, encode(encoder, sound[start..<start + 960]))
        }
        let first = conceal(decoder, 480)
        #expect(first.count == 480)
        #expect(Signals.rms(first) > Signals.rms(last) / 3)
        for _ in 0..<30 { _ = conceal(decoder, 960) }
        let end = conceal(decoder, 960)
        // Opus's own concealment of a pure tone fades slowly.
        #expect(Signals.rms(end) < Signals.rms(last) / (codec == .opus ? 4 : 30))
    }

    @Test("is as long as the gap, in units of 2.5 ms", arguments: Codec.allCases, [120, 240, 480, 500, 960, 1_920])
    func length(codec: Codec, gap: Int) throws {
        let decoder = try VoiceDecoder(codec)
        #expect(conceal(decoder, gap).count == (gap + 119) / 120 * 120)
    }

    @Test("of a wave continues it without a jump", arguments: [Codec.pcma, .g722])
    func isSmooth(codec: Codec) throws {
        let encoder = try VoiceEncoder(codec)
        let decoder = try VoiceDecoder(codec)
        let sound = Signals.sine(300, 19_200)
        var heard: [Int16] = []
        for start in stride(from: 0, to: 9_600, by: 960) {
            heard += decode(decoder, encode(encoder, sound[start..<start + 960]))
        }
        heard += conceal(decoder, 960)
        for start in stride(from: 10_560, to: 19_200, by: 960) {
            heard += decode(decoder, encode(encoder, sound[start..<start + 960]))
        }
        let steps = zip(heard, heard.dropFirst()).map { abs(Int($1) - Int($0)) }
        // A 300 Hz sine of this loudness moves by 393 a sample at most.
        #expect((steps.dropFirst(2_000).max() ?? 0) < 1_200)
    }
}
