internal import CallModel
internal import ControlProtocol
internal import HandsetKit
internal import MediaDescription

/// What the user asks for.
enum Command: Sendable, Hashable {
    case status
    case calls
    case dial(String, account: String?, id: CallID?, wait: Bool)
    /// An action about one call; `call` is a UUID, the beginning of one, or nil.
    case act(CallVerb, call: String?)
    case swap
    case devices
    /// Both nil: only shows.
    case volume(capture: Int?, playback: Int?)
    /// nil: only shows.
    case profile(ProfileChoice?)
    case stats(call: String?)
    case monitor
    /// What may stand for the last of these words.
    case complete([String])
    case doctor
    case reload
    case merge(calls: [String])
    case split(call: String)
    case transfer(handle: String, call: String?)
    case attendedTransfer
    case history(HistoryQuery)
    case redial
    case probe(ProbeOrder)
    /// All of them, however many answers that takes.
    case contacts
    /// One request that needs nothing of the daemon's.
    case reception(ControlRequest)
}

/// An action about one call.
enum CallVerb: Sendable, Hashable {
    case answer, endAndAnswer
    case reject(RejectReason)
    case hangup, hold, resume, mute, unmute, earmuff, unearmuff
    case dtmf(DigitString)
    /// `file`: a path, or a name in the daemon's folder; nil: it makes one.
    case record(file: String?)
    case stopRecording
    case play(file: String, loops: Bool)
    case stopPlaying

    func request(_ id: CallID) -> ControlRequest {
        switch self {
        case .answer: .action(.answer(id))
        case .endAndAnswer: .action(.endAndAnswer(id))
        case .reject(let reason): .action(.reject(id, reason))
        case .hangup: .action(.end(id))
        case .hold: .action(.hold(id))
        case .resume: .action(.resume(id))
        case .mute: .action(.mute(id))
        case .unmute: .action(.unmute(id))
        case .earmuff: .action(.earmuff(id))
        case .unearmuff: .action(.unearmuff(id))
        case .dtmf(let digits): .action(.dtmf(id, digits))
        case .record(let file): .recordingStart(id, file: file)
        case .stopRecording: .recordingStop(id)
        case .play(let file, let loops): .callPlay(id, file: file, loops: loops)
        case .stopPlaying: .callStopPlaying(id)
        }
    }
}

/// The whole command line.
struct Invocation: Sendable, Hashable {
    enum Action: Sendable, Hashable {
        case run(Command)
        /// nil: of the program itself.
        case help(String?)
        case version
    }

    var socket: String?
    var json = false
    var action: Action
}

/// Why the program does not go on, and its exit status.
struct Failure: Error, Sendable, Hashable {
    /// 1: the daemon said no, or the output cannot be written; 2: wrong usage; 3: the daemon cannot be reached.
    var status: Int32
    /// Empty where nothing is to be said.
    var message: String

    static func failed(_ message: String) -> Failure { Failure(status: 1, message: message) }
    static func usage(_ message: String) -> Failure { Failure(status: 2, message: message) }
    static func unreachable(_ message: String) -> Failure { Failure(status: 3, message: message) }

    init(status: Int32, message: String) {
        self.status = status
        self.message = message
    }

    init(_ error: HandsetError) {
        message = error.message
        status =
            switch error {
            case .refused, .cancelled, .malformed: 1
            case .unreachable, .interrupted, .closed: 3
            }
    }
}
