internal import EventLoop
internal import SoundDevices

/// The hold music: read when the first call is held, and let go when there is none any more.
@DaemonActor final class HoldMusic {
    /// A thread of its own: no sound card waits for a disk.
    private lazy var worker = WorkerThread()
    /// Empty: there is none.
    private(set) var path: String
    private(set) var clip: SoundClip?
    private var isReading = false
    private var hasFailed = false
    /// Told when `clip` is there.
    var onReady: (() -> Void)?
    /// Told, once, of a file that is no sound.
    var onFailure: ((String) -> Void)?

    init(path: String) { self.path = path }

    /// Whether a held party hears it, or will as soon as it is read.
    var isToSound: Bool { !path.isEmpty && !hasFailed }

    /// Takes another path, or tries one again that has failed. False where nothing is new.
    func renew(_ path: String) -> Bool {
        guard path != self.path || hasFailed else { return false }
        self.path = path
        forget()
        return true
    }

    /// Reads it where that has not been done.
    func read() {
        guard isToSound, clip == nil, !isReading else { return }
        isReading = true
        let path = path
        worker.run {
            do throws(SoundDeviceError) {
                let clip = try SoundClip(path: path, limit: SoundClip.longestHoldMusic)
                return Result<SoundClip, SoundDeviceError>.success(clip)
            } catch {
                return .failure(error)
            }
        } then: { [weak self] result in
            guard let self else { return }
            isReading = false
            guard path == self.path else { return read() }
            switch result {
            case .success(let read): clip = read
            case .failure(let error):
                hasFailed = true
                onFailure?("\(path) cannot be played: \(error.message); who is held hears nothing")
            }
            onReady?()
        }
    }

    /// Lets it go; it is read anew when it is wanted again.
    func forget() {
        clip = nil
        hasFailed = false
    }
}
