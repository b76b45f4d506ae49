internal import AudioLoop
internal import EventLoop
internal import SoundDevices
internal import Synchronization

/// A device that rings by itself: opened on the worker's thread, and again with back-off where it is missing or lost.
@DaemonActor final class RingPlace {
    /// A ringer on its way from the thread that opens it to the one that closes it.
    private final class Box: Sendable {
        private let content = Mutex<RingerSession?>(nil)
        private let isSilenced = Mutex(false)

        /// Returns why it does not ring.
        func open(_ device: DeviceName, _ ringing: Ringing, periodMilliseconds: Int, signalling: Int32) -> String? {
            guard !isSilenced.withLock({ $0 }) else { return nil }
            do throws(AudioSessionError) {
                let session = try RingerSession(
                    device: device, ringing: ringing, periodMilliseconds: periodMilliseconds, signalling: signalling)
                content.withLock { $0 = session }
                if isSilenced.withLock({ $0 }) { session.silence() }
                return nil
            } catch { return error.description }
        }

        var loss: String? { content.withLock { $0?.loss } }

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

    let device: RingDevice
    let tone: SoundClip?
    private let periodMilliseconds: Int
    private let descriptor: Int32
    private let worker: WorkerThread
    private let complain: (String) -> Void
    private var box: Box?
    private var retry: Timer?
    private var backOff = DeviceBackOff()
    private var lastComplaint: String?
    private(set) var isClosed = false

    /// - Parameter complain: told why it does not ring, once for each reason.
    init(
        _ device: RingDevice, tone: SoundClip?, periodMilliseconds: Int, signalling descriptor: Int32,
        worker: WorkerThread, complain: @escaping (String) -> Void
    ) {
        self.device = device
        self.tone = tone
        self.periodMilliseconds = periodMilliseconds
        self.descriptor = descriptor
        self.worker = worker
        self.complain = complain
    }

    func open() {
        guard !isClosed else { return }
        let box = Box()
        self.box = box
        let (name, ringing) = (device.name, Ringing(tone: tone, volume: device.volume))
        let (period, descriptor) = (periodMilliseconds, descriptor)
        worker.run {
            box.open(name, ringing, periodMilliseconds: period, signalling: descriptor)
        } then: { [weak self] failure in
            guard let self, !isClosed else { return }
            if let failure {
                tryAgain(failure)
            } else {
                checkLoss()
            }
        }
    }

    /// Opens it anew where it has been lost.
    func checkLoss() {
        guard !isClosed, let box, let loss = box.loss else { return }
        self.box = nil
        worker.run { box.close() }
        tryAgain(loss)
    }

    func close() {
        isClosed = true
        retry?.cancel()
        guard let box else { return }
        self.box = nil
        box.silence()
        worker.run { box.close() }
    }

    private func tryAgain(_ failure: String) {
        if failure != lastComplaint { complain(failure) }
        lastComplaint = failure
        retry = Timer(after: backOff.next()) { [weak self] in self?.open() }
    }
}
