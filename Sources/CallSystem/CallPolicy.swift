public import CallModel

/// The settings of calls (the `[calls]` table of the configuration).
public struct CallPolicy: Sendable, Hashable {
    /// Calls at once, 1 or more; another incoming one is refused as busy.
    public var maximumCalls: Int
    /// How long a call rings, either way, before it ends as `unanswered`, in seconds, 1 or more.
    public var ringTimeoutSeconds: Int
    /// After how many milliseconds an incoming call is answered by itself; negative: never. Only a call that is alone
    /// is answered so.
    public var answerAfterMilliseconds: Int
    /// The same for calls of the accounts of these names.
    public var answerAfterMillisecondsByAccount: [String: Int]
    /// Whether two beeps are played before a call is answered by itself.
    public var answerBeep: Bool
    /// Whether a call that is answered by itself is muted.
    public var answerMuted: Bool
    /// Whether the end of the active call resumes the one that was held last.
    public var autoResume: Bool
    /// What becomes of the members of a group that is held.
    public var groupHold: GroupHold
    /// After how many seconds without a packet of the remote party a connected call ends; 0: never.
    public var mediaTimeoutSeconds = 60
    /// How digits are sent whose request says nothing of it.
    public var digitTiming = DigitTiming()
    /// What the ringer sounds like.
    public var ringSound = RingSound.standard
    /// The same for calls of the accounts of these names.
    public var ringSoundByAccount: [String: RingSound] = [:]
    /// Whether every call is recorded from the moment it is connected.
    public var recordsCalls = false
    /// The same for calls of the accounts of these names.
    public var recordsCallsByAccount: [String: Bool] = [:]
    /// Whether a remote party may have us call somebody else in its place.
    public var allowTransfer: Bool

    public init(
        maximumCalls: Int = 4, ringTimeoutSeconds: Int = 60, answerAfterMilliseconds: Int = -1,
        answerAfterMillisecondsByAccount: [String: Int] = [:], answerBeep: Bool = true, answerMuted: Bool = false,
        autoResume: Bool = false, groupHold: GroupHold = .silence, allowTransfer: Bool = true
    ) {
        self.maximumCalls = maximumCalls
        self.ringTimeoutSeconds = ringTimeoutSeconds
        self.answerAfterMilliseconds = answerAfterMilliseconds
        self.answerAfterMillisecondsByAccount = answerAfterMillisecondsByAccount
        self.answerBeep = answerBeep
        self.answerMuted = answerMuted
        self.autoResume = autoResume
        self.groupHold = groupHold
        self.allowTransfer = allowTransfer
    }
}
