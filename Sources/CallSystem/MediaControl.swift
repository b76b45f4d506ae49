public import CallModel
public import EventLoop
public import MediaDescription

/// The seam between calls and their sound. Methods return at once; all run on, and all closures are called on, the
/// daemon's event loop, closures never from within the method.
@DaemonActor public protocol MediaControl: AnyObject {
    /// Who is told. Set before the first call.
    var observer: (any MediaObserver)? { get set }

    /// Reserves the sockets of a call.
    func open(_ call: CallID) throws(CallError) -> LocalMedia
    /// Starts the call's stream or changes it. A change of direction alone touches neither codec, keys nor sequence.
    func configure(_ call: CallID, _ parameters: StreamParameters)
    /// Lets sound flow (an answered call, or early media): opens the audio session where it is closed.
    ///
    /// `done` is given nil when the audio session is active, or why it could not be opened.
    func activate(_ call: CallID, _ done: @escaping @DaemonActor (CallError?) -> Void)
    /// Asks the loop for these gates; `applied` is called when the loop has acknowledged them and nothing older waits to
    /// be sent (DESIGN: hold, exactly), at once where no audio session is open.
    func setGates(_ call: CallID, _ gates: Gates, applied: @escaping @DaemonActor () -> Void)
    /// Mixes the call with the others of `group`, in the loop's next turn; nil: with none. Each member hears all others;
    /// mute and earmuff are between us and the call, hold is for all of its sound.
    func setGroup(_ call: CallID, _ group: GroupID?)
    /// Sends RFC 4733 digits one after the other (0-9, A-D, `*`, `#`; `,` is a pause of 2 s); `done(true)` after the
    /// last end packet has left, `done(false)` where the stream ends, takes no events, or `cancelDigits` came first.
    func sendDigits(
        _ call: CallID, _ digits: String, timing: DigitTiming, done: @escaping @DaemonActor (Bool) -> Void)
    /// Stops what `sendDigits` has not yet sent.
    func cancelDigits(_ call: CallID)
    /// Says that the call is nobody's conversation: it has neither microphone nor loudspeaker, and no sound device is opened
    /// for it. To be said before `activate`.
    func setService(_ call: CallID, _ service: CallService)
    /// Writes the call's sound to a new file from now on, until it is told to stop or the call is closed: what its peer is
    /// sent on the left channel, what is heard of it on the right one. `done` is given the file's path, or `fileUnusable`, or
    /// `superseded` where it was stopped before the file was there: then there is none, and no more is told of it.
    func startRecording(
        _ call: CallID, _ wish: RecordingWish, done: @escaping @DaemonActor (Result<String, CallError>) -> Void)
    /// Ends it; `recordingEnded` tells when the file is complete.
    func stopRecording(_ call: CallID)
    /// Has the call's peer hear the sound of a file in place of the microphone, in place of one that it hears already; `done`
    /// is given nil when it begins, or `fileUnusable`. `played` tells of its end.
    func play(_ call: CallID, file: String, loops: Bool, done: @escaping @DaemonActor (CallError?) -> Void)
    /// Has it hear the microphone again.
    func stopPlaying(_ call: CallID)
    /// Sends samples at 48 kHz in place of the microphone, and collects from now on so many of what is sent and of what is heard,
    /// side by side, for `done`. Nothing comes of it where the call is closed before.
    func exchange(
        _ call: CallID, sending samples: [Int16], collecting count: Int,
        done: @escaping @DaemonActor (_ sent: [Int16], _ heard: [Int16]) -> Void)
    /// Has an exchange end now, and `done` of it given what has been collected so far. False where there is none.
    func endExchange(_ call: CallID) -> Bool
    /// Sends RTCP BYE, closes the sockets and forgets the call.
    func close(_ call: CallID)
    /// What the ringer sounds like, from now on; `silent`: not at all.
    var ringSound: RingSound { get set }
    /// Tells of calls that ring; `nil`: none does any more.
    func ring(_ ring: RingKind?)
    /// A tone on the playback device, mixed with what is heard; `nil` stops it.
    func playTone(_ tone: CallTone?)
    /// How loud the microphone is sent, and calls and tones are played: at once, and in every audio session to come.
    var volume: AudioVolume { get set }
    /// What is done to the microphone's sound before any call has it: now, and in every audio session to come.
    var profileChoice: ProfileChoice { get set }
    /// What that comes to.
    var profile: ProfileState { get }
    /// Figures of a call that is open; nil otherwise.
    func statistics(of call: CallID) -> CallStatistics?
    /// When the last valid packet, RTP or RTCP, came from the call's peer; nil before the first.
    func lastHeard(of call: CallID) -> MonotonicInstant?
    /// The audio session, and the figures of its loop: of the present or the last one with sound devices.
    var audioStatus: AudioStatus { get }
    /// The same figures of the loop that services have to themselves; nil before the first.
    var serviceStatus: AudioStatus? { get }
    /// Closes the audio session and every call's sockets.
    func shutDown()
}

