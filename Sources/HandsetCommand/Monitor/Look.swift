/// What the terminal can show.
struct Look: Sendable, Hashable {
    var isUTF8: Bool
    var hasColour: Bool

    /// As the environment says: locale(7), https://no-color.org.
    init(environment: (String) -> String?) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment).first { !$0.isEmpty }
        let charset = locale?.lowercased().filter { $0 != "-" } ?? ""
        isUTF8 = charset.contains("utf8")
        hasColour = environment("NO_COLOR")?.isEmpty ?? true
    }

    init(isUTF8: Bool, hasColour: Bool) {
        self.isUTF8 = isUTF8
        self.hasColour = hasColour
    }

    /// Whether one can draw on a terminal of the kind that `TERM` names.
    static func canDraw(on kind: String?) -> Bool { kind.map { !$0.isEmpty && $0 != "dumb" } ?? false }

    /// The text without what could steer the terminal, or what it cannot show.
    func shown(_ text: String) -> String {
        let text = Table.printable(text)
        guard !isUTF8 else { return text }
        return String(text.map { $0.isASCII ? $0 : "?" })
    }

    var ellipsis: String { isUTF8 ? "…" : "~" }
    var selection: String { isUTF8 ? "▸ " : "> " }
    var rule: Character { isUTF8 ? "─" : "-" }
    var emptyCell: Character { isUTF8 ? "·" : "." }
    var separator: String { isUTF8 ? " · " : " | " }
    var cursor: String { isUTF8 ? "▏" : "_" }
}
