/// Transfer: the call is held first, and given up only when the target has answered (RFC 5589 §6).
extension CallMachine {
    struct Transfer: Hashable, Sendable {
        var action: ActionID
        var target: TransferTarget
        var deadline: Duration
        /// Whether the peer has been asked; until then the call is being held.
        var isUnderWay = false
    }

    /// A call that came in to take the place of `predecessor`: held, muted and earmuffed as that one is, or is about to be.
    public init(incoming id: CallID, inPlaceOf predecessor: CallMachine, ringTimeout: Duration, at now: Duration) {
        self.init(incoming: id, ringTimeout: ringTimeout, at: now)
        takeSwitches(of: predecessor)
        if predecessor.hold.gatesClosed {
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
        guard transfer == nil else { throw invalid("is being transferred already") }
        guard canBeTransferred else {
            throw CallError(.notSupported, "The remote party of call \(id) takes no transfers (REFER).")
        }
        if target == .call(id) { throw invalid("cannot be transferred to itself") }
        try hold(as: nil, at: now, &effects)
        transfer = Transfer(action: action, target: target, deadline: now + Limit.transfer)
    }

    /// Whom the remote party is being transferred to; nil while it is not.
    public var transferTarget: TransferTarget? { transfer?.target }

    /// Asks the peer as soon as the call is held. Called after every event.
    mutating func advanceTransfer(_ effects: inout [CallEffect]) {
        guard let transfer, !transfer.isUnderWay else { return }
        switch hold.stage {
        case .held:
            self.transfer?.isUnderWay = true
            effects.append(.transfer(transfer.target))
        case .open:
            stopTransfer(because: timedOut("it could not be held for the transfer; it is not transferred"), &effects)
        case .closing, .offeringHold, .offeringResume, .opening: break
        }
    }

    mutating func transferSettled(
        _ outcome: TransferOutcome, at now: Duration, _ effects: inout [CallEffect]
    ) {
        guard let transfer, transfer.isUnderWay, ending == nil else { return }
        self.transfer = nil
        switch outcome {
        case .answered: end(actions: [transfer.action], as: .transferred, at: now, &effects)
        case .failed(let error): effects.append(.fail(transfer.action, error))
        }
    }

    /// The call is wanted back. What the peer has begun it may yet finish, and then it ends the call.
    mutating func takeBack(_ effects: inout [CallEffect]) {
        stopTransfer(because: CallError(.superseded, "Call \(id) was asked to be resumed meanwhile."), &effects)
    }

    mutating func stopTransfer(because error: CallError, _ effects: inout [CallEffect]) {
        if let transfer { effects.append(.fail(transfer.action, error)) }
        transfer = nil
    }

    mutating func transferTimePassed(at now: Duration, _ effects: inout [CallEffect]) {
        guard let transfer, transfer.deadline <= now else { return }
        let error = timedOut("the target did not answer within 60 s, or the remote party did not say so; it stays held")
        stopTransfer(because: error, &effects)
    }
}
