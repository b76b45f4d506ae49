public import CallModel

/// What a button does.
public enum PanelAction: Sendable, Hashable {
    case answer
    case hangUp
    /// Answers what rings; where nothing does, hangs up.
    case answerOrHangUp
    case reject
    /// Holds the active call; where none is, resumes the held one.
    case hold
    /// Mutes the active call, or no longer.
    case mute
    case volumeUp
    case volumeDown
    /// Silences the ringer, or lets it sound again.
    case silent
    case dial(Handle)
    case redial
    case digits(DigitString)

    /// The words that `init(parsing:)` takes, as they are shown to people.
    public static let words = [
        "answer", "hang-up", "answer-or-hang-up", "reject", "hold", "mute", "volume-up", "volume-down", "silent",
        "dial HANDLE", "redial", "dtmf DIGITS",
    ]

    /// Reads one of `words`; `HANDLE` is whatever `call.start` takes, `DIGITS` what `call.dtmf` takes. Throws why it is none.
    public init(parsing text: String) throws(PanelActionError) {
        let parts = text.split(separator: " ", maxSplits: 1)
        let argument = parts.count == 2 ? String(parts[1]) : nil
        switch (parts.first, argument) {
        case ("answer", nil): self = .answer
        case ("hang-up", nil): self = .hangUp
        case ("answer-or-hang-up", nil): self = .answerOrHangUp
        case ("reject", nil): self = .reject
        case ("hold", nil): self = .hold
        case ("mute", nil): self = .mute
        case ("volume-up", nil): self = .volumeUp
        case ("volume-down", nil): self = .volumeDown
        case ("silent", nil): self = .silent
        case ("redial", nil): self = .redial
        case ("dial", let handle?):
            do throws(CallError) { self = .dial(try Handle(parsing: handle)) } catch {
                throw PanelActionError(message: error.message)
            }
        case ("dtmf", let text?):
            guard let digits = DigitString(text), !digits.characters.isEmpty else {
                throw PanelActionError(
                    message:
                        "\"\(text)\" are no digits: 1 to \(DigitString.maximumLength) of 0-9, A-D, *, #, comma and ;")
            }
            self = .digits(digits)
        default:
            throw PanelActionError(
                message: "\"\(text)\" is not an action; known are \(Self.words.joined(separator: ", "))")
        }
    }

    /// Whether it happens again while the button is kept pressed and its device repeats it.
    public var repeats: Bool { self == .volumeUp || self == .volumeDown }
}

/// Why a text is no action.
public struct PanelActionError: Error, Hashable, Sendable {
    public var message: String
}
