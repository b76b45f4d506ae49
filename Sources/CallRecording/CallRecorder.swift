public import AudioLoop
internal import CLinux
internal import Glibc
internal import Realtime
internal import Synchronization

/// Writes what a tap gives into a file, on a thread of its own, until it is told to stop.
///
/// Safe from any thread. Sound that is missing, because the call had no device or the disk was too slow, is silence, so that
/// every moment is where it belongs.
public final class CallRecorder: Sendable {
    /// How a recording has ended.
    public struct End: Sendable, Hashable {
        public var path: String
        /// Seconds of sound in it.
        public var seconds: Double
        /// Milliseconds that are silence because the disk was too slow for them.
        public var droppedMilliseconds: Double
        /// What made it end; nil: it was told to.
        public var failure: RecordingError?
        /// There is no file any more: it had no sound, or was not wanted.
        public var isRemoved: Bool
    }

    public let tap: SoundTap
    public let path: String
    private let shared: Shared
    private let thread: RealtimeThread

    /// Makes the file, which must not be there. It may take as long as the disk does: not for the event loop's thread.
    ///
    /// - Parameter onEnd: is told on another thread, once.
    public init(
        _ tap: SoundTap, path: String, format: RecordingFormat, onEnd: @escaping @Sendable (End) -> Void
    ) throws(RecordingError) {
        guard let reader = tap.takeReader() else {
            throw RecordingError(path: path, reason: "the call's sound is given to another recording")
        }
        let file = try RecordingFile(path: path, format: format)
        if let failure = file.failure {
            unlink(path)
            throw failure
        }
        let shared = Shared(reader: reader, file: file, tap: tap)
        do throws(RealtimeThreadError) {
            thread = try RealtimeThread(name: "recorder", priority: 0) { onEnd(shared.run()) }
        } catch {
            unlink(path)
            throw RecordingError(path: path, reason: error.description)
        }
        self.shared = shared
        self.tap = tap
        self.path = path
    }

    deinit { stop() }

    /// Writes what has come so far, and ends the file; one without any sound is removed. Returns at once.
    public func stop() { shared.stopping.store(true, ordering: .releasing) }

    /// Ends it and removes the file. Returns at once.
    public func discard() {
        shared.isDiscarded.store(true, ordering: .relaxed)
        stop()
    }

    /// Whether it was discarded.
    public var isDiscarded: Bool { shared.isDiscarded.load(ordering: .relaxed) }

    /// Waits until it has ended, at most this long.
    public func join(timeoutMilliseconds: Int) -> Bool { thread.join(timeoutMilliseconds: timeoutMilliseconds) }

    /// What both threads have in common. `@unchecked`: all but `stopping` and `isDiscarded` is the writing thread's.
    private final class Shared: @unchecked Sendable {
        let stopping = Atomic(false)
        let isDiscarded = Atomic(false)
        private let reader: RingReader<TappedSound>
        private var file: RecordingFile
        private let tap: SoundTap
        private var timeline = RecordingTimeline(now: clinux_monotonic_ns())

        init(reader: consuming RingReader<TappedSound>, file: consuming RecordingFile, tap: SoundTap) {
            self.reader = reader
            self.file = file
            self.tap = tap
        }

        func run() -> End {
            var isLast = false
            while file.failure == nil {
                if takeAll() { continue }
                if isLast { break }
                // What was pushed before the stop is seen after it.
                isLast = stopping.load(ordering: .acquiring)
                if !isLast {
                    file.appendSilence(frames: timeline.pass(until: clinux_monotonic_ns()))
                    // So much is lost where the process is killed.
                    clinux_sleep_until(clinux_monotonic_ns() + 100_000_000)
                }
            }
            if file.failure == nil { file.finish() }
            let isRemoved = timeline.frames == 0 || !file.hasSound || isDiscarded.load(ordering: .relaxed)
            if isRemoved { unlink(file.path) }
            return End(
                path: file.path, seconds: Double(timeline.frames) / 48_000,
                droppedMilliseconds: Double(tap.droppedFrames) / 48, failure: file.failure, isRemoved: isRemoved)
        }

        /// Writes what waits; false where that is nothing.
        private func takeAll() -> Bool {
            let now = clinux_monotonic_ns()
            var frames: [Int16] = []
            frames.reserveCapacity(2 * 9_600)
            var hasTaken = false
            while let part = reader.pop() {
                hasTaken = true
                let placing = timeline.place(start: part.start, count: part.count, now: now)
                if placing.silence > 0 {
                    write(&frames)
                    file.appendSilence(frames: placing.silence)
                }
                for index in (2 * placing.skipped)..<max(2 * part.count, 2 * placing.skipped) {
                    frames.append(part.frames[index])
                }
                if frames.count >= 2 * 9_600 { write(&frames) }
            }
            write(&frames)
            return hasTaken
        }

        private func write(_ frames: inout [Int16]) {
            guard !frames.isEmpty else { return }
            frames.withUnsafeBufferPointer { file.append($0) }
            frames.removeAll(keepingCapacity: true)
        }
    }
}
