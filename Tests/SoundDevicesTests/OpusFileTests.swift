import Glibc
import OggOpusWriter
import TestFiles
import Testing

@testable import SoundDevices

@Suite("Ogg Opus files") struct OpusFileTests {
    private let folder = TemporaryFolder()

    private func sine(_ hertz: Double, _ count: Int) -> [Int16] {
        (0..<count).map { Int16(8_000 * sin(2 * .pi * hertz * Double($0) / 48_000)) }
    }

    private func heard(_ bytes: [UInt8], limit: Int = 30) throws(SoundFileError) -> [Int16] {
        let sound = try DecodedSound(path: folder.write("in.opus", bytes), limit: limit)
        return withExtendedLifetime(sound) { Array($0.content) }
    }

    private func error(_ bytes: [UInt8], limit: Int = 30) -> SoundFileError? {
        do throws(SoundFileError) {
            _ = try heard(bytes, limit: limit)
            return nil
        } catch { return error }
    }

    @Test("One and two channels are heard in pitch, time and loudness", arguments: [1, 2])
    func tone(channels: Int) throws {
        var file = OggOpusFile(sine(440, 30_001))
        file.channels = channels
        let sound = try heard(file.bytes)
        #expect(sound.count == 30_001, "to the sample: what the encoder looks ahead is taken off")
        let expected = sine(440, 30_001)
        var (error, power) = (0.0, 0.0)
        for index in 2_400..<28_000 {
            let difference = Double(sound[index]) - Double(expected[index])
            error += difference * difference
            power += Double(expected[index]) * Double(expected[index])
        }
        #expect(error / power < 0.06, "12 dB below the tone, as a voice codec bends phases: \(error / power)")
    }

    @Test("A microphone may be one, and starts over at its end")
    func microphone() throws {
        let sound = try LoopedSound(path: folder.write("in.opus", OggOpusFile(sine(1_000, 4_800)).bytes))
        var period = [Int16](repeating: 0, count: 9_600)
        _ = period.withUnsafeMutableBufferPointer { sound.read(into: $0) }
        #expect(Array(period[..<4_800]) == Array(period[4_800...]))
        #expect(period.contains { $0 > 6_000 })
    }

    @Test("What is too long, of many channels, of many streams or no Opus is refused, and says why")
    func refused() throws {
        let tone = sine(440, 9_600)
        var surround = OggOpusFile(tone)
        surround.channels = 6
        #expect(error(surround.bytes) == .surroundOpus(channels: 6))
        let first = OggOpusFile(tone)
        var second = OggOpusFile(tone)
        second.serial = 7
        #expect(error(first.bytes + second.bytes) == .chainedOpus(streams: 2))
        #expect(error(OggOpusFile(sine(440, 100_000)).bytes, limit: 1) == .tooLong(seconds: 2, most: 1))
        // A time that claims years is refused before anything is decoded.
        var endless = OggOpusFile(tone)
        endless.packetsPerPage = 5
        endless.addedTime = 48_000 * 86_400 * 365
        guard case .tooLong? = error(endless.bytes) else {
            Issue.record("years were taken: \(String(describing: error(endless.bytes)))")
            return
        }
        let page = Array("OggS\u{0}\u{2}".utf8) + [UInt8](repeating: 0, count: 20)
        let vorbis = page + [1, 30, 1] + Array("vorbis".utf8)
        guard case .damagedOpus? = error(vorbis) else {
            Issue.record("another sound in Ogg was taken")
            return
        }
        let empty = folder.write("empty.opus", OggOpusFile([]).bytes)
        #expect(throws: SoundDeviceError.self) { try SoundClip(path: empty) }
        for case let fault? in [error(surround.bytes), error(first.bytes + second.bytes), error(vorbis)] {
            #expect(fault.description.contains("Ogg"))
        }
    }

    @Test("Sound that is missing amid a file is told of; one that was cut short is played as far as it goes")
    func damaged() throws {
        let whole = OggOpusFile(sine(440, 96_000)).bytes
        var hole = whole
        // The third of the pages with sound.
        let pages = whole.indices.dropLast(4).filter { whole[$0..<($0 + 4)].elementsEqual("OggS".utf8) }
        #expect(pages.count == 7)
        hole.removeSubrange(pages[4]..<pages[5])
        guard case .damagedOpus? = error(hole) else {
            Issue.record("a hole was taken for sound: \(String(describing: error(hole)))")
            return
        }
        let cut = try heard(Array(whole[..<pages[5]]))
        #expect(cut.count == 3 * 25 * 960 - 312)
    }

    @Test("No beginning and no damage of a file is a trap, or takes long")
    func hostile() {
        let whole = OggOpusFile(sine(440, 4_800)).bytes
        for length in stride(from: 0, to: whole.count, by: 3) { _ = error(Array(whole[..<length])) }
        for position in 0..<min(whole.count, 240) {
            for value: UInt8 in [0, 1, 0x7F, 0xFF] {
                var damaged = whole
                damaged[position] = value
                _ = error(damaged)
            }
        }
    }
}
