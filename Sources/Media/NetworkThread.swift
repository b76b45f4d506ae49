internal import AudioLoop
internal import CLinux
internal import MediaDescription
internal import Quality
internal import RTP
internal import Realtime
internal import Synchronization

/// The thread that receives, authenticates, protects and sends all calls' RTP and RTCP. It may lock; the audio loop, which
/// it meets only in rings, may not.
///
/// Its methods are safe from any thread and return at once. It ends when nobody holds it.
final class NetworkThread: Sendable {
    /// What the control side asks for; the number is a stream's.
    enum Command: Sendable {
        case open(StreamLink)
        case configure(Int, StreamParameters, SendControl.Limits)
        /// Rings of the loop, in a box that is emptied once, and what it does with what has come.
        case attach(Int, EndsBox, @Sendable () -> PlayoutFigures)
        /// The loop counts its timestamps anew.
        case restartClock(Int)
        case sendDigits(Int, String, DigitSender.Timing, request: Int)
        case cancelDigits(Int)
        /// Says goodbye and closes the sockets.
        case close(Int)
    }

    /// Carries rings through a queue, which a value without copies cannot pass.
    final class EndsBox: Sendable {
        private let ends: Mutex<NetworkEnds?>
        init(_ ends: consuming NetworkEnds) { self.ends = Mutex(consume ends) }
        func take() -> NetworkEnds? { ends.withLock { $0.take() } }
    }

    private let core: NetworkCore
    private let thread: RealtimeThread

    /// Starts the thread. It runs before everything that is not sound, and after the audio loop.
    init() throws(RealtimeThreadError) {
        let core = NetworkCore()
        self.core = core
        thread = try RealtimeThread(name: "handset-net", priority: 10) { core.run() }
    }

    deinit { core.stop() }

    func submit(_ command: Command) { core.submit(command) }

    /// To be signalled when a call's outbound ring has something: open as long as the process runs.
    var soundDescriptor: Int32 { core.sound }

    /// Readable when `takeReports` has something.
    var reportDescriptor: Int32 { core.reportReady }

    func takeReports() -> [(Int, StreamReport)] { core.takeReports() }

    /// Makes the report of a stream known; for `StreamLink`.
    var tell: @Sendable (Int, StreamReport) -> Void {
        { [core] number, report in core.tell(number, report) }
    }

    /// Turns made: at least two a second while all is well.
    var turns: Int { core.turns.load(ordering: .relaxed) }
}
