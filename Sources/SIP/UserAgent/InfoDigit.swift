/// A digit in the body of an INFO: `application/dtmf-relay` (`Signal=5`, `Duration=160`) or `application/dtmf` (`5`).
struct InfoDigit: Hashable {
    var digit: Character
    var milliseconds: Int

    /// nil where the body is of another type, too long or no digit.
    init?(_ request: SIPMessage) {
        guard request.body.count <= 512, let type = request.contentType else { return nil }
        let text = String(decoding: request.body, as: UTF8.self)
        if type.isValue("application/dtmf") {
            self.init(signal: text, milliseconds: 250)
        } else if type.isValue("application/dtmf-relay") {
            self.init(relay: text)
        } else {
            return nil
        }
    }

    private init?(relay text: String) {
        var signal: String?
        var duration = 250
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
            guard parts.count == 2 else { continue }
            switch parts[0].lowercased() {
            case "signal": signal = signal ?? parts[1]
            case "duration": duration = Int(parts[1]).map { min(max($0, 1), 10_000) } ?? duration
            default: continue
            }
        }
        guard let signal else { return nil }
        self.init(signal: signal, milliseconds: duration)
    }

    /// The names some use for the keys beside the digits are event codes of RFC 4733.
    private init?(signal: String, milliseconds: Int) {
        let names = ["10": "*", "11": "#", "12": "A", "13": "B", "14": "C", "15": "D"]
        let word = signal.trimmed.uppercased()
        let key = names[word] ?? word
        guard key.count == 1, let digit = key.first, "0123456789ABCD*#".contains(digit) else { return nil }
        self.digit = digit
        self.milliseconds = milliseconds
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