/// What media tells the calls.
@DaemonActor public protocol MediaObserver: AnyObject {
    func handle(_ event: MediaEvent)
}

public enum MediaEvent: Sendable {
    /// An RFC 4733 event has ended: 0-9, A-D, `*`, `#`.
    case digit(CallID, Character, milliseconds: Int)
    case audioActivated
    case audioDeactivated
    /// A device went away or failed; calls go on without sound. `message` names the device and the reason.
    case audioInterrupted(message: String)
    case audioResumed
    /// A sound device could not be used and was passed over, or does not ring; `message` names it and the reason.
    case deviceFailed(message: String)
    /// The hold music cannot be played, and who is held hears nothing; `message` names the file and the reason.
    case holdMusicFailed(message: String)
    /// Something about the sound that is worth a line in the log, and no more.
    case audioRemark(message: String)
    /// A recording has ended: its file is complete, unless it failed.
    case recordingEnded(RecordingEnd)
    /// A file that was played is no longer: it came to its end, or was broken off.
    case played(CallID, file: String, completed: Bool)
    /// Another profile is in force, or configured, than before.
    case profileChanged(ProfileState)
    /// The peer has gone over to another codec of those agreed on: the stream is to be so from now on.
    case codecChanged(CallID, StreamParameters)
    /// How a call sounds has become poor, or good again: `score` is its mean opinion score of late, 1.0...4.5.
    case quality(CallID, score: Double, isPoor: Bool)
}

/// The three switches of a call (DESIGN: hold, exactly).
public struct Gates: Sendable, Hashable {
    public var held: Bool
    public var muted: Bool
    public var earmuffed: Bool

    public init(held: Bool = false, muted: Bool = false, earmuffed: Bool = false) {
        self.held = held
        self.muted = muted
        self.earmuffed = earmuffed
    }
}

public enum RingKind: Sendable {
    /// The ringer, on the ring devices.
    case ring
    /// A second call while one is up: a soft tone on the playback device, and the ringer on the ring devices that are others.
    case callWaiting
}

/// Two levels in percent, 0...100; 100 leaves the samples as they are.
public struct AudioVolume: Sendable, Hashable {
    public var capture: Int
    public var playback: Int

    public init(capture: Int = 100, playback: Int = 100) {
        self.capture = min(max(capture, 0), 100)
        self.playback = min(max(playback, 0), 100)
    }
}

public enum CallTone: Sendable {
    case ringBack, busy, congestion
    /// Two beeps: the microphone is about to open without anybody's doing.
    case attention
}

/// Figures of one call's stream since it began.
public struct CallStatistics: Sendable, Hashable {
    public struct Direction: Sendable, Hashable {
        public var packets = 0
        public var octets = 0
        /// RMS of the last second in dBFS (a full-scale sine is -3); nil before the first sound and for digital silence.
        public var levelDbfs: Double?
        public init() {}
    }

