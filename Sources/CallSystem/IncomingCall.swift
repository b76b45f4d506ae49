public import CallModel

/// A call that is offered to us.
public struct IncomingCall: Sendable, Hashable {
    public var id: CallID
    /// Who calls: as the account's registrar asserts it, else as the caller says it.
    public var from: Handle
    /// At most 128 bytes, as it came: not fit for a terminal.
    public var displayName: String?
    /// The account that is called; nil: a direct call.
    public var account: String?
    /// Whom the account's registrar vouches for (P-Asserted-Identity, RFC 3325 §9.1); nil where it vouches for nobody,
    /// and for every call that came another way, whatever it says.
    public var assertedIdentity: Handle?
    /// Whether the caller is who it says it is, as far as that is known: the account's registrar has sent the call, or one
    /// whose address may ask to be answered by itself.
    public var isVouchedFor: Bool
    /// How the caller asks that the call be answered; `manual` where the caller may not ask.
    public var answerMode: AnswerMode
    /// The call of ours whose place it takes (RFC 3891); nil for all others.
    public var replaces: CallID?
    /// What answers it by itself; nil: a person does.
    public var service: CallService?

    public init(
        id: CallID, from: Handle, displayName: String? = nil, account: String? = nil, assertedIdentity: Handle? = nil,
        isVouchedFor: Bool = false, answerMode: AnswerMode = .manual, replaces: CallID? = nil
    ) {
        self.id = id
        self.from = from
        self.displayName = displayName
        self.account = account
        self.assertedIdentity = assertedIdentity
        self.isVouchedFor = isVouchedFor
        self.answerMode = answerMode
        self.replaces = replaces
    }
}

/// How a call shall be answered, as its caller asks (RFC 5373, and what intercoms send instead).
public enum AnswerMode: Sendable, Hashable {
    /// By a person.
    case manual
    /// By itself, so many milliseconds after it came in, 0...60,000.
    case automatic(afterMilliseconds: Int)
}
