import EventLoop
import SIP

@testable import SIPSignalling

/// What the endpoint suites share: endpoints on ports of loopback that the system chooses, requests, and waiting.
@DaemonActor enum Fixture {
    static func endpoint(
        _ listen: [String] = ["udp:127.0.0.1:0"], names: FakeNames = FakeNames(), t1: Duration = .milliseconds(500)
    ) throws -> SIPEndpoint {
        return try SIPEndpoint(
            listen: try listen.map { text in try ListenAddress(parsing: text) }, times: TransactionTimes(t1: t1),
            resolver: Resolver(names: names))
    }

    /// Answers every request with `status`.
    static func answering(
        _ status: Int = 200, _ listen: [String] = ["udp:127.0.0.1:0"]
    ) throws -> SIPEndpoint {
        let endpoint = try endpoint(listen)
        endpoint.onRequest = { [weak endpoint] id, request, _ in
            if let id { endpoint?.respond(id, request.response(status, toTag: "there")) }
        }
        return endpoint
    }

    static func request(_ method: SIPMethod, to uri: String = "sip:b@127.0.0.1", body: Int = 0) throws -> SIPMessage {
        var request = SIPMessage(method: method, uri: try SIPURI(parsing: uri))
        request.headers.append(.maxForwards, "70")
        request.headers.append(.from, "<sip:a@127.0.0.1>;tag=here")
        request.headers.append(.to, "<\(uri)>")
        request.headers.append(.callID, Hashes.randomToken(8))
        request.headers.append(.cseq, "1 \(method)")
        request.body = Array(repeating: UInt8(ascii: "x"), count: body)
        return request
    }

    /// Sends and waits for the final answer or the failure.
    static func outcome(
        _ endpoint: SIPEndpoint, _ request: SIPMessage, to target: SIPTarget
    ) async -> Outcome {
        await withCheckedContinuation { done in
            var seen = Outcome()
            endpoint.send(request, to: target) { event in
                switch event {
                case .sent(let way): seen.sent.append(way)
                case .response(let response, let source):
                    seen.statuses.append(response.status ?? 0)
                    guard response.status ?? 0 >= 200 else { return }
                    seen.source = source
                    seen.response = response
                    done.resume(returning: seen)
                case .failed(let failure):
                    seen.failure = failure
                    done.resume(returning: seen)
                }
            }
        }
    }

    struct Outcome: Sendable {
        var sent: [SIPSource] = []
        var statuses: [Int] = []
        var source: SIPSource?
        var response: SIPMessage?
        var failure: ClientTransactionFailure?
    }

    /// Waits on the loop, without blocking it.
    static func wait(_ duration: Duration) async {
        await withCheckedContinuation { done in Timer(after: duration) { done.resume() } }
    }

    /// Waits until `condition` holds, at most five seconds.
    static func until(_ condition: @DaemonActor () -> Bool) async {
        for _ in 0..<500 where !condition() { await wait(.milliseconds(10)) }
    }

    static func hop(_ endpoint: SIPEndpoint, _ transport: SIPTransportKind = .udp) -> SIPHop {
        let local = endpoint.listening.first { $0.transport == transport }?.address
        return SIPHop(transport: transport, address: local ?? SocketAddress(octets: [127, 0, 0, 1], port: 9))
    }
}

/// The name of a request, for the handler that was made before it.
@DaemonActor final class Sent {
    var id: ClientTransactionID?
}

/// A bare UDP socket that says what it is told and remembers what it hears.
@DaemonActor final class BareSocket {
    let socket: DatagramSocket
    var heard: [String] = []

    init() throws {
        socket = try DatagramSocket(try ListenAddress(parsing: "udp:127.0.0.1:0"), id: 1)
        socket.onDatagram = { [weak self] octets, _ in self?.heard.append(String(decoding: octets, as: UTF8.self)) }
    }

    func say(_ text: String, to hop: SIPHop) { _ = socket.send(Array(text.utf8), to: hop.address) }
}
