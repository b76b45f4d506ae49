import TestFiles
import Glibc
import Synchronization

/// A sound card made of memory and the monotonic clock, exact to the sample: the ALSA plug-in of bench/rig.
///
/// `@unchecked`: the memory is the plug-in's and the test's, and is looked at when the device has stopped.
final class RigCard: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    private let byteCount: Int
    private let captureTrack: UnsafeMutablePointer<Int16>
    private let playbackTrack: UnsafeMutablePointer<Int16>
    private let folder: TemporaryFolder
    let path: String
    let frameCount: Int
    private static let logEntries = 64

    /// The card hears `capture` from now on, sample by sample at `rate`.
    init(capture: [Int16], rate: Int = 48_000) {
        folder = TemporaryFolder()
        frameCount = capture.count
        byteCount = 4_096 + Self.logEntries * 32 + 4 * capture.count
        path = folder.write("card", [UInt8](repeating: 0, count: byteCount))
        let file = open(path, O_RDWR)
        let mapped = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        close(file)
        guard let mapped, Int(bitPattern: mapped) != -1 else { preconditionFailure("cannot map the card") }
        memory = mapped
        captureTrack = (mapped + 4_096 + Self.logEntries * 32).bindMemory(to: Int16.self, capacity: 2 * capture.count)
        playbackTrack = captureTrack + capture.count
        captureTrack.update(from: capture, count: capture.count)
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        // struct rig_hdr of pcm_rig.c
        memory.storeBytes(of: 0x5249_4731, as: UInt32.self)
        memory.storeBytes(of: UInt32(rate), toByteOffset: 4, as: UInt32.self)
        memory.storeBytes(of: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec), toByteOffset: 8, as: Int64.self)
        memory.storeBytes(of: UInt64(capture.count), toByteOffset: 24, as: UInt64.self)
        memory.storeBytes(of: UInt64(Self.logEntries), toByteOffset: 32, as: UInt64.self)
        memory.storeBytes(of: 1, toByteOffset: 40, as: UInt32.self)
    }

    deinit { munmap(memory, byteCount) }

    /// From now on, everything says that the card is gone.
    func unplug() { memory.storeBytes(of: 1, toByteOffset: 44, as: UInt32.self) }

    /// From now on, everything says that the machine is suspended, until it is woken.
    func suspend() { memory.storeBytes(of: 1, toByteOffset: 84, as: UInt32.self) }

    func wake() { memory.storeBytes(of: 0, toByteOffset: 84, as: UInt32.self) }

    /// It stops, and from now on cannot be set going, though it takes sound.
    func jam() { memory.storeBytes(of: 2, toByteOffset: 84, as: UInt32.self) }

    /// What the loudspeaker has played: sample n sounded when sample n of the capture track was heard.
    var played: [Int16] { Array(UnsafeBufferPointer(start: playbackTrack, count: frameCount)) }

    var captureXruns: Int { Int(memory.load(fromByteOffset: 56, as: UInt64.self)) }
    var playbackXruns: Int { Int(memory.load(fromByteOffset: 64, as: UInt64.self)) }

    /// Builds the plug-in and points alsa-lib at it, once a process. False where there is no C compiler.
    static let isAvailable: Bool = {
        let source = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/bench/rig/pcm_rig.c"
        let library = "\(home.path)/libasound_module_pcm_rig.so"
        guard run(["cc", "-O1", "-fPIC", "-shared", "-DPIC", "-o", library, source, "-lasound"]) else { return false }
        let configuration = """
            </usr/share/alsa/alsa.conf>
            pcm_type.rig { lib "\(library)" }
            pcm.rig {
                @args [ FILE FORMAT CHANNELS PERIOD ]
                @args.FILE { type string }
                @args.FORMAT { type string default "S16_LE" }
                @args.CHANNELS { type integer default 1 }
                @args.PERIOD { type integer default 0 }
                type rig
                file $FILE
                format $FORMAT
                channels $CHANNELS
                period $PERIOD
            }
            pcm.plugrig {
                @args [ FILE ]
                @args.FILE { type string }
                type plug
                slave.pcm { type rig file $FILE }
            }
            pcm.floatrig {
                @args [ FILE ]
                @args.FILE { type string }
                type lfloat
                slave { pcm { type rig file $FILE } format S16_LE }
            }
            """
        setenv("ALSA_CONFIG_PATH", home.write("asound.conf", Array(configuration.utf8)), 1)
        return true
    }()

    private static let home = TemporaryFolder()

    private static func run(_ arguments: [String]) -> Bool {
        var process = pid_t()
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        guard posix_spawnp(&process, arguments[0], nil, nil, &words, environ) == 0 else { return false }
        var status: Int32 = 0
        return waitpid(process, &status, 0) == process && status == 0
    }
}
