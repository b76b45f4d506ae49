import SIP

/// A transaction that can be run by the harness.
protocol RunnableTransaction {
    associatedtype State: CaseIterable
    var state: State { get }
    mutating func fire(_ timer: TransactionTimer, at now: SIPInstant) -> [TransactionEffect]
}

extension ClientInviteTransaction: RunnableTransaction {
    mutating func fire(_ timer: TransactionTimer, at now: SIPInstant) -> [TransactionEffect] {
        handle(.timer(timer), at: now)
    }
}

extension ClientTransaction: RunnableTransaction {
    mutating func fire(_ timer: TransactionTimer, at now: SIPInstant) -> [TransactionEffect] {
        handle(.timer(timer), at: now)
    }
}

extension ServerInviteTransaction: RunnableTransaction {
    mutating func fire(_ timer: TransactionTimer, at now: SIPInstant) -> [TransactionEffect] {
        handle(.timer(timer), at: now)
    }
}

extension ServerTransaction: RunnableTransaction {
    mutating func fire(_ timer: TransactionTimer, at now: SIPInstant) -> [TransactionEffect] {
        handle(.timer(timer), at: now)
    }
}

/// Performs the effects of one transaction on a virtual clock and writes down what is seen from outside.
struct TransactionHarness<Transaction: RunnableTransaction> {
    var transaction: Transaction
    private(set) var milliseconds = 0
    private var timers: [TransactionTimer: SIPInstant] = [:]
    /// `500 send INVITE`: milliseconds and what happened.
    private(set) var log: [String] = []

    init(_ transaction: Transaction) { self.transaction = transaction }

    var now: SIPInstant { SIPInstant(nanoseconds: UInt64(milliseconds) * 1_000_000) }

    /// The timers that run, and when they are due in milliseconds.
    var due: [TransactionTimer: Int] { timers.mapValues { Int($0.nanoseconds / 1_000_000) } }

    mutating func handle(_ body: (inout Transaction, SIPInstant) -> [TransactionEffect]) {
        perform(body(&transaction, now))
    }

    /// Lets the clock run, timers firing in their order.
    mutating func run(until end: Int) {
        while let (timer, deadline) = timers.min(by: { $0.value < $1.value }),
            deadline.nanoseconds <= UInt64(end) * 1_000_000
        {
            timers[timer] = nil
            milliseconds = Int(deadline.nanoseconds / 1_000_000)
            perform(transaction.fire(timer, at: now))
        }
        milliseconds = end
    }

    private mutating func perform(_ effects: [TransactionEffect]) {
        for effect in effects {
            switch effect {
            case .setTimer(let timer, let deadline): timers[timer] = deadline
            case .cancelTimer(let timer): timers[timer] = nil
            case .send, .deliver, .timedOut, .transportFailed: log.append("\(milliseconds) \(short(effect))")
            case .terminated:
                log.append("\(milliseconds) \(short(effect))")
                timers = [:]
            }
        }
    }
}

/// An effect in a few words: `send 180`, `deliver ACK`, `A+1000` (set), `-A` (cancelled).
func short(_ effect: TransactionEffect, at now: SIPInstant = SIPInstant(nanoseconds: 0)) -> String {
    switch effect {
    case .send(let message): "send \(short(message))"
    case .deliver(let message): "deliver \(short(message))"
    case .setTimer(let timer, let deadline):
        "\(timer)+\((deadline.nanoseconds - now.nanoseconds) / 1_000_000)"
    case .cancelTimer(let timer): "-\(timer)"
    case .timedOut: "timedOut"
    case .transportFailed: "transportFailed"
    case .terminated: "terminated"
    }
}

func short(_ message: SIPMessage) -> String {
    message.status.map(String.init) ?? message.method?.rawValue ?? "?"
}

/// Requests and answers for transactions.
enum Sample {
    static func request(_ method: SIPMethod, branch: String = "z9hG4bK1") -> SIPMessage {
        var request = SIPMessage(method: method, uri: SIPURI(user: "bob", host: "example.com"))
        request.headers.append(.via, "SIP/2.0/UDP 192.0.2.1:5060;branch=\(branch)")
        request.headers.append(.from, "<sip:alice@example.com>;tag=a")
        request.headers.append(.to, "<sip:bob@example.com>")
        request.headers.append(.callID, "call@192.0.2.1")
        request.headers.append(.cseq, "1 \(method)")
        request.headers.append(.maxForwards, "70")
        return request
    }

    static let invite = request(.invite)
    static let options = request(.options)

    static func answer(_ status: Int, to request: SIPMessage = invite, tag: String = "b") -> SIPMessage {
        request.response(status, toTag: tag)
    }

    static let ack = invite.ack(for: answer(486))
}
