/// The timers of transactions, named as in RFC 3261 table 4 and RFC 6026 §8.
public enum TransactionTimer: CaseIterable, Hashable, Sendable {
    /// INVITE retransmission, unreliable transport only.
    case a
    /// INVITE transaction time-out.
    case b
    /// How long an INVITE client absorbs retransmitted refusals.
    case d
    /// Non-INVITE retransmission, unreliable transport only.
    case e
    /// Non-INVITE transaction time-out.
    case f
    /// Retransmission of an INVITE's refusal, unreliable transport only.
    case g
    /// How long an INVITE server waits for the ACK.
    case h
    /// How long an INVITE server absorbs retransmitted ACKs.
    case i
    /// How long a non-INVITE server answers retransmissions.
    case j
    /// How long a non-INVITE client absorbs retransmitted answers.
    case k
    /// How long an INVITE server absorbs retransmissions of an accepted INVITE (RFC 6026).
    case l
    /// How long an INVITE client takes retransmitted and forked 2xx (RFC 6026).
    case m
    /// The 200 ms after which an INVITE server sends 100 by itself (RFC 3261 §17.2.1).
    case trying
}

/// The base values that all timers are made of (RFC 3261 §17.1.1.1).
public struct TransactionTimes: Hashable, Sendable {
    /// The round-trip time estimate.
    public var t1: Duration
    /// The longest interval between retransmissions of a non-INVITE request or of a refusal.
    public var t2: Duration
    /// How long a message stays in the network.
    public var t4: Duration

    public init(
        t1: Duration = .milliseconds(500), t2: Duration = .seconds(4), t4: Duration = .seconds(5)
    ) {
        self.t1 = t1
        self.t2 = t2
        self.t4 = t4
    }

    /// Timers B, F, H, J, L and M.
    var timeout: Duration { t1 * 64 }
    /// Timer D: at least 32 s, whatever T1 is.
    var refusalAbsorption: Duration { max(.seconds(32), timeout) }
    /// After this the INVITE server sends 100.
    static let tryingDelay = Duration.milliseconds(200)
}

/// What a transaction wants done, in this order.
public enum TransactionEffect: Hashable, Sendable {
    /// Hand the message to the transport.
    case send(SIPMessage)
    /// Hand the message to the transaction user.
    case deliver(SIPMessage)
    /// Feed `timer` back at `deadline`; an earlier deadline of the same timer no longer holds.
    case setTimer(TransactionTimer, deadline: SIPInstant)
    case cancelTimer(TransactionTimer)
    /// Tell the transaction user that nothing came in time. A client treats it as 408 (RFC 3261 §8.1.3.1).
    case timedOut
    /// Tell the transaction user that the message did not leave. A client treats it as 503.
    case transportFailed
    /// Forget the transaction and all of its timers.
    case terminated
}
