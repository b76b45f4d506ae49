import CallModel
import CallSystem
import EventLoop
import MediaDescription
import SIP
@testable import SIPSignalling

/// What stands above signalling, for tests: notes the events and opens sockets that are none.
@DaemonActor final class FakeCalls: SignallingObserver {
    private(set) var log: [String] = []
    private(set) var media: [StreamParameters] = []
    private(set) var incoming: [CallID] = []
    private(set) var offered: [IncomingCall] = []
    private(set) var strangers: [String] = []
    private(set) var accounts: [AccountStatus] = []
    var hasPorts = true
    var onTransferRequest: (@DaemonActor (CallID) -> Void)?
    private var nextPort: UInt16 = 20_000

    func localMedia(for call: CallID) throws(CallError) -> LocalMedia {
        guard hasPorts else { throw CallError(.mediaFailed, "No port is free.") }
        nextPort += 2
        return LocalMedia(rtpPort: nextPort, rtcpPort: nextPort + 1)
    }

    func handle(_ event: SignallingEvent) {
        switch event {
        case .incoming(let call):
            incoming.append(call.id)
            offered.append(call)
            note("incoming \(call.from.kind.rawValue) \(call.displayName ?? "-") \(call.account ?? "direct")")
        case .inviteSent: note("inviteSent")
        case .ringing(_, let earlyMedia): note(earlyMedia ? "ringing with media" : "ringing")
        case .established: note("established")
        case .media(_, let parameters):
            media.append(parameters)
            note("media \(parameters.direction.rawValue)")
        case .remoteHold(_, let held): note("remoteHold \(held)")
        case .offerSettled(_, let attempt, let outcome): note("settled \(attempt) \(outcome)")
        case .transferAllowed(_, let allowed): note("transferAllowed \(allowed)")
        case .transferProgress(_, let status): note("progress \(status)")
        case .transferSettled(_, _, .answered): note("transferred")
        case .transferSettled(_, _, .failed(let error)):
            note("transfer failed \(error.reason.rawValue) \(error.sipStatus ?? 0)")
        case .transferRequested(let call, let handle):
            note("requested \(handle.value)")
            onTransferRequest?(call)
        case .digit(_, let digit, _): note("digit \(digit)")
        case .peerLost: note("peerLost")
        case .ended(_, let reason): note("ended \(reason.word)")
        case .account(let status):
            accounts.append(status)
            note("account \(status.state.rawValue)")
        case .stranger(let address, let count):
            strangers.append("\(address) \(count)")
            note("stranger")
        }
    }

    private func note(_ text: String) {
        log.append(text)
    }

    /// Waits until `text` is noted, from the `count`th note of it on; true where that happened within 5 s.
    func awaits(_ text: String, count: Int = 1) async -> Bool {
        let deadline = MonotonicInstant.now + .seconds(5)
        while log.filter({ $0 == text }).count < count {
            guard MonotonicInstant.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    func clear() { log = [] }
}

/// Two user agents on this machine, one at each end.
@DaemonActor final class TwoTelephones {
    let alice: SIPUserAgent
    let bob: SIPUserAgent
    let aliceCalls = FakeCalls()
    let bobCalls = FakeCalls()
    let bobAddress: SocketAddress
    let transport: SIPTransportKind

    init(
        _ transport: SIPTransportKind = .udp, alicePolicy: MediaPolicy = MediaPolicy(),
        bobPolicy: MediaPolicy = MediaPolicy(), acceptFrom: [String] = ["lan"],
        names: any NameService = SystemNameService(), t1: Duration = .milliseconds(500)
    ) throws {
        self.transport = transport
        let listen = try [ListenAddress(parsing: "udp:127.0.0.1:0"), ListenAddress(parsing: "tcp:127.0.0.1:0")]
        let aliceEnd = try SIPEndpoint(listen: listen)
        let bobEnd = try SIPEndpoint(
            listen: listen, times: TransactionTimes(t1: t1), resolver: Resolver(names: names))
        bobAddress =
            bobEnd.listening.first { $0.transport == transport }?.address ?? SocketAddress(octets: [], port: 0)
        alice = SIPUserAgent(
            SIPUserAgentConfiguration(
                directUser: "alice", directPolicy: alicePolicy, acceptFrom: try AddressSet(["lan"])), endpoint: aliceEnd
        )
        bob = SIPUserAgent(
            SIPUserAgentConfiguration(
                directUser: "bob", directPolicy: bobPolicy, acceptFrom: try AddressSet(acceptFrom)), endpoint: bobEnd)
        alice.observer = aliceCalls
        bob.observer = bobCalls
        alice.start()
        bob.start()
    }

    var bobURI: String {
        "sip:bob@\(bobAddress)" + (transport == .tcp ? ";transport=tcp" : "")
    }

    func dial(_ target: String? = nil) throws -> CallID {
        let call = CallID()
        try alice.start(call, to: Handle(kind: .generic, value: target ?? bobURI), account: nil)
        return call
    }

    /// A call that is up; both ends' names for it.
    func connect() async throws -> (alice: CallID, bob: CallID) {
        let call = try dial()
        guard await bobCalls.awaits("incoming generic - direct"), let answered = bobCalls.incoming.last else {
            throw CallError(.timedOut, "no call came: \(aliceCalls.log)")
        }
        try bob.answer(answered)
        guard await aliceCalls.awaits("established"), await bobCalls.awaits("established") else {
            throw CallError(.timedOut, "not established: \(aliceCalls.log) \(bobCalls.log)")
        }
        return (call, answered)
    }

    func close() {
        alice.endpoint.close()
        bob.endpoint.close()
    }
}
