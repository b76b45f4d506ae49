internal import EventLoop
internal import Glibc
internal import Panel

/// What the lights show, in a file or a named pipe, one light a line: `NAME PATTERN`.
///
/// A file holds all lights at every moment. A pipe is told of each that changes, and who opens it for reading of all.
@DaemonActor final class LEDFile {
    private let path: String
    private let note: (String, Bool) -> Void
    private var pipe: Attachment?
    private let file: ReplacedFile?
    private var saves = 0
    private var shown: [(name: String, pattern: LEDPattern)] = []
    /// How long a reader that is slow has to make room.
    private static let pause = Duration.milliseconds(500)
    private var isOwed = false
    /// Why it does not tell what the lights show, for people; nil: it does.
    var problem: String? { pipe?.problem ?? failure }
    private var failure: String?

    init(path: String, note: @escaping (String, Bool) -> Void) {
        self.path = path
        self.note = note
        var status = stat()
        let isPipe = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        file = isPipe ? nil : ReplacedFile(path: path)
        guard isPipe else { return }
        let pipe = Attachment("pipe \(path)", reads: false, reader: true) {
            let descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { return -errno }
            guard EventPipe.isPipe(descriptor) else {
                Glibc.close(descriptor)
                return -ENOTTY
            }
            return descriptor
        }
        pipe.note = { message, isProblem in if isProblem { note(message, isProblem) } }
        pipe.onOpen = { [weak self] _ in
            self?.isOwed = true
            self?.payLater(after: .zero)
            return 0
        }
        self.pipe = pipe
        pipe.start()
    }

    /// Tells what all lights show, in the order of the configuration.
    func show(_ lights: [(name: String, pattern: LEDPattern)]) {
        let old = Dictionary(shown.map { ($0.name, $0.pattern) }, uniquingKeysWith: { first, _ in first })
        shown = lights
        if let pipe {
            guard pipe.descriptor >= 0, !isOwed else { return }
            send(lights.filter { old[$0.name] != $0.pattern })
        } else if let file {
            saves += 1
            let (text, number, note, path) = (Self.text(lights), saves, note, path)
            Task { [weak self] in
                do {
                    try await file.replace(text, number: number)
                    self?.failure = nil
                } catch {
                    let failure =
                        "\(path) cannot be written, the lights are not in it: is its folder there, and ours?"
                    self?.failure = failure
                    note(failure, true)
                }
            }
        }
    }

    func close() { pipe?.close() }

    private static func text(_ lights: [(name: String, pattern: LEDPattern)]) -> String {
        lights.map { "\($0.name) \($0.pattern.rawValue)\n" }.joined()
    }

    private func send(_ lights: [(name: String, pattern: LEDPattern)]) {
        guard let pipe, pipe.descriptor >= 0, !lights.isEmpty else { return }
        // Whole or not at all: it is shorter than PIPE_BUF.
        let bytes = Array(Self.text(lights).utf8)
        let sent = bytes.withUnsafeBytes { write(pipe.descriptor, $0.baseAddress, $0.count) }
        guard sent < 0 else { return }
        guard errno == EAGAIN || errno == EINTR else { return pipe.lose(-ENXIO) }
        isOwed = true
        payLater(after: Self.pause)
    }

    private func payLater(after delay: Duration) {
        Timer(after: delay) { [weak self] in
            guard let self, isOwed else { return }
            isOwed = false
            send(shown)
        }
    }
}
