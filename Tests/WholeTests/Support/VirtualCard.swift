import Glibc

/// A sound card made of memory and the monotonic clock, exact to the sample: the ALSA plug-in of bench/rig. Its microphone
/// hears a tone; what its loudspeaker plays is looked at while it plays.
final class VirtualCard: Loudspeaker {
    /// The name of the ALSA device, for whoever is started with `environment`.
    let device: String
    private let folder: ScratchFolder
    private let memory: UnsafeMutableRawPointer
    private let byteCount: Int
    private let epoch: Double
    /// Samples a second by the clock of the machine.
    private let rate: Double
    private let heard: UnsafeMutablePointer<Int16>
    private let played: UnsafeMutablePointer<Int16>
    private let frames: Int
    private static let logEntries = 64
    private static let headerSize = 4_096

    /// - Parameter tone: what the microphone hears, in whole Hz; nil: silence.
    /// - Parameter seconds: how long there is sound from now on.
    /// - Parameter partsPerMillion: how much faster its clock runs than the machine's.
    init(tone: Double?, seconds: Int = 100, partsPerMillion: Double = 0) throws {
        folder = try ScratchFolder()
        frames = seconds * WaveFile.rate
        let tracks = Self.headerSize + Self.logEntries * 32
        byteCount = tracks + 4 * frames
        let path = "\(folder.path)/card"
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        guard file >= 0, ftruncate(file, byteCount) == 0 else { throw SupportError("cannot make \(path)") }
        defer { close(file) }
        guard let mapped = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), mapped != MAP_FAILED
        else { throw SupportError("cannot map \(path)") }
        memory = mapped
        heard = (mapped + tracks).bindMemory(to: Int16.self, capacity: 2 * frames)
        played = heard + frames
        if let tone {
            let second = WaveFile.tone(tone, seconds: 1).samples
            for index in 0..<seconds { (heard + index * WaveFile.rate).update(from: second, count: WaveFile.rate) }
        }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        epoch = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
        rate = Double(WaveFile.rate) * (1 + partsPerMillion / 1e6)
        // struct rig_hdr of pcm_rig.c
        memory.storeBytes(of: 0x5249_4731, as: UInt32.self)
        memory.storeBytes(of: UInt32(WaveFile.rate), toByteOffset: 4, as: UInt32.self)
        memory.storeBytes(of: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec), toByteOffset: 8, as: Int64.self)
        memory.storeBytes(of: partsPerMillion, toByteOffset: 16, as: Double.self)
        memory.storeBytes(of: UInt64(frames), toByteOffset: 24, as: UInt64.self)
        memory.storeBytes(of: UInt64(Self.logEntries), toByteOffset: 32, as: UInt64.self)
        memory.storeBytes(of: 1, toByteOffset: 40, as: UInt32.self)
        device = "rig:\(path)"
    }

    deinit { munmap(memory, byteCount) }

    /// The devices of an endpoint that uses the card.
    var sound: Sound { sound(settings: "") }

    /// - Parameter settings: more of `[audio]`.
    func sound(settings: String) -> Sound {
        Sound(
            settings: "\(settings)\ndevices = [\"alsa:\(device)\"]\nring = []", environment: Self.environment,
            loudspeaker: self)
    }

    /// The devices of an endpoint that hears with one card and plays on another.
    static func sound(microphone: VirtualCard, loudspeaker: VirtualCard) -> Sound {
        Sound(
            settings: """
                devices = ["alsa:\(microphone.device)"]
                playback = ["alsa:\(loudspeaker.device)"]
                ring = []
                """, environment: environment, loudspeaker: loudspeaker)
    }

    /// From now on the microphone hears the loudspeaker, as in a room: each echo so many samples late, at that gain.
    func hear(echoes: [(delay: UInt32, gain: Float)]) {
        for (index, echo) in echoes.enumerated() {
            memory.storeBytes(of: echo.delay, toByteOffset: 88 + 8 * index, as: UInt32.self)
            memory.storeBytes(of: echo.gain, toByteOffset: 92 + 8 * index, as: Float.self)
        }
        memory.storeBytes(of: UInt32(echoes.count), toByteOffset: 80, as: UInt32.self)
    }

    /// From now on, everything says that the card is gone.
    func unplug() { memory.storeBytes(of: 1, toByteOffset: 44, as: UInt32.self) }

    /// From now on, the card is there again.
    func plugIn() { memory.storeBytes(of: 0, toByteOffset: 44, as: UInt32.self) }

    /// It stops, and from now on cannot be set going, though it takes sound.
    func jam() { memory.storeBytes(of: 2, toByteOffset: 84, as: UInt32.self) }

    /// From now on, it can be set going again.
    func release() { memory.storeBytes(of: 0, toByteOffset: 84, as: UInt32.self) }

    /// Lets the microphone hear `samples` in a second. Returns when that begins, as `firstLoud` says it.
    func hear(_ samples: [Int16]) -> Int {
        let start = position + WaveFile.rate
        for (index, sample) in samples.enumerated() where start + index < frames { heard[start + index] = sample }
        return start
    }

    /// The first sample from `start` on whose absolute value is `level` at least, once a second of it has been played; nil where
    /// there is none.
    func firstLoud(from start: Int, level: Int) -> Int? {
        let end = min(start + WaveFile.rate, frames)
        while position < end { usleep(10_000) }
        return (start..<end).first { abs(Int(played[$0])) >= level }
    }

    /// Runs of digital silence in what was played from `start` up to now, in samples, but for the last.
    func silences(from start: Int) -> [Int] {
        var (runs, run) = ([Int](), 0)
        for index in start..<min(position, frames) {
            if played[index] == 0 {
                run += 1
            } else {
                if run > 0 { runs.append(run) }
                run = 0
            }
        }
        return runs
    }

    var position: Int { Int((monotonicSeconds() - epoch) * rate) }

    func listen(seconds: Double) throws -> ArraySlice<Int16> {
        // What was handed to the card before this began lies ahead of its position by its buffer at most.
        let start = position + WaveFile.rate / 5
        let end = start + Int(seconds * Double(WaveFile.rate))
        while position < end { usleep(10_000) }
        return ArraySlice(UnsafeBufferPointer(start: played + start, count: end - start))
    }

    /// What was played from `start` up to now.
    func past(from start: Int) -> ArraySlice<Int16> {
        ArraySlice(UnsafeBufferPointer(start: played + start, count: max(min(position, frames) - start, 0)))
    }

    // MARK: The plug-in

    /// What a program needs in its environment to find the card.
    static var environment: [String: String] { ["ALSA_CONFIG_PATH": configuration ?? ""] }

    /// Whether there is a C compiler that could build the plug-in.
    static var isAvailable: Bool { configuration != nil }

    private static nonisolated(unsafe) var home: ScratchFolder?

    /// The ALSA configuration with the plug-in, which is built once.
    private static let configuration: String? = {
        guard ChildProcess.exists("cc"), let home = try? ScratchFolder() else { return nil }
        VirtualCard.home = home
        atexit { VirtualCard.home = nil }
        let project = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
            .joined(separator: "/")
        let library = "\(home.path)/libasound_module_pcm_rig.so"
        let compiler = try? ChildProcess(
            "cc",
            ["-O1", "-fPIC", "-shared", "-DPIC", "-o", library, "\(project)/bench/rig/pcm_rig.c", "-lasound", "-lm"],
            log: "\(home.path)/log")
        guard compiler?.wait(seconds: 60) == 0 else { return nil }
        // Nothing but the card: a machine's own configuration may ask sound servers.
        let text = """
            pcm_type.rig { lib "\(library)" }
            pcm.rig {
                @args [ FILE ]
                @args.FILE { type string }
                type plug
                slave.pcm { type rig file $FILE }
            }
            pcm.null { type null }

            """
        let path = "\(home.path)/asound.conf"
        return (try? writeFile(path, Array(text.utf8))) == nil ? nil : path
    }()
}
