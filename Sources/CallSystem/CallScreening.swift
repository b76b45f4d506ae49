public import CallModel
public import EventLoop

/// Decides about the calls that come in, and knows names. Asked amid a turn of the event loop: it answers from memory, at once.
@DaemonActor public protocol CallScreening: AnyObject {
    /// What becomes of a call that comes in.
    func verdict(on call: IncomingCall) -> ScreeningVerdict
    /// Who has `handle`, for a call that is dialled; nil: nobody that is known.
    func name(of handle: Handle) -> String?
}

/// What becomes of a call that comes in.
public struct ScreeningVerdict: Sendable, Hashable {
    /// A call that does not ring.
    public struct Refusal: Sendable, Hashable {
        /// What the caller is told; nil: nothing, it rings at their end until it is over.
        public var answer: RejectReason?
        /// `blocked` or `doNotDisturb`.
        public var reason: EndReason

        public init(answer: RejectReason?, reason: EndReason) {
            self.answer = answer
            self.reason = reason
        }
    }

    /// nil: it rings.
    public var refusal: Refusal?
    /// The name to show.
    public var displayName: String?
    /// The file that rings; nil: the usual one.
    public var ringTone: String?
    /// Whether it is answered by itself, whatever holds for others.
    public var answersByItself = false

    public init(displayName: String? = nil) { self.displayName = displayName }
}
