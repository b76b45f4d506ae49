internal import CLinux
internal import Realtime
internal import Synchronization

/// What the network thread runs.
///
/// `@unchecked`: the queues are locked, the counters atomic, the descriptors constant; the rest is the thread's own.
final class NetworkCore: @unchecked Sendable {
    /// Descriptors that live as long as the process, as the loop may signal `sound` at any time.
    let sound = clinux_eventfd()
    let reportReady = clinux_eventfd()
    private let wakeUp = clinux_eventfd()
    private let epoll = clinux_epoll_create()
    let turns = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)
    private let commands = Mutex<[NetworkThread.Command]>([])
    private let reports = Mutex<[(Int, StreamReport)]>([])

    private struct Open {
        let link: StreamLink
        let stream: RTPStream
    }

    /// A few, all of which are gone through at every wake-up.
    private var streams: [Open] = []
    private let batch = ReceiveBatch()
    private var follower = LoopFollower()

    /// Tokens of the thread's own descriptors; streams have theirs from `firstStreamToken` on.
    private enum Token {
        static let wakeUp: UInt64 = 0
        static let sound: UInt64 = 1
        static let firstStream: UInt64 = 2
    }

    /// Readable streams are served in turns of this many batches, so that a flood at one leaves the others their time.
    private static let batchesPerTurn = 4
    private static let longestWait = 500

    init() {
        precondition(
            sound >= 0 && reportReady >= 0 && wakeUp >= 0 && epoll >= 0, "cannot create epoll or eventfd descriptors")
        _ = clinux_epoll_add(epoll, wakeUp, UInt32(CLINUX_READ), Token.wakeUp)
        // An edge is all that it has to tell: there is no need to read it at every packet.
        _ = clinux_epoll_add(epoll, sound, UInt32(CLINUX_READ | CLINUX_EDGE), Token.sound)
    }

    // MARK: Any thread

    func submit(_ command: NetworkThread.Command) {
        commands.withLock { $0.append(command) }
        _ = clinux_eventfd_signal(wakeUp)
    }

    func stop() {
        stopping.store(true, ordering: .releasing)
        _ = clinux_eventfd_signal(wakeUp)
    }

    func tell(_ number: Int, _ report: StreamReport) {
        reports.withLock { $0.append((number, report)) }
        _ = clinux_eventfd_signal(reportReady)
    }

    func takeReports() -> [(Int, StreamReport)] {
        _ = clinux_eventfd_take(reportReady)
        return reports.withLock { waiting in
            defer { waiting.removeAll(keepingCapacity: true) }
            return waiting
        }
    }

    // MARK: The thread

    func run() {
        let ready = UnsafeMutablePointer<clinux_ready>.allocate(capacity: 64)
        defer { ready.deallocate() }
        var now = clinux_monotonic_ns()
        while !stopping.load(ordering: .acquiring) {
            turns.wrappingAdd(1, ordering: .relaxed)
            let count = clinux_epoll_wait(epoll, ready, 64, wait(at: now))
            now = clinux_monotonic_ns()
            let tokens = UnsafeBufferPointer(start: ready, count: max(0, Int(count))).lazy.map(\.token)
            // Commands come first: what they open or change is as the control side meant it before later packets.
            if tokens.contains(Token.wakeUp) {
                perform()
                // What was opened just now has not been here any earlier.
                now = clinux_monotonic_ns()
            }
            for token in tokens { serve(token, at: now) }
            finishTurn(at: now)
        }
        perform()
        for open in streams { close(open.link.number) }
    }

    private func stream(_ number: Int) -> Open? { streams.first { $0.link.number == number } }

    private func finishTurn(at now: UInt64) {
        for open in streams {
            if let processor = open.link.drain(into: open.stream, at: now), let place = follower.take(processor) {
                Processor.stay(on: place)
            }
            if open.stream.deadline <= now {
                open.stream.tick(at: now)
                open.link.noteChange()
            }
            if open.link.isPublishingDue(at: now) { open.link.publish(open.stream.currentFigures, at: now) }
        }
    }

    private func wait(at now: UInt64) -> Int32 {
        var next = UInt64.max
        for open in streams {
            next = min(next, open.stream.deadline)
            if let deadline = open.link.publishingDeadline { next = min(next, deadline) }
        }
        guard next > now else { return 0 }
        return Int32(min(UInt64(Self.longestWait), (next - now) / 1_000_000 + 1))
    }

    private func perform() {
        _ = clinux_eventfd_take(wakeUp)
        let taken = commands.withLock { waiting in
            defer { waiting.removeAll(keepingCapacity: true) }
            return waiting
        }
        for command in taken { perform(command, at: clinux_monotonic_ns()) }
    }

    private func perform(_ command: NetworkThread.Command, at now: UInt64) {
        switch command {
        case .open(let link):
            let stream = RTPStream(output: link, identity: link.identity, now: now, realTime: clinux_realtime_ns())
            streams.append(Open(link: link, stream: stream))
            let token = Token.firstStream + UInt64(link.number) * 2
            _ = clinux_epoll_add(epoll, link.sockets.rtp.descriptor, UInt32(CLINUX_READ), token)
            _ = clinux_epoll_add(epoll, link.sockets.rtcp.descriptor, UInt32(CLINUX_READ), token + 1)
        case .configure(let number, let parameters, let limits):
            guard let open = stream(number) else { return }
            // What was encoded before the change leaves as it was meant.
            open.link.drain(into: open.stream, at: now)
            open.stream.configure(parameters, limits: limits, at: now)
        case .attach(let number, let box, let playout):
            if let ends = box.take() { stream(number)?.link.attach(ends, playout: playout) }
        case .restartClock(let number):
            stream(number)?.stream.restartSendClock()
        case .sendDigits(let number, let keys, let timing, let request):
            guard let open = stream(number) else { return tell(number, .digitsDone(request: request, sent: false)) }
            open.stream.sendDigits(keys, timing: timing, request: request, at: now)
        case .cancelDigits(let number):
            stream(number)?.stream.cancelDigits()
        case .close(let number):
            close(number)
        }
    }

    private func close(_ number: Int) {
        guard let index = streams.firstIndex(where: { $0.link.number == number }) else { return }
        let open = streams.remove(at: index)
        let now = clinux_monotonic_ns()
        open.link.drain(into: open.stream, at: now)
        open.stream.close(at: now)
        open.link.publish(open.stream.currentFigures, at: now)
        _ = clinux_epoll_remove(epoll, open.link.sockets.rtp.descriptor)
        _ = clinux_epoll_remove(epoll, open.link.sockets.rtcp.descriptor)
    }

    private func serve(_ token: UInt64, at now: UInt64) {
        switch token {
        case Token.wakeUp, Token.sound: return
        default:
            // A stream closed earlier in this turn is no longer in the table.
            guard let open = stream(Int((token - Token.firstStream) / 2)) else { return }
            receive(open, on: token % 2 == 0 ? .rtp : .rtcp, at: now)
        }
    }

    private func receive(_ open: Open, on socket: StreamSocket, at now: UInt64) {
        let descriptor = socket == .rtp ? open.link.sockets.rtp.descriptor : open.link.sockets.rtcp.descriptor
        open.link.noteChange()
        for round in 0..<Self.batchesPerTurn {
            // One comes at a time as a rule: room for many is made where more wait.
            let most = round == 0 ? 2 : ReceiveBatch.capacity
            let isFull = batch.receive(from: descriptor, atMost: most) { datagram, endpoint in
                open.stream.receive(datagram, from: endpoint, on: socket, at: now)
            }
            if !isFull { return }
        }
    }
}

