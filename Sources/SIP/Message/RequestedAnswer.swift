/// That a caller wants to be answered without anybody's doing, in any of the ways in which telephones say so.
///
/// Nothing that such a header names is ever fetched or played.
public struct RequestedAnswer: Hashable, Sendable {
    /// After how many milliseconds, 0...60,000.
    public var afterMilliseconds: Int
    /// Whether the call shall rather be refused than ring (RFC 5373 §4.1).
    public var isRequired: Bool

    static let longestDelay = 60_000

    /// nil where the request asks for nothing of the kind.
    public init?(of invite: SIPMessage) {
        var delay: Int?
        var isRequired = false
        for name in [HeaderName.answerMode, .privAnswerMode] {
            guard let mode = invite.token(name), mode.isValue("auto") else { continue }
            delay = delay ?? 0
            isRequired = isRequired || mode.parameters.contains("require")
        }
        for value in invite.headers.values(.callInfo) {
            delay = delay ?? Self.parameters(of: value)["answer-after"].flatMap(Self.milliseconds)
        }
        for value in invite.headers.values(.alertInfo) where Self.alertsByAnswering(value) {
            delay = delay ?? Self.milliseconds(Self.parameters(of: value)["delay"] ?? "") ?? 0
        }
        guard let delay else { return nil }
        afterMilliseconds = delay
        self.isRequired = isRequired
    }

    /// `<uri>;name=value`, `;name=value` or `name=value`: what comes before the parameters counts for nothing.
    private static func parameters(of value: String) -> Parameters {
        var scanner = ByteScanner(value)
        scanner.skipSpace()
        if scanner.take("<") {
            _ = scanner.take(while: { $0 != UInt8(ascii: ">") })
            _ = scanner.take(">")
        } else {
            let word = scanner.text(scanner.take(while: { $0 != UInt8(ascii: ";") }))
            // A parameter without a URI in front.
            if word.contains("="), !word.contains(":") { return parameters(of: ";" + value) }
        }
        return (try? scanner.takeHeaderParameters(of: "parameter")) ?? Parameters(.header)
    }

    /// `info=alert-autoanswer` and how else it is written: `Auto Answer`, `Ring Answer`, `info=intercom`.
    private static func alertsByAnswering(_ value: String) -> Bool {
        let info = parameters(of: value)["info"] ?? value
        let letters = info.utf8.prefix(64).filter(CharacterClass.isLetter).map { $0 | 0x20 }
        return answering.contains(String(decoding: letters, as: UTF8.self))
    }

    private static let answering: Set<String> = [
        "alertautoanswer", "autoanswer", "ringanswer", "ringautoanswer", "alertintercom", "intercom",
    ]

    /// Whole seconds; nil for anything else.
    private static func milliseconds(_ seconds: String) -> Int? {
        ByteScanner.number(seconds.utf8.prefix(8), maximum: 99_999_999).map { min(Int($0) * 1_000, longestDelay) }
    }
}
