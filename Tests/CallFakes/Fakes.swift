import CallModel
import CallSystem
import EventLoop
import MediaDescription

/// What was asked of signalling and media, in order, as words: `start alice`, `gates A held`.
@DaemonActor final class Log {
    var lines: [String] = []
    /// Whether the lines are kept; else they are counted only.
    var keepsLines = true
    private(set) var count = 0
    /// What was asked of calls that are over, or of streams that are closed.
    private(set) var misuses: [String] = []
    private var over: Set<CallID> = []
    private var names: [CallID: String] = [:]

    /// Calls are A, B, C … in the order in which they are first heard of.
    func name(_ call: CallID) -> String {
        if let name = names[call] { return name }
        let name = String(UnicodeScalar(UInt8(65 + names.count % 26)))
        names[call] = name
        return name
    }

    func note(_ what: String, _ call: CallID, _ rest: String = "") {
        guard keepsLines else { return count += 1 }
        note("\(what) \(name(call))" + (rest.isEmpty ? "" : " \(rest)"))
    }

    func note(_ line: String) {
        count += 1
        if keepsLines { lines.append(line) }
    }

    /// Notes that signalling has said of a call that it is over.
    func ended(_ call: CallID) {
        if over.count == 1_000 { over = [] }
        over.insert(call)
    }

    /// Notes a misuse where `what` is asked of a call that is over.
    func checkAlive(_ call: CallID, _ what: String) {
        if over.contains(call) { misuse("\(what) of a call that is over") }
    }

    func misuse(_ what: String) { misuses.append(what) }

    func taken() -> [String] {
        defer { lines = [] }
        return lines
    }
}

/// Signalling that does what the test says.
@DaemonActor final class FakeSignalling: Signalling {
    weak var observer: (any SignallingObserver)?
    var accounts: [AccountStatus] = []
    var droppedRequests = 0
    func droppedRequests(from address: String) -> Int { droppedRequests }
    let log: Log
    let clock: VirtualClock
    /// What a start meets that is known beforehand, and what it meets when it is begun.
    var checkError: CallError?
    var startError: CallError?
    var answerError: CallError?
    /// Whether whoever is called answers after 30 ms.
    var peersPickUp = false
    /// How the peers answer to re-offers, after 20 ms; nil: not at all.
    var outcome: OfferOutcome? = .accepted

    nonisolated init(log: Log, clock: VirtualClock) {
        self.log = log
        self.clock = clock
    }

    /// The account of calls that name none.
    var firstAccount: String?

    func check(_ handle: Handle, account: String?) throws(CallError) { if let checkError { throw checkError } }

    func start(_ call: CallID, to handle: Handle, account: String?) throws(CallError) -> String? {
        if let startError { throw startError }
        log.note("start", call, handle.value)
        _ = try observer?.localMedia(for: call)
        tell(.inviteSent(call), after: .milliseconds(1))
        if peersPickUp {
            tell(.ringing(call, earlyMedia: false), after: .milliseconds(10))
            tell(.media(call, .plain), after: .milliseconds(30))
            tell(.established(call), after: .milliseconds(30))
        }
        return account ?? firstAccount
    }

    func answer(_ call: CallID) throws(CallError) {
        log.checkAlive(call, "answer")
        if let answerError { throw answerError }
        log.note("answer", call)
        tell(.media(call, .plain), after: .milliseconds(1))
        tell(.established(call), after: .milliseconds(10))
    }

    func reject(_ call: CallID, _ reason: RejectReason) {
        log.checkAlive(call, "reject")
        log.note("reject", call, reason.rawValue)
        tell(.ended(call, .localEnded), after: .milliseconds(1))
    }

    func end(_ call: CallID) {
        log.checkAlive(call, "end")
        log.note("end", call)
        tell(.ended(call, .localEnded), after: .milliseconds(1))
    }

    func setHeld(_ call: CallID, _ held: Bool) {
        log.checkAlive(call, "setHeld")
        log.note("held", call, "\(held)")
    }

    func renegotiate(_ call: CallID, attempt: Int) {
        log.checkAlive(call, "renegotiate")
        log.note("offer", call, "\(attempt)")
        guard let outcome else { return }
        tell(.offerSettled(call, attempt: attempt, outcome), after: .milliseconds(20))
    }

