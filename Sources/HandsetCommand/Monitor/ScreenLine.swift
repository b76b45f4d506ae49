/// How a piece of text is shown.
enum Style: Sendable, Hashable {
    case plain, bold, dim, reverse
    case good, warning, bad
}

/// One line of the screen. Only what a terminal can show gets into it.
struct ScreenLine: Sendable, Hashable {
    struct Span: Sendable, Hashable {
        var text: String
        var style: Style
    }

    let look: Look
    private(set) var spans: [Span] = []

    init(_ look: Look) { self.look = look }

    init(_ text: String, _ style: Style = .plain, _ look: Look) {
        self.look = look
        add(text, style)
    }

    /// Adds text from anywhere.
    mutating func add(_ text: String, _ style: Style = .plain) {
        let shown = look.shown(text)
        if !shown.isEmpty { spans.append(Span(text: shown, style: style)) }
    }

    /// Adds spaces up to `column`, counted from 0; one where that is passed.
    mutating func pad(to column: Int) { add(String(repeating: " ", count: max(1, column - columns))) }

    var text: String { spans.map(\.text).joined() }

    var columns: Int { spans.reduce(0) { $0 + TextWidth.columns($1.text) } }

    /// The line, cut where it is longer than `columns`.
    func fitted(to columns: Int) -> ScreenLine {
        guard self.columns > columns else { return self }
        var (line, room) = (ScreenLine(look), columns)
        for span in spans {
            let width = TextWidth.columns(span.text)
            guard width >= room else {
                line.spans.append(span)
                room -= width
                continue
            }
            // What follows does not fit, whatever it is.
            let text = TextWidth.fitted(span.text + look.ellipsis, to: room, ellipsis: look.ellipsis)
            line.spans.append(Span(text: text, style: span.style))
            break
        }
        return line
    }
}
