/// Whom the remote party of a call shall go on with.
public enum TransferTarget: Hashable, Sendable {
    /// Somebody whom the remote party is to call.
    case handle(Handle)
    /// The remote party of another call of ours: the two go on with each other (attended transfer).
    case call(CallID)
}

/// The end of a transfer, as far as it is known.
public enum TransferOutcome: Hashable, Sendable {
    /// The target has answered: the call may be given up.
    case answered
    case failed(CallError)
}