    /// What becomes of a transfer, after 50 ms; nil: nothing is heard of it.
    var transferOutcome: TransferOutcome?
    var followError: CallError?

    func transfer(_ call: CallID, to handle: Handle, attempt: Int) {
        log.note("transfer", call, handle.value)
        settle(call, attempt)
    }

    func transfer(_ call: CallID, replacing other: CallID, attempt: Int) {
        log.note("transfer", call, "to \(log.name(other))")
        settle(call, attempt)
    }

    private func settle(_ call: CallID, _ attempt: Int) {
        guard let transferOutcome else { return }
        tell(.transferSettled(call, attempt: attempt, transferOutcome), after: .milliseconds(50))
    }

    func followTransfer(_ call: CallID, as new: CallID) throws(CallError) {
        if let followError { throw followError }
        log.note("follow", call, "as \(log.name(new))")
        _ = try observer?.localMedia(for: new)
        tell(.inviteSent(new), after: .milliseconds(1))
    }

    func refuseTransfer(_ call: CallID) { log.note("refuseTransfer", call) }

    /// Whether the peers answer when they are asked whether they still have a call; those that do not are given up after
    /// 32 s.
    var peersAreThere = true

    func enquire(_ call: CallID) {
        log.checkAlive(call, "enquire")
        log.note("enquire", call)
        if !peersAreThere { tell(.peerLost(call), after: .seconds(32)) }
    }

    func shutDown(_ done: @escaping @DaemonActor () -> Void) {
        log.note("signalling stops")
        _ = clock.schedule(after: .seconds(1), done)
    }

    func tell(_ event: SignallingEvent, after delay: Duration = .zero) {
        _ = clock.schedule(after: delay) { [weak self] in
            self?.observer?.handle(event)
            if case .ended(let call, _) = event { self?.log.ended(call) }
        }
    }
}

/// Media that acknowledges gates after 5 ms, one period of a small loop.
@DaemonActor final class FakeMedia: MediaControl {
    weak var observer: (any MediaObserver)?
    let log: Log
    let clock: VirtualClock
    var deviceError: CallError?
    var portError: CallError?
    var acknowledges = true
    private(set) var gates: [CallID: Gates] = [:]
    private(set) var groups: [CallID: GroupID] = [:]
    var ringSound = RingSound.standard
    private(set) var ring: RingKind?
    private(set) var tone: CallTone?
    var audioStatus = AudioStatus()
    var serviceStatus: AudioStatus?
    /// Of every open call.
    var figures = CallStatistics()
    var volume = AudioVolume()
    var profileChoice = ProfileChoice.configured
    var profile: ProfileState {
        guard case .always(let chosen) = profileChoice else { return ProfileState() }
        return ProfileState(current: chosen)
    }

    nonisolated init(log: Log, clock: VirtualClock) {
        self.log = log
        self.clock = clock
    }

    func open(_ call: CallID) throws(CallError) -> LocalMedia {
        if let portError { throw portError }
        log.note("open", call)
        gates[call] = Gates()
        return LocalMedia(rtpPort: 4_000, rtcpPort: 4_001)
    }

    func configure(_ call: CallID, _ parameters: StreamParameters) {
        checkOpen(call, "configure")
        log.note("configure", call)
    }

    private func checkOpen(_ call: CallID, _ what: String) {
        if gates[call] == nil { log.misuse("\(what) of a stream that is closed") }
    }

    func activate(_ call: CallID, _ done: @escaping @DaemonActor (CallError?) -> Void) {
        checkOpen(call, "activate")
        log.note("activate", call)
        let error = deviceError
        _ = clock.schedule(after: .milliseconds(2)) { done(error) }
    }

    func setGates(_ call: CallID, _ gates: Gates, applied: @escaping @DaemonActor () -> Void) {
        checkOpen(call, "setGates")
        let words = [(gates.held, "held"), (gates.muted, "muted"), (gates.earmuffed, "earmuffed")]
        log.note("gates", call, words.filter { $0.0 }.map { $0.1 }.joined(separator: "+"))
        self.gates[call] = gates
        if acknowledges { _ = clock.schedule(after: .milliseconds(5), applied) }
    }

