import CallModel
import Testing

/// What each request comes to in each state that a call can be in.
@Suite("Call machine, each request in each state") struct RequestTableTests {
    static let requests: [CallAction] = [
        .answer, .reject(.busy), .end, .setHeld(true), .setHeld(false), .setAside, .setMuted(true), .setMuted(false),
        .setEarmuffed(true), .setEarmuffed(false), digits("1"),
        .transfer(.handle(Handle(kind: .generic, value: "carol"))),
    ]

    private static func digits(_ text: String) -> CallAction {
        guard let digits = DigitString(text) else { preconditionFailure("\(text) are no digits") }
        return .playDTMF(digits)
    }

    /// In the order of `requests`; the letters are those of `letter(of:in:)`.
    static let table: [Scene: String] = [
        // answer, reject, end; hold, resume, aside; mute, unmute, earmuff, unearmuff; digits, transfer
        .incoming: "b b b i i i b s b s i i",
        .openingAudio: "i b b i i i b s b s i i",
        .accepted: "i i b i i i b s b s i i",
        .dialling: "i i b i i i b s b s i i",
        .inviteSent: "i i b i i i b s b s i i",
        .ringing: "i i b i i i b s b s i i",
        .earlyMedia: "i i b i i i b s b s i i",
        .connected: "i i b b s b b s b s b b",
        .muting: "i i b b s b b b b s b b",
        .muted: "i i b b s b s b b s b b",
        .closing: "i i b b b b b s b s i b",
        .offeringHold: "i i b b b b b s b s i b",
        .held: "i i b s b s b s b s i b",
        .offeringResume: "i i b b b b b s b s i b",
        .opening: "i i b b b b b s b s i b",
        .queuedResume: "i i b b b b b s b s i b",
        .remoteHeld: "i i b b s b b s b s i b",
        .bothHeld: "i i b s b s b s b s i b",
        .playing: "i i b b s b b s b s b b",
        .hardPause: "i i b b s b b s b s b b",
        .closingAside: "i i b b b b b s b s i b",
        .aside: "i i b b b s b s b s i b",
        .openingAside: "i i b b b b b s b s i b",
        .transferHolding: "i i b b b b b s b s i i",
        .transferring: "i i b s b s b s b s i i",
        .takenBack: "i i b b s b b s b s b i",
        .untransferable: "i i b b s b b s b s b n",
        .ending: "i i b i i i i i i i i i",
        .rejecting: "i i b i i i i i i i i i",
        .ended: "u u u u u u u u u u u u",
    ]

    @Test("It begins, was so already, or is refused, as the table says", arguments: Scene.allCases)
    func row(scene: Scene) {
        let letters = Self.requests.map { letter(of: $0, in: scene) }.joined(separator: " ")
        #expect(letters == Self.table[scene])
    }

    /// `b`: it begins; `s`: it is over at once, as the call is so already; else it is refused: `i` invalidState,
    /// `n` notSupported, `u` unknownCall.
    private func letter(of action: CallAction, in scene: Scene) -> String {
        var machine = scene.machine
        do throws(CallError) {
            let effects = try machine.handle(.request(ActionID(1), action), at: Scene.start)
            return effects.contains { $0.endedAction == ActionID(1) } ? "s" : "b"
        } catch {
            return switch error.reason {
            case .invalidState: "i"
            case .notSupported: "n"
            case .unknownCall: "u"
            default: error.reason.rawValue
            }
        }
    }
}
