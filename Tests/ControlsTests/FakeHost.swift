import CallModel
import EventLoop
import Glibc
import Panel

@testable import Controls

/// Calls that do at once what is asked of them.
@DaemonActor final class FakeHost: ControlsHost {
    var calls: [CallSnapshot] = []
    var missedCalls = 0
    var lastDialled: DialledNumber?
    var requests: [CallRequest] = []
    var volumeChanges: [Int] = []
    var isSilent = false
    var problems: [String] = []
    var news: [String] = []
    var failure: CallError?

    func perform(
        _ request: CallRequest, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void
    ) {
        requests.append(request)
        if let failure { done(.failure(failure)) }
    }

    func changeVolume(by percent: Int) { volumeChanges.append(percent) }

    func toggleSilent() { isSilent.toggle() }

    func note(_ message: String, isProblem: Bool) {
        if isProblem { problems.append(message) } else { news.append(message) }
    }

    static func ringing() -> CallSnapshot {
        CallSnapshot(
            id: CallID(), direction: .incoming, state: .incoming, handle: Handle(kind: .generic, value: "sip:a@b"))
    }
}

/// A folder of its own, gone with its owner.
final class Folder {
    let path: String

    init() {
        var template = Array("/tmp/handset-controls-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
        }
    }

    deinit {
        for name in ["events", "leds", "plain"] { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}

/// Waits on the event loop's thread's behalf until `condition` is true; false after 10 s.
@DaemonActor func becomes(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<1_000 {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return false
}

/// Writes to a pipe or file that is there.
func put(_ text: String, into path: String) {
    let descriptor = open(path, O_WRONLY | O_NONBLOCK)
    _ = text.withCString { write(descriptor, $0, strlen($0)) }
    close(descriptor)
}

func contents(of path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    return taken(from: descriptor)
}

/// What can be read at once.
func taken(from descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
}
