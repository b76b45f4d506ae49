import Codecs
import Glibc
import MediaDescription
import SoundDevices
import TestFiles
import Testing

@testable import CallRecording

@Suite("Files of recordings") struct RecordingFileTests {
    private let folder = TemporaryFolder()

    /// A sine of 8,000 on the left, 500 Hz, and of 1,300 Hz on the right, as far as they are wanted.
    private func sides(_ count: Int, left: Bool = true, right: Bool = true) -> [Int16] {
        (0..<count).flatMap { index -> [Int16] in
            let wave = { (hertz: Double) in Int16(8_000 * sin(2 * .pi * hertz * Double(index) / 48_000)) }
            return [left ? wave(500) : 0, right ? wave(1_300) : 0]
        }
    }

    private func append(_ samples: [Int16], to file: inout RecordingFile) {
        samples.withUnsafeBufferPointer { file.append($0) }
    }

    /// How many frames a reader finds.
    private func frames(_ path: String) throws -> Int {
        let clip = try SoundClip(path: path)
        return withExtendedLifetime(clip) { clip.samples.pointee.count }
    }

    private func rms(_ samples: some Collection<Int16>) -> Double {
        (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(samples.count, 1))).squareRoot()
    }

    @Test("A WAV file is whole after every step, to the sample, and silence is digital")
    func wave() throws {
        let path = folder.file("a.wav")
        var file = try RecordingFile(path: path, format: .wav)
        #expect(try WaveContent(path).frames.isEmpty)
        let sound = sides(1_000)
        append(sound, to: &file)
        #expect(try WaveContent(path).frames == sound)
        file.appendSilence(frames: 48_000)
        append(sides(10), to: &file)
        // Nothing ends it: the process was killed.
        let content = try WaveContent(path)
        #expect(content.channels == 2 && content.rate == 48_000)
        #expect(content.frames == sound + [Int16](repeating: 0, count: 96_000) + sides(10))
        #expect(file.failure == nil)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 & ~0o640 == 0)
    }

    @Test("An Opus file can be played at every moment, and has exactly its length once it is ended")
    func opus() throws {
        let path = folder.file("a.opus")
        var file = try RecordingFile(path: path, format: .opus)
        append(sides(100_000), to: &file)
        // Two whole seconds are on pages.
        let early = try frames(path)
        #expect(early >= 95_000 && early <= 96_000, "\(early)")
        file.appendSilence(frames: 50_000)
        file.finish()
        #expect(file.failure == nil)
        #expect(try frames(path) == 150_000)
    }

    @Test("One that is ended at once is a file without sound, and one of a packet has that")
    func short() throws {
        let path = folder.file("b.opus")
        var file = try RecordingFile(path: path, format: .opus)
        append(sides(960), to: &file)
        file.finish()
        #expect(try frames(path) == 960)
    }

    @Test("In an Opus file, too, neither side is heard on the other")
    func apart() throws {
        let path = folder.file("c.opus")
        var file = try RecordingFile(path: path, format: .opus)
        append(sides(48_000, right: false) + sides(48_000, left: false), to: &file)
        file.finish()
        let (left, right) = try OpusSides(path).decoded()
        let first = 10_000..<40_000
        let second = 60_000..<90_000
        #expect(abs(rms(left[first]) - 5_657) < 300 && abs(rms(right[second]) - 5_657) < 300)
        #expect(rms(right[first]) < 1 && rms(left[second]) < 1, "\(rms(right[first])), \(rms(left[second]))")
    }

    @Test("Pages hold whatever the packets' sizes are")
    func pages() throws {
        let path = folder.file("d.opus")
        var file = try RecordingFile(path: path, format: .opus)
        // Noise takes as many bits as there are.
        var state: UInt32 = 7
        let noise = (0..<480_000).map { _ -> Int16 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return Int16(truncatingIfNeeded: state >> 17)
        }
        for first in stride(from: 0, to: noise.count, by: 1_234) {
            append(Array(noise[first..<min(first + 1_234, noise.count)]), to: &file)
        }
        file.finish()
        #expect(try frames(path) == 240_000)
    }

    @Test("What is there is never written over, whatever it is")
    func existing() throws {
        let path = folder.write("e.wav", "mine".utf8)
        symlink(path, folder.file("link.wav"))
        mkfifo(folder.file("pipe.wav"), 0o600)
        for name in ["e.wav", "link.wav", "pipe.wav", ""] {
            let error = #expect(throws: RecordingError.self) {
                _ = try RecordingFile(path: folder.file(name), format: .wav)
            }
            #expect(error?.description.contains("there is a file of that name") == true || name.isEmpty, "\(name)")
        }
        #expect(readBytes(path) == Array("mine".utf8))
    }

    @Test("A folder that is not there is told, with what to do")
    func missing() {
        let error = #expect(throws: RecordingError.self) {
            _ = try RecordingFile(path: folder.file("none/a.opus"), format: .opus)
        }
        #expect(error?.description.contains("none/a.opus: No such file") == true)
        #expect(error?.description.contains("the folder must be there") == true)
    }

    @Test(
        "A limit of the file's size ends it with an error; what was written before is whole",
        arguments: RecordingFormat.allCases)
    func full(format: RecordingFormat) throws {
        let path = folder.file("full.\(format.rawValue)")
        var file = try RecordingFile(path: path, format: format)
        append(sides(96_000), to: &file)
        let before = try frames(path)
        signal(SIGXFSZ, SIG_IGN)
        var old = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old)
        var status = stat()
        stat(path, &status)
        var limit = rlimit(rlim_cur: rlim_t(status.st_size) + 1_000, rlim_max: old.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        append(sides(96_000), to: &file)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old)
        let failure = file.failure
        #expect(
            failure?.path == path && failure?.reason.contains("too large") == true, "\(String(describing: failure))")
        append(sides(96_000), to: &file)
        file.finish()
        #expect(try frames(path) == before)
    }
}
