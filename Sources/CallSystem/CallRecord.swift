internal import CallModel
internal import EventLoop
internal import FoundationEssentials

/// One call of the list: its machine, and what is known of it besides.
struct CallRecord {
    var machine: CallMachine
    var handle: Handle
    var displayName: String?
    var account: String?
    var codec: String?
    var security: String?
    var startedConnectingAt: Date
    var connectedAt: Date?
    var endedAt: Date?
    /// Taken when its sound was closed.
    var quality: CallQuality?
    /// What of the remote party is to be heard; nil before its stream.
    var peerWatch: PeerWatch?
    var cancelPeerWatch: (@DaemonActor () -> Void)?
    /// The file that rings for it; nil: the usual one.
    var ringTone: String?
    /// What clients were last told of the call.
    var announced: CallSnapshot?
    /// Counts up with each hold of any call: the highest was held last.
    var heldOrder = 0
    var service: CallService?
    /// The file that it is recorded to, or was last.
    var recording: String?
    /// One is being written, or begun.
    var isRecording = false
    /// How often one was to begin.
    var recordingAttempts = 0
    /// The file that is played to its remote party.
    var playing: String?
    /// Files that are being read to be played, and how often that was called off.
    var playsPending = 0
    var playsCalledOff = 0
    /// The group it is in.
    var group: GroupID?
    /// The call whose place this one takes when it is connected.
    var replaces: CallID?
    /// The call whose peer has sent us here.
    var follows: CallID?
    /// The same, where it was held for that: it is resumed if this one comes to nothing.
    var leftForIt: CallID?

    var id: CallID { machine.id }

    /// What is known of the call by itself; `CallCenter.snapshot(of:)` knows of the others, too.
    var snapshot: CallSnapshot {
        var snapshot = CallSnapshot(id: id, direction: machine.direction, state: machine.state, handle: handle)
        snapshot.displayName = displayName
        snapshot.account = account
        snapshot.held = machine.held
        snapshot.remoteHeld = machine.remoteHeld
        snapshot.muted = machine.muted
        snapshot.earmuffed = machine.earmuffed
        snapshot.group = group
        snapshot.capabilities = machine.capabilities
        snapshot.codec = codec
        snapshot.security = security
        snapshot.startedConnectingAt = startedConnectingAt
        snapshot.connectedAt = connectedAt
        snapshot.endedAt = endedAt
        snapshot.endReason = machine.endReason
        if isRecording || machine.state == .ended { snapshot.recording = recording }
        snapshot.playing = playing
        snapshot.service = service
        if service != nil { snapshot.capabilities.transfer = false }
        // The sound ends before the call does, and is no news of its own.
        if machine.state == .ended { snapshot.quality = quality }
        return snapshot
    }
}

typealias Completion = @DaemonActor (Result<ActionResult, CallError>) -> Void

/// An action under way: who is to be told of its end, and when it began.
struct ActionRecord {
    var call: CallID
    var readAt: MonotonicInstant
    var appliedAt: MonotonicInstant?
    /// Nil for what nobody asked for but a rule.
    var done: Completion?
    /// The request of the floor that ends with this action.
    var floor: Int?
}

/// A request that makes another call the active one: answer, resume or start. They are carried out one at a time.
struct FloorRequest {
    var number: Int
    var request: CallRequest
    var call: CallID
    var readAt: MonotonicInstant
    /// When it was made, and when its time is up, waiting included.
    var askedAt: Duration
    var deadline: Duration
    var done: Completion?
    var isRunning = false
    /// Calls that were held to make room.
    var held: [CallID] = []
    /// The call whose peer asked for this one.
    var follows: CallID?
    var service: CallService?

    /// Whether `call` is among those that it is about.
    func concerns(_ call: CallID) -> Bool { call == self.call || request.calls.contains(call) }
}

extension CallQuality {
    /// The figures of a stream at its end; nil where no packet went either way.
    init?(_ statistics: CallStatistics) {
        guard statistics.sent.packets > 0 || statistics.received.packets > 0 else { return nil }
        self.init()
        packetsSent = statistics.sent.packets
        packetsReceived = statistics.received.packets
        lost = statistics.lost
        late = statistics.late
        concealedMs = statistics.concealedMilliseconds
        jitterMs = statistics.jitterMilliseconds
        roundTripMs = statistics.roundTripMilliseconds
        mos = statistics.meanScore
    }
}
