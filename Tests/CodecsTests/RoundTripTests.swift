import Codecs
import MediaDescription
import Testing

/// Encodes packets one after the other, for tests that want arrays.
func encode(_ encoder: borrowing VoiceEncoder, _ samples: ArraySlice<Int16>) -> [UInt8] {
    var payload = [UInt8](repeating: 0, count: 1_400)
    let sound = Array(samples)
    let count = encoder.encode(sound, sound.count, into: &payload, capacity: payload.count)
    return Array(payload.prefix(max(count, 0)))
}

func decode(_ decoder: borrowing VoiceDecoder, _ payload: [UInt8]) -> [Int16] {
    var samples = [Int16](repeating: 0, count: 5_760)
    let count = decoder.decode(payload, payload.count, into: &samples, capacity: samples.count)
    return Array(samples.prefix(max(count, 0)))
}

func conceal(_ decoder: borrowing VoiceDecoder, _ gap: Int) -> [Int16] {
    var samples = [Int16](repeating: 0, count: 5_760)
    let count = decoder.conceal(gap, into: &samples)
    return Array(samples.prefix(max(count, 0)))
}

@Suite("A codec's round trip") struct RoundTripTests {
    @Test("keeps length and loudness", arguments: Codec.allCases, [10, 20, 40, 60])
    func keepsLoudness(codec: Codec, milliseconds: Int) throws {
        let encoder = try VoiceEncoder(codec)
        let decoder = try VoiceDecoder(codec)
        let length = milliseconds * 48
        let sent = Signals.sine(1_000, length * (600 / milliseconds))
        var heard: [Int16] = []
        for start in stride(from: 0, to: sent.count, by: length) {
            let payload = encode(encoder, sent[start..<start + length])
            #expect(codec.duration(of: payload, payload.count) == length)
            let decoded = decode(decoder, payload)
            #expect(decoded.count == length)
            heard += decoded
        }
        let loudness = Signals.rms(heard.suffix(14_400)) / Signals.rms(sent.suffix(14_400))
        #expect(abs(loudness - 1) < 0.15)
    }

    @Test("gives back the wave itself where the codec keeps waves", arguments: [Codec.g722, .pcma, .pcmu])
    func keepsWave(codec: Codec) throws {
        let encoder = try VoiceEncoder(codec)
        let decoder = try VoiceDecoder(codec)
        let sent = Signals.sine(440, 28_800)
        var heard: [Int16] = []
        for start in stride(from: 0, to: sent.count, by: 960) {
            heard += decode(decoder, encode(encoder, sent[start..<start + 960]))
        }
        #expect(Signals.ratio(of: heard, to: sent) > 15)
    }

    @Test("of 64 kbit/s codecs has 8 octets a millisecond", arguments: [Codec.g722, .pcma, .pcmu])
    func packetSize(codec: Codec) throws {
        let encoder = try VoiceEncoder(codec)
        let payload = encode(encoder, Signals.sine(300, 960)[...])
        #expect(payload.count == 160)
    }

    @Test("of digital silence is silence", arguments: Codec.allCases)
    func silence(codec: Codec) throws {
        let encoder = try VoiceEncoder(codec)
        let decoder = try VoiceDecoder(codec)
        var loudest = 0
        for _ in 0..<20 {
            let heard = decode(decoder, encode(encoder, [Int16](repeating: 0, count: 960)[...]))
            loudest = max(loudest, heard.map { abs(Int($0)) }.max() ?? 0)
        }
        // A-law has no zero: its smallest step is 8.
        #expect(loudest <= 16)
    }

    @Test("after a reset has no trace of what was before", arguments: Codec.allCases)
    func resetForgets(codec: Codec) throws {
        let used = try VoiceEncoder(codec)
        for _ in 0..<10 { _ = encode(used, Signals.voice(960)[...]) }
        used.reset()
        let fresh = try VoiceEncoder(codec)
        for _ in 0..<3 {
            let silence = [Int16](repeating: 0, count: 960)
            let (after, before) = (encode(used, silence[...]), encode(fresh, silence[...]))
            #expect(after == before)
        }
    }

    @Test("of a decoder that was reset begins afresh", arguments: Codec.allCases)
    func decoderResetForgets(codec: Codec) throws {
        let encoder = try VoiceEncoder(codec)
        let packets = (0..<5).map { _ in encode(encoder, Signals.voice(960)[...]) }
        let used = try VoiceDecoder(codec)
        for packet in packets { _ = decode(used, packet) }
        used.reset()
        let fresh = try VoiceDecoder(codec)
        for packet in packets {
            let (after, before) = (decode(used, packet), decode(fresh, packet))
            #expect(after == before)
        }
    }
}
