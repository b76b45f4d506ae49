import SIP

/// Two sessions and a wire between them, on a virtual clock. Transactions are simulated as lossless, but for what a test
/// drops: 2xx and ACK, which sessions repeat themselves.
final class Link {
    enum Side: Hashable { case caller, callee }

    struct Delivery {
        var time: SIPInstant
        var order: Int
        var to: Side
        var event: InviteSession.Event
    }

    private(set) var now = SIPInstant(nanoseconds: 1_000_000_000)
    var sessions: [Side: InviteSession] = [:]
    /// What each side was told and asked, in words, in order.
    var log: [Side: [String]] = [.caller: [], .callee: []]
    /// Start lines of what went over the wire, with the milliseconds since the start and the sender.
    var wire: [String] = []
    /// True drops a message.
    var drops: (Side, SIPMessage) -> Bool = { _, _ in false }
    /// What a side does about an offer of the peer; nil answers it.
    var refusal: [Side: Int] = [:]
    var delay = Duration.milliseconds(10)
    var ringsAutomatically = true

    private var queue: [Delivery] = []
    private var order = 0
    private var sent: [Side: [ClientToken: SIPMessage]] = [.caller: [:], .callee: [:]]
    private var origins: [ServerToken: (side: Side, token: ClientToken)] = [:]
    private var nextServer = 0
    private var offers = 0

    init(random: @escaping @Sendable (ClosedRange<Int>) -> Int = { $0.lowerBound }) {
        let configuration = InviteSession.Configuration(
            local: address("alice"), contact: address("alice"), userAgent: "Test", random: random)
        sessions[.caller] = InviteSession(caller: configuration, callID: "c1", localTag: "a")
        self.random = random
    }

    private let random: @Sendable (ClosedRange<Int>) -> Int

    var milliseconds: Int { Int(now.nanoseconds / 1_000_000) - 1_000 }

    var isFinished: Bool { sessions.values.allSatisfy { $0.isFinished } }

    func call() { act(.caller, .start(target: uri("bob"), offer: Array("o0".utf8))) }

    func act(_ side: Side, _ event: InviteSession.Event) {
        guard var session = sessions[side] else { return }
        let effects = session.handle(event, at: now)
        sessions[side] = session
        for effect in effects { perform(effect, side) }
    }

    /// Lets time pass, delivering what is due.
    func run(for duration: Duration) {
        let end = now + duration
        while true {
            let nextMessage = queue.map(\.time).min()
            let nextTimer = sessions.values.compactMap(\.deadline).min()
            guard let next = [nextMessage, nextTimer].compactMap({ $0 }).min(), next <= end else { break }
            now = max(now, next)
            if let index = queue.indices.filter({ queue[$0].time <= now }).min(by: { queue[$0].order < queue[$1].order }
            ) {
                deliver(queue.remove(at: index))
            } else {
                for side in [Side.caller, .callee] {
                    if let deadline = sessions[side]?.deadline, deadline <= now { act(side, .timer) }
                }
            }
        }
        now = end
    }

    private func deliver(_ delivery: Delivery) {
        if delivery.to == .callee, sessions[.callee] == nil, case .request(let token, let invite) = delivery.event {
            let configuration = InviteSession.Configuration(
                local: address("bob"), contact: address("bob"), random: random)
            sessions[.callee] = InviteSession(callee: configuration, invite: invite, token: token, localTag: "b")
            if ringsAutomatically { act(.callee, .ring(offer: nil)) }
        } else {
            act(delivery.to, delivery.event)
        }
    }

    private func transmit(_ message: SIPMessage, from side: Side, _ event: InviteSession.Event?) {
        let line = message.status.map(String.init) ?? message.method?.rawValue ?? "?"
        guard !drops(side, message) else { return wire.append("\(milliseconds) \(side) \(line) lost") }
        wire.append("\(milliseconds) \(side) \(line)")
        guard let event else { return }
        order += 1
        queue.append(Delivery(time: now + delay, order: order, to: side == .caller ? .callee : .caller, event: event))
    }

    private func begin(_ request: SIPMessage, from side: Side, _ token: ClientToken?) {
        nextServer += 1
        let server = ServerToken(rawValue: nextServer)
        if let token { origins[server] = (side, token) }
        transmit(request, from: side, .request(server, request))
    }

    private func perform(_ effect: InviteSession.Effect, _ side: Side) {
        switch effect {
        case .send(let token, var request, _):
            request.headers.prepend(.via, "SIP/2.0/UDP \(side);branch=z9hG4bK\(side)\(token.rawValue)")
            sent[side]?[token] = request
            begin(request, from: side, token)
        case .cancel(let token):
            if let invite = sent[side]?[token] { begin(invite.cancel(), from: side, nil) }
        case .acknowledge(let ack, _): transmit(ack, from: side, .acknowledged(ack))
        case .respond(let server, let response):
            guard let origin = origins[server] else { return transmit(response, from: side, nil) }
            transmit(response, from: side, .response(origin.token, response))
        case .answerNeeded(let offer):
            let text = String(decoding: offer, as: UTF8.self)
            note(side, "offer \(text)")
            if let status = refusal[side] {
                act(side, .offerRefused(status: status, reason: "No"))
            } else {
                act(side, .localAnswer(Array("a:\(text)".utf8)))
            }
        case .offerNeeded:
            offers += 1
            act(side, .localOffer(Array("o\(offers)".utf8)))
        default: note(side, describe(effect))
        }
    }

    private func note(_ side: Side, _ words: String) { log[side, default: []].append(words) }
}

func describe(_ effect: InviteSession.Effect) -> String {
    switch effect {
    case .send(_, let message, _): message.method?.rawValue ?? "?"
    case .cancel: "cancel"
    case .acknowledge: "ACK"
    case .respond(_, let message): "\(message.status ?? 0)"
    case .ringing(let earlyMedia): earlyMedia ? "ringing with media" : "ringing"
    case .answerReceived(let answer, _): "answer \(String(decoding: answer, as: UTF8.self))"
    case .answerNeeded(let offer): "offer \(String(decoding: offer, as: UTF8.self))"
    case .offerNeeded: "offer needed"
    case .offerWithdrawn: "withdrawn"
    case .established: "established"
    case .digit(let digit, let milliseconds): "digit \(digit) \(milliseconds)"
    case .reofferSettled(let attempt, let outcome): "settled \(attempt) \(outcome)"
    case .referProgress(let fragment): "target \(fragment.status) \(fragment.reason)"
    case .referSettled(let outcome):
        switch outcome {
        case .refused(let status, _): "refer refused \(status)"
        case .finished(let fragment): "refer finished \(fragment.status)"
        case .lost(let reason): "refer lost \(reason)"
        case .left: "refer left"
        }
    case .referred(let target, let referrer): "referred \(target) by \(referrer.map { "\($0.uri)" } ?? "-")"
    case .peerLost: "peer lost"
    case .ended(let ending): "ended \(ending)"
    }
}

func uri(_ user: String, host: String = "example.net") -> SIPURI { SIPURI(user: user, host: host) }

func address(_ user: String) -> NameAddress { NameAddress(uri: uri(user)) }
