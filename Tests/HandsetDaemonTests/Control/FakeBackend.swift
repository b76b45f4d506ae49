import CallModel
import ControlProtocol
import EventLoop
import Glibc
import MediaDescription
import Settings

@testable import HandsetDaemon

/// Answers everything; `hold` and a probe of more than a second only when the test says so.
@DaemonActor final class FakeBackend: ControlBackend {
    var calls: [CallSnapshot] = []
    var status = DaemonStatus(version: "test", instance: "")
    let reception: any ReceptionBackend
    private(set) var performed: [CallRequest] = []
    private var held: [@DaemonActor () -> Void] = []

    init(reception: any ReceptionBackend = Reception(Settings(), stateDirectory: nil)) { self.reception = reception }

    nonisolated static let call = CallSnapshot(
        id: CallID(), direction: .outgoing, state: .connected, handle: Handle(kind: .generic, value: "a"))

    func perform(
        _ request: CallRequest, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void
    ) {
        performed.append(request)
        let result = ActionResult(call: Self.call, changed: true, elapsedMs: Double(performed.count))
        switch request {
        case .hold: held.append { done(.success(result)) }
        case .answer: done(.failure(CallError(.refused, "the peer refused", sipStatus: 488)))
        default: Timer(after: .zero) { done(.success(result)) }
        }
    }

    func release() {
        let waiting = held
        held = []
        for done in waiting { done() }
    }

    func transaction(
        _ requests: [CallRequest], readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<[ActionReport], CallError>) -> Void
    ) {
        let result = ActionResult(call: Self.call, changed: true, elapsedMs: 1)
        done(.success(requests.map { ActionReport(request: $0, result: .success(result), elapsedMs: 1) }))
    }

    private func fulfil(_ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void) {
        done(.success(ActionResult(call: Self.call, changed: true, elapsedMs: 1)))
    }

    func startRecording(
        _ call: CallID, file: String?, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void
    ) {
        fulfil(done)
    }

    func stopRecording(
        _ call: CallID, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void
    ) {
        fulfil(done)
    }

    func play(
        _ file: String, loops: Bool, to call: CallID, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void
    ) {
        fulfil(done)
    }

    func stopPlaying(
        to call: CallID, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void
    ) {
        fulfil(done)
    }

    func probe(
        _ wish: ProbeWish, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ProbeReport, CallError>) -> Void
    ) {
        let answer: @DaemonActor () -> Void = { done(.success(ProbeReport(handle: wish.handle))) }
        if wish.seconds > 1 { held.append(answer) } else { answer() }
    }

    func statistics(of call: CallID?) throws(CallError) -> StatisticsReport {
        if call != nil { throw CallError(.unknownCall, "there is no such call") }
        return StatisticsReport(calls: [], loop: LoopFigures())
    }

    func listDevices(_ done: @escaping @DaemonActor (Result<[DeviceInfo], CallError>) -> Void) {
        done(.success([]))
    }

    private var profile = ProfileState()

    func setProfile(_ choice: ProfileChoice?) -> ProfileState {
        if case .always(let chosen)? = choice { profile.current = chosen }
        if case .configured? = choice { profile.current = profile.configured }
        return profile
    }

    func setVolume(
        capture: Int?, playback: Int?, _ done: @escaping @DaemonActor (Result<VolumeInfo, CallError>) -> Void
    ) {
        done(.success(VolumeInfo(capture: capture, playback: playback)))
    }

    func reload(_ done: @escaping @DaemonActor (Result<ReloadReport, CallError>) -> Void) {
        done(.success(ReloadReport(applied: [], needRestart: [])))
    }
}

/// A server on a socket of its own, ended with the test.
final class ServedSocket: Sendable {
    let path: String
    let server: ControlServer
    let backend: FakeBackend

    init() async throws {
        EventLoop.shared.runInBackground()
        path = "/tmp/handset-test-\(getpid())-\(CallID()).sock"
        let path = path
        (backend, server) = try await Task { @DaemonActor in
            let backend = FakeBackend()
            let server = ControlServer(group: "", backend: backend)
            try server.listen(path: path)
            return (backend, server)
        }.value
    }

    func close() async { await server.close() }

    @DaemonActor func setPatience(_ patience: Duration) { server.errandPatience = patience }

    /// A client of it.
    func client() throws -> LineClient {
        guard let client = LineClient(path) else { throw CallError(.timedOut, "cannot connect to \(path)") }
        return client
    }
}