/// Room for the datagrams of one system call.
private struct ReceiveBatch: ~Copyable {
    static let capacity = 16
    /// More than any packet of ours; longer ones are cut off, and so no packets.
    private static let stride = 2_048
    private let datagrams = UnsafeMutablePointer<clinux_datagram>.allocate(capacity: capacity)
    private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * stride)

    init() {
        datagrams.initialize(repeating: clinux_datagram(), count: Self.capacity)
        bytes.initialize(repeating: 0, count: Self.capacity * Self.stride)
    }

    deinit {
        datagrams.deallocate()
        bytes.deallocate()
    }

    /// Takes what waits, at most `most` and what there is room for, and returns whether more may.
    func receive(
        from descriptor: Int32, atMost most: Int, _ body: (UnsafeMutableRawBufferPointer, Endpoint) -> Void
    ) -> Bool {
        let most = min(most, Self.capacity)
        let taken = Int(clinux_udp_receive(descriptor, datagrams, Int32(most), bytes, UInt32(Self.stride)))
        for index in 0..<min(max(0, taken), most) {
            let datagram = datagrams[index]
            guard datagram.length <= UInt32(Self.stride) else { continue }
            let start = UnsafeMutableRawPointer(bytes + index * Self.stride)
            body(UnsafeMutableRawBufferPointer(start: start, count: Int(datagram.length)), Endpoint(datagram.from))
        }
        return taken == most
    }
}
