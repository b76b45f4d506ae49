internal import EventLoop
internal import Glibc

/// A device that may be missing, vanish and come back: opened, watched, and tried again with back-off.
@DaemonActor final class Attachment {
    /// What the log calls it.
    let name: String
    private let open: () -> Int32
    private let events: Readiness
    private(set) var descriptor: Int32 = -1
    private var watch: DescriptorWatch?
    private var retry: Timer?
    private var backOff: DeviceBackOff
    private var lastFailure: Int32 = 0
    private var isClosed = false
    /// Called when it is open; a negative errno counts as a failure of the device.
    var onOpen: ((Int32) -> Int32)?
    /// Reads what is there; gives a negative errno where the device has gone.
    var onReady: ((Int32) -> Int32)?
    var onLoss: (() -> Void)?
    var note: ((String, _ isProblem: Bool) -> Void)?
    /// The errno of a device that is gone.
    private let goneCode: Int32
    /// Whether it is usual that it is gone, and not worth a word.
    private let mayBeGone: Bool

    /// - Parameters:
    ///   - open: gives a non-blocking descriptor or a negative errno.
    ///   - reads: whether something is read from it.
    ///   - reader: whether it is a pipe that is written to, whose reader comes and goes.
    init(_ name: String, reads: Bool, reader: Bool = false, open: @escaping () -> Int32) {
        self.name = name
        self.open = open
        backOff = DeviceBackOff(limit: .seconds(reader ? 1 : 10))
        goneCode = reader ? ENXIO : ENODEV
        mayBeGone = reader
        events = reads ? .read : []
    }

    /// Opens it now, or as soon as it is there.
    func start() {
        guard !isClosed, descriptor < 0 else { return }
        retry = nil
        let opened = open()
        guard opened >= 0 else { return failed(opened) }
        descriptor = opened
        watch = DescriptorWatch(opened, for: events) { [weak self] readiness in self?.deliver(readiness) }
        let code = watch == nil ? -ENOTSUP : onOpen?(opened) ?? 0
        guard code >= 0 else {
            release()
            return failed(code)
        }
        if lastFailure != 0 { note?("\(name) is there", false) }
        lastFailure = 0
        backOff.reset()
    }

    /// Gives it up until it can be opened again. `code` is the negative errno that says why.
    func lose(_ code: Int32) {
        guard descriptor >= 0 else { return }
        release()
        onLoss?()
        failed(code)
    }

    /// Ends it for good.
    func close() {
        isClosed = true
        retry?.cancel()
        retry = nil
        release()
        onOpen = nil
        onReady = nil
        onLoss = nil
    }

    private func deliver(_ readiness: Readiness) {
        let code = onReady?(descriptor) ?? 0
        if code < 0 {
            lose(code)
        } else if readiness.contains(.hangUp) {
            lose(-goneCode)
        }
    }

    private func release() {
        watch?.cancel()
        watch = nil
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Why it is not open, for people; nil where it is, or where nobody wonders.
    var problem: String? {
        guard descriptor < 0, lastFailure != 0, !isExpected(lastFailure) else { return nil }
        return "\(name): \(reason(-lastFailure)); it is tried again"
    }

    private func isExpected(_ code: Int32) -> Bool { mayBeGone && -code == goneCode }

    private func failed(_ code: Int32) {
        let isNew = code != lastFailure
        lastFailure = code
        if isNew, let problem { note?(problem, true) }
        retry = Timer(after: backOff.next()) { [weak self] in self?.start() }
    }

    private func reason(_ code: Int32) -> String {
        switch code {
        case ENOENT, ENODEV: "there is no such device"
        case EACCES, EPERM: "this user may not open it (see CONTROLS in handset.toml(5))"
        case EBUSY: "somebody else has taken it"
        case ENXIO: "there is no such line or key"
        case ENOTTY: "it is not a device of this kind"
        default: String(cString: strerror(code))
        }
    }
}
