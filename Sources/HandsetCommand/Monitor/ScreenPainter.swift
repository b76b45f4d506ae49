/// Brings lines onto a terminal, and writes only those that have changed (ECMA-48).
struct ScreenPainter: Sendable {
    struct Size: Sendable, Hashable {
        var columns: Int
        var rows: Int
    }

    private var shown: [ScreenLine] = []
    private var size: Size?

    /// Changes to the alternate screen, without a cursor.
    static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    /// Goes back to what was on the screen before.
    static let leave = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    /// What is on the screen is not known any more.
    mutating func forget() { size = nil }

    /// The bytes that turn what is on the screen into `lines`; empty where nothing has changed.
    mutating func paint(_ lines: [ScreenLine], _ size: Size) -> String {
        var output = ""
        if self.size != size {
            output = "\u{1B}[0m\u{1B}[2J"
            shown = []
            self.size = size
        }
        let lines = lines.prefix(size.rows).map { $0.fitted(to: size.columns) }
        for row in 0..<max(lines.count, shown.count) {
            let line = row < lines.count ? lines[row] : nil
            guard line != (row < shown.count ? shown[row] : nil) else { continue }
            output += "\u{1B}[\(row + 1);1H" + (line.map(Self.written) ?? "")
            // After the last column there is nothing to erase, and some terminals would erase that column.
            if line.map({ $0.columns < size.columns }) ?? true { output += "\u{1B}[K" }
        }
        shown = Array(lines)
        return output
    }

    private static func written(_ line: ScreenLine) -> String {
        line.spans.map { span in
            let code = code(span.style, line.look)
            return code.isEmpty ? span.text : "\u{1B}[\(code)m\(span.text)\u{1B}[0m"
        }.joined()
    }

    private static func code(_ style: Style, _ look: Look) -> String {
        switch style {
        case .plain: ""
        case .bold: "1"
        case .dim: "2"
        case .reverse: "7"
        case .good: look.hasColour ? "32" : ""
        case .warning: look.hasColour ? "33" : ""
        case .bad: look.hasColour ? "1;31" : "1"
        }
    }
}
