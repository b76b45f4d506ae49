internal import CLinux
internal import Glibc
internal import Threads

/// The terminal of this process, taken for drawing and given back.
struct LiveTerminal: Sendable {
    /// What comes from it.
    enum Input: Sendable {
        case keys([Key])
        /// SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGTERM or SIGHUP.
        case signal(Int32)
        /// Nobody can type any more.
        case end
    }

    /// Milliseconds after which an Escape is one, and not the beginning of another key.
    private static let escapeTime: Int32 = 50

    let write: @Sendable (String) -> Void

    /// Whether somebody sits at a terminal that one can draw on.
    static func isThere(kind: String?) -> Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && Look.canDraw(on: kind)
    }

    /// Its size; 80 by 24 where it does not say.
    var size: ScreenPainter.Size {
        var (columns, rows): (Int32, Int32) = (0, 0)
        guard clinux_terminal_size(STDOUT_FILENO, &columns, &rows) == 0, columns > 0, rows > 0 else {
            return .init(columns: 80, rows: 24)
        }
        return .init(columns: Int(columns), rows: Int(rows))
    }

    func take() {
        _ = clinux_terminal_take(STDIN_FILENO)
        write(ScreenPainter.enter)
    }

    func giveBack() {
        write(ScreenPainter.leave)
        _ = clinux_terminal_restore(STDIN_FILENO)
    }

    /// Gives the terminal back, stops this process until it is continued, and takes the terminal again.
    func stop() {
        giveBack()
        clinux_terminal_stop()
        take()
    }

    /// Ends this process as `signal` does where nobody catches it, so that who started it knows.
    func end(by number: Int32) -> Never {
        giveBack()
        clinux_terminal_end(number)
    }

    /// Keys and signals, read by a thread of their own. Once a process.
    func inputs() throws(Failure) -> AsyncStream<Input> {
        let signals = clinux_terminal_signals()
        guard signals >= 0 else { throw .failed("cannot catch signals: \(String(cString: strerror(-signals)))") }
        // Who types faster than this is read is no person.
        let (stream, inputs) = AsyncStream<Input>.makeStream(bufferingPolicy: .bufferingOldest(256))
        try DetachedThread.run { Self.read(signals, inputs) }
        return stream
    }

    private static func read(_ signals: Int32, _ inputs: AsyncStream<Input>.Continuation) {
        var decoder = KeyDecoder()
        var buffer = [UInt8](repeating: 0, count: 256)
        while true {
            var polled = [
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&polled, 2, decoder.isWaiting ? escapeTime : -1)
            if count == 0 { inputs.yield(.keys(decoder.flush())) }
            guard count > 0 else { continue }
            if polled[0].revents != 0, Glibc.read(signals, &buffer, 1) == 1 { inputs.yield(.signal(Int32(buffer[0]))) }
            guard polled[1].revents != 0 else { continue }
            let taken = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if taken < 0, errno == EINTR || errno == EAGAIN { continue }
            guard taken > 0 else {
                inputs.yield(.end)
                return
            }
            let keys = decoder.take(buffer[..<taken])
            if !keys.isEmpty { inputs.yield(.keys(keys)) }
        }
    }
}
