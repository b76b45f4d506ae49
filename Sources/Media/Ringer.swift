internal import AudioLoop
internal import EventLoop
internal import SoundDevices
internal import Synchronization

/// The ringer on the ring devices: through the audio session on the one that it has open, on the others by itself.
@DaemonActor final class Ringer {
    /// A session of the ringer on its way from the thread that opens it to the one that closes it.
    private final class Box: Sendable {
        private let content = Mutex<RingerSession?>(nil)
        private let isSilenced = Mutex(false)

        /// Returns why devices do not ring.
        func open(_ devices: [DeviceName], periodMilliseconds: Int) -> [AudioSessionError] {
            guard !isSilenced.withLock({ $0 }) else { return [] }
            do throws(AudioSessionError) {
                let session = try RingerSession(devices: devices, periodMilliseconds: periodMilliseconds)
                content.withLock { $0 = session }
                if isSilenced.withLock({ $0 }) { session.silence() }
                return session.failures
            } catch {
                return [error]
            }
        }

        func silence() {
            isSilenced.withLock { $0 = true }
            content.withLock { $0?.silence() }
        }

        func close() {
            let session = content.withLock { content in
                defer { content = nil }
                return content
            }
            session?.close()
        }
    }

    private let worker: WorkerThread
    private var open: (devices: [DeviceName], box: Box)?
    var isRinging = false
    /// Told of each device that does not ring when it should.
    var onFailure: ((String) -> Void)?

    init(worker: WorkerThread) { self.worker = worker }

    /// Rings, or no longer, where the session leaves room. `session` is nil while it is being opened, and `taken` are the
    /// devices that it plays on or may come to play on.
    func update(_ devices: [DeviceName], session: (any LoopSession)?, taken: [DeviceName], periodMilliseconds: Int) {
        let isShared = devices.contains { device in taken.contains { device.playsOnSame(as: $0) } }
        session?.setRinging(isRinging && isShared)
        let wanted = isRinging ? devices.filter { device in !taken.contains { device.playsOnSame(as: $0) } } : []
        guard wanted != open?.devices ?? [] else { return }
        if let box = open?.box {
            box.silence()
            worker.run { box.close() }
        }
        open = nil
        guard !wanted.isEmpty else { return }
        let box = Box()
        open = (wanted, box)
        worker.run {
            box.open(wanted, periodMilliseconds: periodMilliseconds)
        } then: { [weak self] failures in
            for failure in failures { self?.onFailure?(failure.description) }
        }
    }
}
