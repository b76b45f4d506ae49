import Testing

@testable import SoundDevices

@Suite("Sample formats") struct SampleFormatTests {
    private static let samples: [Int16] = [0, 1, -1, 256, -257, 12_345, -12_345, .max, .min]

    @Test("Every sample survives the way to the card and back", arguments: SampleFormat.allCases, [1, 2, 6])
    func roundTrip(format: SampleFormat, channels: Int) {
        let samples = Self.samples
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: samples.count * channels * format.bytes, alignment: 1)
        defer { bytes.deallocate() }
        guard let base = bytes.baseAddress else { return }
        samples.withUnsafeBufferPointer { mono in
            guard let first = mono.baseAddress else { return }
            format.spread(first, channels: channels, count: mono.count, into: base)
        }
        var back = [Int16](repeating: 0, count: samples.count)
        back.withUnsafeMutableBufferPointer { mono in
            guard let first = mono.baseAddress else { return }
            format.mixDown(base, channels: channels, count: mono.count, into: first)
        }
        #expect(back == samples)
    }

    @Test("A microphone on one of two channels is heard at half its level, without overflow")
    func mean() {
        let frames: [Int16] = [1_000, 0, .max, .max, .min, .min]
        var mono: [Int16] = [0, 0, 0]
        frames.withUnsafeBytes { raw in
            mono.withUnsafeMutableBufferPointer { out in
                guard let source = raw.baseAddress, let target = out.baseAddress else { return }
                SampleFormat.s16.mixDown(source, channels: 2, count: 3, into: target)
            }
        }
        #expect(mono == [500, .max, .min])
    }

    @Test("The unused byte of 24-bit samples may hold anything")
    func dirty() {
        let bytes: [UInt8] = [0x55, 0x39, 0x30, 0xFF]
        let sample = bytes.withUnsafeBytes { $0.baseAddress.map { SampleFormat.s24.load($0) } }
        #expect(sample == 12_345)
    }
}
