import Codecs
import MediaDescription
import Testing

@Suite("Opus") struct OpusTests {
    @Test("Our wishes are bounded by the peer's")
    func settings() {
        var peer = OpusParameters()
        peer.maxAverageBitrate = 20_000
        peer.maxPlaybackRate = 16_000
        var settings = OpusSettings(bitRate: 28_000, peer: peer)
        #expect(settings.bitRate == 20_000)
        #expect(settings.maxPlaybackRate == 16_000)
        #expect(!settings.inBandFEC && !settings.discontinuousTransmission)
        peer.inBandFEC = true
        peer.discontinuousTransmission = true
        settings = OpusSettings(inBandFEC: true, discontinuousTransmission: false, peer: peer)
        #expect(settings.inBandFEC && !settings.discontinuousTransmission)
        settings = OpusSettings(bitRate: 28_000)
        #expect(settings.bitRate == 28_000)
    }

    @Test("With low delay it looks ahead 2.5 ms, codes without the layer for speech, and adds no error correction")
    func lowDelay() throws {
        var peer = OpusParameters()
        peer.inBandFEC = true
        #expect(!OpusSettings(isLowDelay: true, peer: peer).inBandFEC)
        #expect(try VoiceEncoder(.opus).lookahead == 312)
        let encoder = try VoiceEncoder(.opus, opus: OpusSettings(isLowDelay: true, peer: peer))
        #expect(encoder.lookahead == 120)
        for packet in 0..<10 {
            let payload = encode(encoder, Signals.voice(9_600)[packet * 480..<packet * 480 + 480])
            // RFC 6716 §3.1: configurations 16...31 are CELT alone.
            #expect((payload.first ?? 0) >> 3 >= 16)
        }
    }

    /// Bandwidth by the configuration number in the first octet (RFC 6716 §3.1): 0 narrow ... 4 full.
    private func bandwidth(_ payload: [UInt8]) -> Int {
        let configuration = Int(payload.first ?? 0) >> 3
        switch configuration {
        case 0...11: return configuration / 4
        case 12...15: return 3 + (configuration - 12) / 2
        default: return [0, 2, 3, 4][(configuration - 16) / 4]
        }
    }

