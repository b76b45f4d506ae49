internal import AudioLoop
internal import CallModel
internal import Glibc

/// Explains the xruns of a loop's audio sessions, as the loop has noted them and as the machine was meanwhile.
struct XrunWatch {
    private(set) var last: (xrun: Xrun, cause: XrunReport.Cause)?
    private let loop: String
    private var counted = 0
    private var stolen: Int?

    /// - Parameter loop: what it is called.
    init(of loop: String = "the audio loop") { self.loop = loop }

    /// Another session has opened; what the last one had stays known.
    mutating func restart() { counted = 0 }

    /// Whether there were some since it last looked. Who only wants to know of those looks where there were: what was stolen
    /// before a look explains nothing that is counted after it.
    func isBehind(_ statistics: AudioSessionStatistics) -> Bool { statistics.xruns > counted }

    /// To be called every few seconds. Returns what to say of the xruns since then; nil where there were none.
    ///
    /// - Parameters:
    ///   - stolen: what other virtual machines had of the processors since the start, in milliseconds.
    ///   - scheduling: of the loop's thread.
    mutating func look(at statistics: AudioSessionStatistics, stolen: Int, scheduling: String) -> String? {
        let taken = stolen - (self.stolen ?? stolen)
        self.stolen = stolen
        guard isBehind(statistics), let xrun = statistics.lastXrun else { return nil }
        let new = statistics.xruns - counted
        counted = statistics.xruns
        var cause =
            switch xrun.cause {
            case .lateWakeUp: XrunReport.Cause.lateWakeUp
            case .longTurn: XrunReport.Cause.longTurn
            case .suspended: XrunReport.Cause.suspended
            case .card: XrunReport.Cause.card
            }
        // What was stolen makes a turn long as well as late.
        let isLate = cause == .lateWakeUp || cause == .longTurn
        if isLate && Double(taken) > xrun.lateMilliseconds / 2 { cause = .stolenTime }
        last = (xrun, cause)
        let beginning = new == 1 ? "xrun" : "\(new) xruns, the last one"
        return "\(beginning) of \(xrun.isPlayback ? "playback" : "capture"): "
            + explain(xrun, cause, stolen: taken, scheduling: scheduling)
    }

    private func explain(_ xrun: Xrun, _ cause: XrunReport.Cause, stolen: Int, scheduling: String) -> String {
        let late = Self.tenths(xrun.lateMilliseconds)
        let ahead = xrun.isPlayback ? ", \(Self.tenths(xrun.aheadMilliseconds)) ms lay ahead of the loudspeaker" : ""
        switch cause {
        case .lateWakeUp: return "\(loop) was woken \(late) ms late\(ahead) (\(scheduling))"
        case .longTurn: return "a turn of \(loop) took so long that sound was \(late) ms late\(ahead)"
        case .suspended: return "the machine was suspended"
        case .stolenTime:
            return "other virtual machines had the processor for \(stolen) ms, sound was \(late) ms late\(ahead)"
        case .card: return "the card stopped by itself, \(loop) was in time"
        }
    }

    private static func tenths(_ milliseconds: Double) -> String {
        let tenths = Int(milliseconds * 10 + 0.5)
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// The last xrun as it is seen at `now` (CLOCK_MONOTONIC, ns).
    func report(at now: UInt64) -> XrunReport? {
        last.map { xrun, cause in
            XrunReport(
                cause: cause, age: Double(now - min(xrun.time, now)) / 1e9, lateMilliseconds: xrun.lateMilliseconds,
                aheadMilliseconds: xrun.aheadMilliseconds, isPlayback: xrun.isPlayback)
        }
    }

    /// What other virtual machines had of the processors since the start, in milliseconds; 0 where nobody says.
    static func stolenMilliseconds() -> Int {
        let file = open("/proc/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(file, &bytes, bytes.count)
        let ticks = stolenTicks(bytes.prefix(max(0, count)))
        return ticks * 1_000 / max(1, sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The eighth number of the first line, `cpu` (proc_stat(5)); 0 where there is none.
    static func stolenTicks(_ text: some Sequence<UInt8>) -> Int {
        let line = text.prefix { $0 != 0x0A }
        let words = line.split(separator: 0x20)
        guard words.count > 8, let ticks = Int(String(decoding: words[8], as: UTF8.self)) else { return 0 }
        return min(max(0, ticks), 1 << 50)
    }
}