    func setGroup(_ call: CallID, _ group: GroupID?) {
        log.note(group == nil ? "ungroup" : "group", call)
        groups[call] = group
    }

    func sendDigits(
        _ call: CallID, _ digits: String, timing: DigitTiming, done: @escaping @DaemonActor (Bool) -> Void
    ) {
        checkOpen(call, "sendDigits")
        log.note("digits", call, digits)
        _ = clock.schedule(after: .milliseconds(100 * digits.utf8.count)) { done(true) }
    }

    func cancelDigits(_ call: CallID) { log.note("cancelDigits", call) }

    func setService(_ call: CallID, _ service: CallService) {
        checkOpen(call, "setService")
        log.note("service", call, service.rawValue)
    }

    /// What becomes of a file that is to be read or written.
    var fileError: CallError?

    func startRecording(
        _ call: CallID, _ wish: RecordingWish, done: @escaping @DaemonActor (Result<String, CallError>) -> Void
    ) {
        checkOpen(call, "startRecording")
        log.note("record", call, wish.file ?? "\(wish.seconds)-\(wish.handle)")
        let result = fileError.map { Result.failure($0) } ?? .success("/recordings/\(wish.file ?? "made.opus")")
        let stops = recordingStops[call]
        _ = clock.schedule(after: .milliseconds(3)) { [self] in
            let isWanted = recordingStops[call] == stops && gates[call] != nil
            done(isWanted ? result : .failure(CallError(.superseded, "It was stopped before.")))
        }
    }

    /// How often the recording of a call was stopped.
    private var recordingStops: [CallID: Int] = [:]

    func stopRecording(_ call: CallID) {
        log.note("stopRecording", call)
        recordingStops[call, default: 0] += 1
    }

    func play(_ call: CallID, file: String, loops: Bool, done: @escaping @DaemonActor (CallError?) -> Void) {
        checkOpen(call, "play")
        log.note("play", call, file + (loops ? " over and over" : ""))
        let error = fileError
        _ = clock.schedule(after: .milliseconds(3)) { done(error) }
    }

    func exchange(
        _ call: CallID, sending samples: [Int16], collecting count: Int,
        done: @escaping @DaemonActor (_ sent: [Int16], _ heard: [Int16]) -> Void
    ) {
        log.note("exchange", call, "\(samples.count)")
        _ = clock.schedule(after: .milliseconds(count / 48)) { done(samples, samples) }
    }

    func endExchange(_ call: CallID) -> Bool { false }

    func stopPlaying(_ call: CallID) { log.note("stopPlaying", call) }

    func close(_ call: CallID) {
        log.note("close", call)
        gates[call] = nil
        groups[call] = nil
    }

    func ring(_ ring: RingKind?) {
        self.ring = ring
        log.note("ring \(ring.map { "\($0)" } ?? "off")")
    }

    func playTone(_ tone: CallTone?) {
        self.tone = tone
        log.note("tone \(tone.map { "\($0)" } ?? "off")")
    }

    /// When the peers were heard last; nil: a moment ago.
    var silentSince: MonotonicInstant?

    func lastHeard(of call: CallID) -> MonotonicInstant? { gates[call] == nil ? nil : silentSince ?? clock.now }

    func statistics(of call: CallID) -> CallStatistics? { gates[call] == nil ? nil : figures }

    func shutDown() { log.note("media stops") }
}

extension StreamParameters {
    /// The same in another direction.
    func flowing(_ direction: MediaDirection) -> StreamParameters {
        var parameters = self
        parameters.direction = direction
        return parameters
    }

    /// PCMA with events, not encrypted.
    static let plain: StreamParameters = {
        let address = MediaAddress(host: "192.0.2.1", port: 9_000)
        var parameters = StreamParameters(
            remoteRTP: address, remoteRTCP: address, direction: .sendrecv, codec: .pcma, sendPayloadType: 8,
            receivePayloadType: 8, packetMilliseconds: 20, security: .none)
        parameters.sendEventPayloadType = 101
        return parameters
    }()
}
