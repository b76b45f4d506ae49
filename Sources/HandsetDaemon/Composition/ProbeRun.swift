internal import CallModel
internal import CallSystem
internal import ControlProtocol
internal import EventLoop
internal import Probing

/// One probe: dials, sends its signal once there is an answer, hangs up and measures what came back.
@DaemonActor final class ProbeRun {
    let call: CallID
    private let wish: ProbeWish
    private let signal: ProbeSignal
    private let center: CallCenter
    private let media: any MediaControl
    private let readAt: MonotonicInstant
    /// nil once it has been told.
    private var done: (@DaemonActor @Sendable (CallID, Result<ProbeReport, CallError>) -> Void)?
    private var isSending = false
    private var report: ProbeReport

    init(
        _ wish: ProbeWish, center: CallCenter, media: any MediaControl, readAt: MonotonicInstant,
        done: @escaping @DaemonActor @Sendable (CallID, Result<ProbeReport, CallError>) -> Void
    ) {
        self.wish = wish
        call = wish.id ?? CallID()
        self.center = center
        self.media = media
        self.readAt = readAt
        self.done = done
        signal = ProbeSignal(seconds: wish.seconds, frequency: wish.frequency, level: wish.level)
        report = ProbeReport(handle: wish.handle)
    }

    func begin() {
        center.start(.probe, wish.handle, account: wish.account, id: call, readAt: readAt) { [weak self] result in
            if case .failure(let error) = result { self?.finish(.failure(error)) }
        }
    }

    /// Its call has changed.
    func note(_ call: CallSnapshot) {
        switch call.state {
        case .connected where !isSending: send()
        case .ended where !report.isStopped:
            finish(
                .failure(
                    isSending
                        ? CallError(.refused, "\(call.handle.value) has hung up before the probe was over")
                        : CallError(endOf: call)))
        default: break
        }
    }

    /// Its call is about to be ended here: what has been measured until now is the answer.
    func stop() {
        guard isSending, done != nil, !report.isStopped, media.endExchange(call) else { return }
        report.isStopped = true
        takeStatistics()
    }

    private func send() {
        isSending = true
        report.connectMs = MonotonicInstant.now.milliseconds(since: readAt)
        let samples = signal.samples
        media.exchange(call, sending: samples, collecting: samples.count + 2 * ProbeSignal.restSamples) {
            [weak self] sent, heard in
            self?.hasCollected(sent, heard)
        }
    }

    /// While its call has them.
    private func takeStatistics() {
        let statistics = center.statistics(of: call) ?? CallStatistics()
        report.codec = statistics.codec.isEmpty ? nil : statistics.codec
        report.security = statistics.security.isEmpty ? nil : statistics.security
        report.packetsSent = statistics.sent.packets
        report.packetsReceived = statistics.received.packets
        report.lost = statistics.lost
        report.late = statistics.late
        report.jitterMs = statistics.jitterMilliseconds
        report.remoteLostPercent = statistics.remote.lost * 100
    }

    private func hasCollected(_ sent: [Int16], _ heard: [Int16]) {
        if !report.isStopped { takeStatistics() }
        let (signal, report, done) = (signal, report, done)
        self.done = nil
        // Where it was to be ended, it may not have been.
        center.perform(.end(call), readAt: .now) { _ in }
        let call = call
        // Some tens of milliseconds of work.
        Task.detached {
            var report = report
            report.heard = ProbeAnalysis(signal, sent: sent, heard: heard).figures.map(ProbeReport.Heard.init)
            let measured = report
            await Self.tell { done?(call, .success(measured)) }
        }
    }

    private static func tell(_ body: @DaemonActor @Sendable () -> Void) { body() }

    private func finish(_ result: Result<ProbeReport, CallError>) {
        let done = done
        self.done = nil
        done?(call, result)
    }
}

extension ProbeReport.Heard {
    init(_ figures: ProbeFigures) {
        self.init()
        levelDbfs = figures.level
        frequencyHz = figures.frequency
        snrDb = figures.signalToNoise
        noiseDbfs = figures.noise
        delayMs = figures.delay
        leastDelayMs = figures.leastDelay
        mostDelayMs = figures.mostDelay
        gaps = figures.gaps
        gapMs = figures.gapMilliseconds
        longestGapMs = figures.longestGap
    }
}
