import CallModel
import EventLoop
import SIP

@testable import SIPSignalling

/// A peer that is let in and then says anything: messages that are right but for a few octets, in any order, of calls
/// that are, were or never were; it listens, so that it knows the tags and branches that make them tell.
@DaemonActor final class HostilePeer {
    /// Mutated names are names that do not exist: what is sent to them leaves no machine.
    static let names = FakeNames(hosts: ["peer.example": ["127.0.0.1"]])

    private var random: SeededOctets
    private let port: UInt16
    /// Our tag for the calls it has begun, as we told it.
    private var tags: [String: String] = [:]
    /// Requests of ours that it has not answered.
    private var heard: [SIPMessage] = []
    private var sequence = 0

    /// `port` is where it wants to be answered.
    init(seed: UInt64, port: UInt16) {
        random = SeededOctets(state: seed)
        self.port = port
    }

    /// Takes notice of what it is sent.
    func hear(_ message: SIPMessage) {
        if message.isRequest {
            heard.append(message)
            if heard.count > 16 { heard.removeFirst() }
        } else if let call = message.callID, let tag = message.to?.tag {
            tags[call] = tag
        }
    }

    /// What it says next.
    func next(over transport: SIPTransportKind) -> [UInt8] {
        let whole =
            if Int.random(in: 0..<4, using: &random) == 0, let request = heard.randomElement(using: &random) {
                response(to: request)
            } else {
                request(over: transport)
            }
        return random.mutate(whole.serialized())
    }

    private func request(over transport: SIPTransportKind) -> SIPMessage {
        sequence += 1
        let methods: [SIPMethod] = [
            .invite, .invite, .ack, .ack, .bye, .cancel, .options, .prack, .update, .info, .register, .message,
        ]
        let method = methods.randomElement(using: &random) ?? .options
        let known = tags.randomElement(using: &random)
        // New calls are the rarer case: within one there is more to spoil.
        let isNew = method == .invite && Int.random(in: 0..<6, using: &random) == 0
        let call = isNew ? "hostile-\(sequence)" : known?.key ?? "none"
        var request = SIPMessage(method: method, uri: SIPURI(user: "bob", host: "bob.example"))
        request.headers.append(
            .via,
            "SIP/2.0/\(transport.viaName) peer.example:\(port);branch=z9hG4bK\(Int.random(in: 0...sequence, using: &random));rport"
        )
        request.headers.append(.maxForwards, "70")
        request.headers.append(.from, "\"P\" <sip:peer@peer.example>;tag=p")
        let tag = isNew ? nil : known?.value
        request.headers.append(.to, "<sip:bob@bob.example>" + (tag.map { ";tag=\($0)" } ?? ""))
        request.headers.append(.callID, call)
        let number = [1, 2, sequence, sequence + 1].randomElement(using: &random) ?? 1
        request.headers.append(.cseq, "\(number) \(method)")
        request.headers.append(.contact, "<sip:peer@peer.example:\(port)>")
        if Bool.random(using: &random) { request.headers.append(.recordRoute, "<sip:peer.example:\(port);lr>") }
        if Bool.random(using: &random) { request.headers.append(.supported, "100rel, timer") }
        if method == .prack { request.headers.append(.rack, "1 \(number) INVITE") }
        if method == .info {
            request.headers.append(.contentType, "application/dtmf-relay")
            request.body = Array("Signal=5\r\nDuration=100\r\n".utf8)
        } else if [.invite, .update, .ack, .prack].contains(method), Int.random(in: 0..<3, using: &random) > 0 {
            addDescription(to: &request)
        }
        return request
    }

    private func response(to request: SIPMessage) -> SIPMessage {
        let statuses = [100, 180, 183, 200, 200, 200, 302, 401, 407, 408, 481, 488, 491, 500, 503, 699]
        var response = request.response(
            statuses.randomElement(using: &random) ?? 200, toTag: request.to?.tag ?? "p", recordsRoute: true)
        response.headers.append(.contact, "<sip:peer@peer.example:\(port)>;expires=10")
        response.headers.append(.wwwAuthenticate, "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
        if request.method == .invite { addDescription(to: &response) }
        return response
    }

    private func addDescription(to message: inout SIPMessage) {
        let direction = ["sendrecv", "sendonly", "recvonly", "inactive"].randomElement(using: &random) ?? "sendrecv"
        let text =
            "v=0\r\no=- 1 \(sequence) IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
            + "m=audio 30000 RTP/AVP 111 8 101\r\na=rtpmap:111 opus/48000/2\r\na=fmtp:111 useinbandfec=1\r\n"
            + "a=rtpmap:101 telephone-event/48000\r\na=ptime:20\r\na=\(direction)\r\nm=video 0 RTP/AVP 96\r\n"
        message.headers.append(.contentType, "application/sdp")
        message.body = Array(text.utf8)
    }

    /// The calls' user, who does this and that meanwhile, but leaves `standing` alone.
    func disturb(_ agent: SIPUserAgent, sparing standing: CallID) {
        for (id, call) in agent.calls where id != standing && !call.isOver {
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: if call.isRinging { try? agent.answer(id) }
            case 2: agent.reject(id, .busy)
            case 3: agent.end(id)
            case 4:
                agent.setHeld(id, Bool.random(using: &random))
                agent.renegotiate(id, attempt: sequence)
            default: break
            }
        }
    }
}

/// Pseudo-random numbers that are the same in every run, and octets that differ from others by a few.
struct SeededOctets: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Half of what it is given stays right, so that something is reached that can be spoilt.
    mutating func mutate(_ octets: [UInt8]) -> [UInt8] {
        var octets = octets
        for _ in 0..<max(0, Int.random(in: -4...4, using: &self)) where !octets.isEmpty {
            let index = Int.random(in: 0..<octets.count, using: &self)
            switch Int.random(in: 0..<7, using: &self) {
            case 0: octets[index] = UInt8.random(in: 0...255, using: &self)
            case 1: octets.remove(at: index)
            case 2: octets.insert(contentsOf: Array("4294967296".utf8), at: index)
            case 3: octets.insert(contentsOf: Array("\r\n".utf8), at: index)
            case 4: octets.removeSubrange(index...)
            case 5: octets.insert(contentsOf: Array(repeating: octets[index], count: 600), at: index)
            default: octets.removeSubrange(index..<min(octets.count, index + 20))
            }
        }
        return octets
    }
}
