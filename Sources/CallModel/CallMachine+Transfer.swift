/// Transfer: the call is held first, and given up only when the target has answered (RFC 5589 §6).
extension CallMachine {
    struct Transfer: Hashable, Sendable {
        var action: ActionID
        var target: TransferTarget
        var deadline: Duration
        /// The number under which the peer has been asked; nil until then, while the call is being held.
        var attempt: Int?
    }

    /// A transfer that we have given up. No request takes a REFER back (RFC 3515 §2.4.4): the peer may be at it still.
    struct OpenTransfer: Hashable, Sendable {
        var attempt: Int
        /// A peer that has told nothing by then is not waited for any more.
        var deadline: Duration
    }

    /// A call that came in to take the place of `predecessor`: held, muted and earmuffed as that one is, or is about to be.
    ///
    /// - Parameter keepingHold: false where the predecessor is held for a reason that does not concern the new call.
    public init(
        incoming id: CallID, inPlaceOf predecessor: CallMachine, keepingHold: Bool = true, ringTimeout: Duration,
        at now: Duration
    ) {
        self.init(incoming: id, ringTimeout: ringTimeout, at: now)
        takeSwitches(of: predecessor)
        if keepingHold, predecessor.hold.gatesClosed {
            hold.stage = .held
            // By the answer to its INVITE.
            hold.peerNotified = true
        }
    }

    mutating func takeSwitches(of predecessor: CallMachine) {
        mute.isOn = predecessor.muted
        earmuff.isOn = predecessor.earmuffed
    }

    mutating func transfer(
        to target: TransferTarget, as action: ActionID, at now: Duration, _ effects: inout [CallEffect]
    ) throws(CallError) {
        if let notConversing { throw invalid(notConversing) }
        if let reason = hasTransfer { throw reason }
        guard canBeTransferred else {
            throw CallError(.notSupported, "The remote party of call \(id) takes no transfers (REFER).")
        }
        if target == .call(id) { throw invalid("cannot be transferred to itself") }
        try hold(as: nil, at: now, &effects)
        transfer = Transfer(action: action, target: target, deadline: now + Limit.transfer)
    }

    /// Why the call cannot be transferred, nor anybody to its remote party, for that may be on its way already; nil
    /// where nothing is known of that.
    private var hasTransfer: CallError? {
        if transfer != nil { return invalid("is being transferred already") }
        return openTransfer == nil
            ? nil
            : invalid(
                "has an earlier transfer that its remote party has not ended yet; wait until it says so, for a minute at "
                    + "most")
    }

    /// Why nobody can be transferred to the remote party; nil where somebody can.
    public var cannotBeMet: CallError? {
        guard state == .connected, ending == nil else {
            return invalid("is not connected; nobody can be transferred to it")
        }
        return hasTransfer
    }

    /// Whether the remote party can be asked to go on with somebody else.
    var takesTransfer: Bool { canBeTransferred && hasTransfer == nil }

    /// Whom the remote party is being transferred to; nil while it is not.
    public var transferTarget: TransferTarget? { transfer?.target }

    /// The same, where it was asked under this number.
    public func transferTarget(of attempt: Int) -> TransferTarget? {
        transfer?.attempt == attempt ? transfer?.target : nil
    }

    /// Asks the peer as soon as the call is held. Called after every event.
    mutating func advanceTransfer(_ effects: inout [CallEffect]) {
        guard let transfer, transfer.attempt == nil else { return }
        switch hold.stage {
        case .held:
            transferAttempt += 1
            self.transfer?.attempt = transferAttempt
            effects.append(.transfer(transfer.target, attempt: transferAttempt))
        case .open:
            stopTransfer(because: timedOut("it could not be held for the transfer; it is not transferred"), &effects)
        case .closing, .offeringHold, .offeringResume, .opening: break
        }
    }

    mutating func transferSettled(
        _ attempt: Int, _ outcome: TransferOutcome, at now: Duration, _ effects: inout [CallEffect]
    ) {
        if openTransfer?.attempt == attempt { openTransfer = nil }
        guard let transfer, transfer.attempt == attempt, ending == nil else { return }
        self.transfer = nil
        switch outcome {
        case .answered: end(actions: [transfer.action], as: .transferred, at: now, &effects)
        case .failed(let error): effects.append(.fail(transfer.action, error))
        }
    }

    /// The call is wanted back. What the peer has begun it may yet finish; the call goes on until one of the two ends it.
    mutating func takeBack(at now: Duration, _ effects: inout [CallEffect]) {
        giveUpTransfer(
            because: CallError(.superseded, "Call \(id) was asked to be resumed meanwhile."), at: now, &effects)
    }

    private mutating func giveUpTransfer(
        because error: CallError, at now: Duration, _ effects: inout [CallEffect]
    ) {
        if let attempt = transfer?.attempt {
            openTransfer = OpenTransfer(attempt: attempt, deadline: now + Limit.transfer)
        }
        stopTransfer(because: error, &effects)
    }

    mutating func stopTransfer(because error: CallError, _ effects: inout [CallEffect]) {
        if let transfer { effects.append(.fail(transfer.action, error)) }
        transfer = nil
    }

    mutating func transferTimePassed(at now: Duration, _ effects: inout [CallEffect]) {
        if let openTransfer, openTransfer.deadline <= now { self.openTransfer = nil }
        guard let transfer, transfer.deadline <= now else { return }
        let error = timedOut("the target did not answer within 60 s, or the remote party did not say so; it stays held")
        giveUpTransfer(because: error, at: now, &effects)
    }
}
