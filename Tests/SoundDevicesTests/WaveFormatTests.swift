import Glibc
import TestFiles
import Testing

@testable import SoundDevices

@Suite("WAV files") struct WaveFormatTests {
    private let folder = TemporaryFolder()

    /// What a microphone of this file gives, one turn through.
    private func heard(_ wave: WaveBytes) throws -> [Int16] { try heard(wave.bytes) }

    private func heard(_ bytes: [UInt8]) throws -> [Int16] {
        let sound = try LoopedSound(path: folder.write("in.wav", bytes))
        var samples = [Int16](repeating: 0, count: sound.frameCount)
        _ = samples.withUnsafeMutableBufferPointer { sound.read(into: $0) }
        return samples
    }

    @Test(
        "Every encoding is read: half of full scale, up and down",
        arguments: [
            (1, 8, [192, 64] as [UInt8]), (1, 16, [0, 0x40, 0, 0xC0]), (1, 24, [9, 0, 0x40, 9, 0, 0xC0]),
            (1, 32, [9, 9, 0, 0x40, 9, 9, 0, 0xC0]), (3, 32, [0, 0, 0, 0x3F, 0, 0, 0, 0xBF]),
            (3, 64, [0, 0, 0, 0, 0, 0, 0xE0, 0x3F, 0, 0, 0, 0, 0, 0, 0xE0, 0xBF]),
        ], [false, true])
    func encodings(wave: (tag: Int, bits: Int, data: [UInt8]), isExtensible: Bool) throws {
        var file = WaveBytes()
        file.tag = wave.tag
        file.bits = wave.bits
        file.data = wave.data
        file.isExtensible = isExtensible
        #expect(try heard(file) == [16_384, -16_384])
    }

    @Test("What is no number, and what is too loud, does no harm")
    func floats() throws {
        var file = WaveBytes()
        (file.tag, file.bits) = (3, 32)
        file.data = [Float.nan, .infinity, -.infinity, 2, -2, 0].flatMap { WaveBytes.little(Int($0.bitPattern), 4) }
        #expect(try heard(file) == [0, 32_767, -32_768, 32_767, -32_768, 0])
    }

    @Test("Channels are mixed to their mean")
    func channels() throws {
        var file = WaveBytes(samples: [3_000, 1_000, -32_768, -32_768])
        file.channels = 2
        #expect(try heard(file) == [2_000, -32_768])
    }

    @Test("Another rate is converted, in pitch, time and loudness", arguments: [8_000, 11_025, 16_000, 44_100, 96_000])
    func rates(rate: Int) throws {
        let tone = { (rate: Int, index: Int) in 8_000 * sin(2 * Double.pi * 440 * Double(index) / Double(rate)) }
        var file = WaveBytes(samples: (0..<rate / 2).map { Int16(tone(rate, $0)) })
        file.rate = rate
        let result = try heard(file)
        #expect(abs(result.count - 24_000) <= 5)
        for index in 1_000..<23_000 { #expect(abs(Double(result[index]) - tone(48_000, index)) < 80) }
    }

    @Test(
        "A recording that was cut short, or never finished, is played as far as it goes",
        arguments: [0xFFFF_FFFF, 1_000])
    func unfinished(claimed: Int) throws {
        var file = WaveBytes(samples: [1, 2, 3])
        file.claimedSize = claimed
        #expect(try heard(file) == [1, 2, 3])
        #expect(try heard(file.bytes + [7]) == [1, 2, 3])
    }

    @Test("Chunks that we do not know are passed over")
    func foreignChunks() throws {
        var bytes = WaveBytes(samples: [5, 6]).bytes
        bytes.insert(contentsOf: Array("LIST".utf8) + WaveBytes.little(3, 4) + [1, 2, 3, 0], at: 12)
        #expect(try heard(bytes) == [5, 6])
    }

    @Test("A file without sound is silence")
    func empty() throws {
        let sound = try LoopedSound(path: folder.write("in.wav", WaveBytes().bytes))
        let count = sound.frameCount
        #expect(count == 0)
        var period: [Int16] = [1, 2, 3]
        _ = period.withUnsafeMutableBufferPointer { sound.read(into: $0) }
        #expect(period == [0, 0, 0])
    }

    @Test("What is no sound is refused, and says why")
    func refused() {
        func error(_ change: (inout WaveBytes) -> Void) -> SoundFileError? {
            var file = WaveBytes(samples: [1, 2, 3, 4])
            change(&file)
            do throws(SoundFileError) {
                _ = try LoopedSound(path: folder.write("in.wav", file.bytes))
                return nil
            } catch { return error }
        }
        #expect(error { $0.channels = 0 } == .outOfRange(channels: 0, rate: 48_000))
        #expect(error { $0.channels = 65_535 } == .outOfRange(channels: 65_535, rate: 48_000))
        #expect(error { $0.rate = 0 } == .outOfRange(channels: 1, rate: 0))
        #expect(error { $0.rate = 4_000_000_000 } == .outOfRange(channels: 1, rate: 4_000_000_000))
        #expect(error { $0.tag = 7 } == .unknownEncoding(tag: 7, bits: 16))
        #expect(error { $0.bits = 12 } == .unknownEncoding(tag: 1, bits: 12))
        #expect(throws: SoundFileError.unreadable(ENOENT)) { _ = try LoopedSound(path: "/nowhere.wav") }
        #expect(throws: SoundFileError.notRegular) { _ = try LoopedSound(path: "/dev/zero") }
        #expect(throws: SoundFileError.notRegular) { _ = try LoopedSound(path: folder.path) }
    }

    @Test("No beginning and no damage of a file is a trap")
    func hostile() {
        let whole = WaveBytes(samples: [1, 2, 3, 4]).bytes
        for length in 0..<whole.count { _ = try? heard(Array(whole[..<length])) }
        for position in 0..<44 {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var damaged = whole
                damaged[position] = value
                _ = try? heard(damaged)
            }
        }
        // A file of nothing but empty chunks ends the search.
        let chunks = Array("RIFF\0\0\0\0WAVE".utf8) + [UInt8](repeating: 0, count: 80_000)
        #expect(throws: SoundFileError.noFormat) { _ = try heard(chunks) }
    }
}
