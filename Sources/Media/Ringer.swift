internal import AudioLoop
internal import CLinux
internal import CallSystem
internal import EventLoop
internal import SoundDevices

/// The ringer on the ring devices: through the audio session on the one that it has open, on the others by itself.
@DaemonActor final class Ringer {
    private let worker: WorkerThread
    private var places: [RingPlace] = []
    private let ended = clinux_eventfd()
    private var endWatch: DescriptorWatch?
    var isRinging = false {
        didSet { if !isRinging { loaded = nil } }
    }
    var sound = RingSound.standard
    /// The file that was read for this ringing, and its tone; nil tone: it could not be read, and the built-in one rings.
    private var loaded: (path: String, tone: SoundClip?)?
    private var loading: String?
    /// Told of each device that does not ring when it should, and of each file that is no ring tone.
    var onFailure: ((String) -> Void)?
    /// Told when the ring tone has been read: `update` has something to do.
    var onReady: (() -> Void)?

    init(worker: WorkerThread) {
        self.worker = worker
        endWatch = DescriptorWatch(ended, for: .read) { [weak self] _ in
            guard let self else { return }
            _ = clinux_eventfd_take(ended)
            for place in places { place.checkLoss() }
        }
    }

    /// Rings, or no longer, where the session leaves room. `session` is nil while it is being opened, and `taken` are the
    /// devices that it plays on or may come to play on.
    ///
    /// - Parameter ringsThroughSession: false where the session's own device carries a call, which has a tone for that.
    func update(
        _ devices: [RingDevice], session: (any LoopSession)?, ringsThroughSession: Bool, taken: [DeviceName],
        periodMilliseconds: Int
    ) {
        let isReady = isRinging && sound != .silent && isToneRead()
        let tone = loaded?.tone
        let shared =
            ringsThroughSession
            ? devices.first { device in taken.contains { device.name.playsOnSame(as: $0) } } : nil
        session?.setRinging(isReady ? shared.map { Ringing(tone: tone, volume: $0.volume) } : nil)
        let wanted =
            isReady ? devices.filter { device in !taken.contains { device.name.playsOnSame(as: $0) } } : []
        for place in places where !wanted.contains(place.device) || place.tone !== tone { place.close() }
        places.removeAll { $0.isClosed }
        for device in wanted where !places.contains(where: { $0.device == device }) {
            let place = RingPlace(
                device, tone: tone, periodMilliseconds: periodMilliseconds, signalling: ended, worker: worker
            ) { [weak self] message in self?.onFailure?(message) }
            places.append(place)
            place.open()
        }
    }

    /// Whether the ring tone is there; where it is not, it is read, and `onReady` told.
    private func isToneRead() -> Bool {
        guard case .file(let path) = sound else {
            loaded = nil
            return true
        }
        if loaded?.path == path { return true }
        guard loading != path else { return false }
        loading = path
        worker.run {
            do throws(SoundDeviceError) {
                return Result<SoundClip, SoundDeviceError>.success(try SoundClip(path: path))
            } catch {
                return .failure(error)
            }
        } then: { [weak self] result in
            guard let self else { return }
            if loading == path { loading = nil }
            guard isRinging, sound == .file(path) else { return }
            switch result {
            case .success(let tone): loaded = (path, tone)
            case .failure(let error):
                loaded = (path, nil)
                onFailure?("ring tone \(path): \(error.message); the built-in one rings")
            }
            onReady?()
        }
        return false
    }
}