    @Test(
        "The peer's maxplaybackrate bounds the bandwidth, in the layer for music, too",
        arguments: [(8_000, 0), (12_000, 0), (15_999, 0), (16_000, 2), (24_000, 3), (48_000, 4)], [false, true])
    func bandwidth(limit: (Int, Int), isLowDelay: Bool) throws {
        let (rate, widest) = limit
        var peer = OpusParameters()
        peer.maxPlaybackRate = rate
        let sound = Signals.breathyVoice(9_600)
        for bitRate in [12_000, 28_000, 64_000] {
            let encoder = try VoiceEncoder(
                .opus, opus: OpusSettings(bitRate: bitRate, isLowDelay: isLowDelay, peer: peer))
            let widths = stride(from: 0, to: sound.count, by: 960).map {
                bandwidth(encode(encoder, sound[$0..<$0 + 960]))
            }
            #expect(widths.allSatisfy { $0 <= widest }, "\(widths) at \(bitRate) bit/s")
            // Where there are bits enough all of it is used.
            if bitRate == 64_000 { #expect(widths.max() == widest) }
        }
    }

    @Test("The bit rate is kept", arguments: [12_000, 28_000, 64_000])
    func bitRate(_ bitRate: Int) throws {
        let encoder = try VoiceEncoder(.opus, opus: OpusSettings(bitRate: bitRate))
        let sound = Signals.voice(96_000)
        var octets = 0
        for start in stride(from: 0, to: sound.count, by: 960) {
            octets += encode(encoder, sound[start..<start + 960]).count
        }
        // The rate varies: for so regular a sound libopus 1.6 needs a third less than 12 kbit/s.
        #expect((0.6...1.3).contains(Double(octets * 8) / 2 / Double(bitRate)))
    }

    @Test("A bit rate set later holds from the next packets on")
    func steered() throws {
        let encoder = try VoiceEncoder(.opus, opus: OpusSettings(bitRate: 48_000))
        let sound = Signals.voice(96_000)
        var octets = [0, 0]
        for start in stride(from: 0, to: sound.count, by: 960) {
            if start == 48_000 { encoder.steer(expectedLoss: 0, bitRate: 16_000) }
            octets[start / 48_000] += encode(encoder, sound[start..<start + 960]).count
        }
        #expect(octets[0] > octets[1] * 2)
    }

    @Test("While loss is expected, sound is wide-band and repeats itself; then it is full-band again")
    func corrected() throws {
        var peer = OpusParameters()
        peer.inBandFEC = true
        let encoder = try VoiceEncoder(.opus, opus: OpusSettings(bitRate: 28_000, peer: peer))
        let sound = Signals.breathyVoice(144_000)
        var widest = [0, 0, 0]
        var repeating = [0, 0, 0]
        for start in stride(from: 0, to: sound.count, by: 960) {
            if start == 48_000 { encoder.steer(expectedLoss: 1, bitRate: 28_000) }
            if start == 96_000 { encoder.steer(expectedLoss: 0, bitRate: 28_000) }
            let payload = encode(encoder, sound[start..<start + 960])
            // A change takes the encoder some packets.
            guard start % 48_000 > 9_600 else { continue }
            widest[start / 48_000] = max(widest[start / 48_000], bandwidth(payload))
            repeating[start / 48_000] += Codec.opus.hasRedundancy(in: payload, payload.count) ? 1 : 0
        }
        #expect(widest == [4, 2, 4])
        #expect(repeating[0] == 0 && repeating[1] > 20 && repeating[2] == 0)
    }

    @Test("Constant bit rate, as the peer asks for it: packets are all of one length")
    func constant() throws {
        var peer = OpusParameters()
        peer.constantBitrate = true
        let encoder = try VoiceEncoder(.opus, opus: OpusSettings(bitRate: 24_000, peer: peer))
        let sound = Signals.voice(48_000)
        let sizes = stride(from: 0, to: sound.count, by: 960).map { encode(encoder, sound[$0..<$0 + 960]).count }
        #expect(Set(sizes) == [60])
    }

    @Test("Discontinuous transmission falls silent in silence")
    func discontinuous() throws {
        var peer = OpusParameters()
        peer.discontinuousTransmission = true
        let encoder = try VoiceEncoder(.opus, opus: OpusSettings(peer: peer))
        var pauses = 0
        for _ in 0..<50 where encode(encoder, [Int16](repeating: 0, count: 960)[...]).count <= 2 { pauses += 1 }
        #expect(pauses > 20)
    }

    @Test(
        "Discontinuous transmission leaves out the noise between words, however little work is done",
        arguments: [0, 5, 6, 7, 9])
    func pauses(complexity: Int) throws {
        var peer = OpusParameters()
        peer.discontinuousTransmission = true
        let encoder = try VoiceEncoder(.opus, opus: OpusSettings(complexity: complexity, peer: peer))
        // A second of voice, then a room of -65 dBFS.
        let sound = Signals.breathyVoice(48_000) + Signals.noise(192_000, rms: 18)
        let sizes = stride(from: 0, to: sound.count, by: 960).map { encode(encoder, sound[$0..<$0 + 960]).count }
        #expect(sizes.prefix(50).allSatisfy { $0 > 2 })
        // One in 400 ms says that it is still there.
        #expect(sizes.suffix(100).count { $0 <= 2 } > 80, "\(sizes)")
    }

    @Test("A lost packet is recovered from the next one's redundancy better than it is concealed")
    func redundancy() throws {
        var peer = OpusParameters()
        peer.inBandFEC = true
        let encoder = try VoiceEncoder(
            .opus, opus: OpusSettings(bitRate: 24_000, expectedLossPercent: 30, peer: peer))
        let sound = Signals.voice(48_000)
        let packets = stride(from: 0, to: sound.count, by: 960).map { encode(encoder, sound[$0..<$0 + 960]) }
        let whole = try VoiceDecoder(.opus)
        let recovering = try VoiceDecoder(.opus)
        let concealing = try VoiceDecoder(.opus)
        var (recovered, concealed) = (0.0, 0.0)
        for index in 0..<packets.count - 1 {
            let truth = decode(whole, packets[index])
            guard index > 10, index % 10 == 5 else {
                _ = decode(recovering, packets[index])
                _ = decode(concealing, packets[index])
                continue
            }
            var samples = [Int16](repeating: 0, count: 960)
            let next = packets[index + 1]
            let count = recovering.decodeRedundancy(next, next.count, gap: 960, into: &samples)
            #expect(count == 960)
            recovered += Signals.rms(zip(truth, samples).map { Int16(clamping: Int($0) - Int($1)) })
            let made = conceal(concealing, 960)
            concealed += Signals.rms(zip(truth, made).map { Int16(clamping: Int($0) - Int($1)) })
        }
        #expect(recovered < concealed)
    }

    @Test("What is no packet is told apart", arguments: [[], [0xFF], [0x03, 0xFF], [0x02]] as [[UInt8]])
    func malformed(payload: [UInt8]) throws {
        let decoder = try VoiceDecoder(.opus)
        let bytes = payload + [0]
        let duration = bytes.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.flatMap { Codec.opus.duration(of: $0, payload.count) }
        }
        var samples = [Int16](repeating: 0, count: 5_760)
        let count = decoder.decode(bytes, payload.count, into: &samples, capacity: samples.count)
        #expect(duration == nil || count != 0)
        // The decoder goes on.
        let encoder = try VoiceEncoder(.opus)
        let heard = decode(decoder, encode(encoder, Signals.sine(500, 960)[...]))
        #expect(heard.count == 960)
    }

    @Test("A stereo packet is decoded to mono")
    func stereo() throws {
        // CELT, full band, 20 ms, the stereo bit set, one frame; what follows is noise to the decoder.
        let packet: [UInt8] = [31 << 3 | 4] + (0..<60).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
        let decoder = try VoiceDecoder(.opus)
        let heard = decode(decoder, packet)
        #expect(heard.count == 960)
    }
}
