internal import CLinux
internal import Glibc
internal import Realtime
internal import Synchronization

/// A WAV file as a loudspeaker: what is played is added to it by a thread of its own, so that no disk delays the loop.
///
/// A file is emptied when it is first opened by this process, and then grows, session after session.
struct Recording: ~Copyable, Sendable {
    let path: String
    private let writer: RingWriter<Int16>
    private let shared: Shared
    private let thread: RealtimeThread

    init(path: String) throws(SoundDeviceError) {
        let fault = { (code: Int32, message: String) in
            SoundDeviceError(.open, "file:,\(path)", .playback, code: code, message: message)
        }
        guard let kept = Recordings.shared.claim(path) else {
            throw fault(EBUSY, "this daemon already plays to this file")
        }
        // A second and a third: more than a disk should ever take.
        var ring = Ring<Int16>(capacity: 1 << 16)
        let shared: Shared
        do throws(SoundFileError) {
            shared = Shared(reader: ring.takeReader(), file: try WaveFile(reopening: path, keeping: kept))
        } catch {
            Recordings.shared.release(path, frames: kept)
            throw fault(error.code, error.description)
        }
        do throws(RealtimeThreadError) {
            thread = try RealtimeThread(name: "recording", priority: 0, stackBytes: 128 << 10) {
                shared.run()
                Recordings.shared.release(path, frames: shared.framesWritten)
            }
        } catch {
            Recordings.shared.release(path, frames: kept)
            throw fault(error.code, error.description)
        }
        writer = ring.takeWriter()
        self.shared = shared
        self.path = path
    }

    deinit {
        shared.stop.store(true, ordering: .releasing)
        // All that was played is in the file, unless the disk is stuck; then the thread is left behind.
        _ = thread.join(timeoutMilliseconds: 2_000)
    }

    /// Hands over what is played and returns how much was taken: less when the disk is more than a second behind.
    @_noLocks @_noAllocation
    func write(_ frames: UnsafeBufferPointer<Int16>) -> Int {
        writer.push(contentsOf: frames)
    }

    /// What the loop and the writing thread have in common. `@unchecked`: all but `stop` is the writing thread's.
    private final class Shared: @unchecked Sendable {
        let stop = Atomic(false)
        private let reader: RingReader<Int16>
        private var file: WaveFile

        init(reader: consuming RingReader<Int16>, file: consuming WaveFile) {
            self.reader = reader
            self.file = file
        }

        var framesWritten: Int { file.frameCount }

        func run() {
            withUnsafeTemporaryAllocation(of: Int16.self, capacity: 4_096) { block in
                var isLast = false
                while true {
                    let count = reader.pop(into: block)
                    if count > 0 {
                        file.append(UnsafeBufferPointer(rebasing: block[..<count]))
                    } else if isLast {
                        return
                    } else if stop.load(ordering: .acquiring) {
                        // What was pushed before the stop is seen after it.
                        isLast = true
                    } else {
                        clinux_sleep_until(clinux_monotonic_ns() + 20_000_000)
                    }
                }
            }
        }
    }
}

extension WaveFile {
    /// As `init(path:keeping:)`, but a file that was taken away meanwhile is begun anew.
    init(reopening path: String, keeping frames: Int) throws(SoundFileError) {
        do throws(SoundFileError) { try self.init(path: path, keeping: frames) } catch {
            guard frames > 0 else { throw error }
            try self.init(path: path, keeping: 0)
        }
    }
}

/// The files this process has played to: how far, and which are open.
final class Recordings: Sendable {
    static let shared = Recordings()

    private struct Entry {
        var frames = 0
        var isOpen = false
    }
    private let entries = Mutex<[String: Entry]>([:])

    /// Takes the file for one owner. Returns how many frames it holds of this process, or nil where it is taken.
    func claim(_ path: String) -> Int? {
        entries.withLock { entries in
            guard entries[path]?.isOpen != true else { return nil }
            entries[path, default: Entry()].isOpen = true
            return entries[path]?.frames
        }
    }

    /// Gives it back.
    func release(_ path: String, frames: Int) {
        entries.withLock { $0[path] = Entry(frames: frames, isOpen: false) }
    }
}

extension DeviceName {
    /// Empties the file that stands for this device's loudspeaker, as the daemon does when it starts. Nothing for others.
    public func emptyRecording() throws(SoundDeviceError) {
        guard case .file(_, let output?) = self else { return }
        _ = try Recording(path: output)
    }
}