    /// How the peer receives us, as it reports it.
    public struct Remote: Sendable, Hashable {
        /// Share of our packets that was lost since its report before the last, 0...1.
        public var lost = 0.0
        /// Share that came too late since the call began, 0...1; nil where it does not say.
        public var discarded: Double?
        /// Its mean opinion score of us; nil where it does not say.
        public var score: Double?
        public init() {}
    }

    public var codec = ""
    /// `none` or the SRTP suite.
    public var security = ""
    public var sent = Direction()
    public var received = Direction()
    public var lost = 0
    /// Packets that came after their turn to be played.
    public var late = 0
    /// Packets dropped because they were malformed or failed authentication.
    public var invalid = 0
    /// Packets from a source that is not, or not yet, the peer's.
    public var foreign = 0
    /// Packets whose numbers were far from all that had come before.
    public var outOfWindow = 0
    /// Packets that the audio loop had no room for.
    public var receivedDropped = 0
    /// Packets that the network thread did not take from the audio loop in time.
    public var sentDropped = 0
    /// Packets that the kernel, or SRTP, refused to send.
    public var sendFailures = 0
    public var concealedMilliseconds = 0.0
    public var jitterMilliseconds = 0.0
    /// nil before the first RTCP round trip.
    public var roundTripMilliseconds: Double?
    public var bufferMilliseconds = 0.0
    public var delay = DelayParts()
    /// Packets sent that carried earlier sound once more (RFC 2198).
    public var sentRedundant = 0
    /// Packets that did not come, and that a later one brought.
    public var recovered = 0
    /// Mean opinion score (ITU-T G.107) of what is heard here, 1.0...4.5: of the last seconds, of the whole call, and of its
    /// worst seconds; nil before the first measurement.
    public var score: Double?
    public var meanScore: Double?
    public var lowestScore: Double?
    /// What the peer reports.
    public var remote = Remote()
    public var playout = PlayoutDecisions()
    /// What was asked for.
    public var gates = Gates()
    /// Whether the loop has acknowledged it.
    public var gatesApplied = true
    public init() {}
}

/// Figures of the audio session.
public struct AudioStatus: Sendable, Hashable {
    /// `inactive`, `active` or `interrupted`.
    public var state = "inactive"
    /// The devices that are open, or that would be tried first.
    public var capture = ""
    public var playback = ""
    /// `SCHED_FIFO 50`, or why not; empty before the first session.
    public var scheduling = ""
    public var turns = 0
    public var xruns = 0
    /// nil before the first.
    public var lastXrun: XrunReport?
    public var periodMilliseconds = 0.0
    /// Work of a turn.
    public var work = TurnTimes()
    /// How late a turn began.
    public var wake = TurnTimes()
    /// Turns that were not done when the next one was due.
    public var missedDeadlines = 0
    /// What is to lie ahead of the loudspeaker when a turn is due, in milliseconds; 0 where that is no card.
    public var playbackFill = 0.0
    /// How much faster the loop turns than the loudspeaker plays, in parts per million; 0 where they have one clock.
    public var playbackDrift = 0.0
    public var profile = ProfileState()
    public var echo = EchoFigures()
    public init() {}
}

/// Figures of the echo canceller in the present or the last audio session.
public struct EchoFigures: Sendable, Hashable {
    /// By how much the echo is quieter than the microphone hears it (ERLE), in dB; nil where none is cancelled, or none was
    /// heard yet.
    public var returnLossEnhancement: Double?
    /// The same of the adaptive filter alone.
    public var cancelled: Double?
    /// From the sound's being handed to the loudspeaker to its echo's being read.
    public var delayMilliseconds: Double?
    /// The filter has found the echo.
    public var isConverged = false
    /// Times that the loudspeaker's sound was laid out anew on the microphone's clock.
    public var alignments = 0
    public init() {}
}
