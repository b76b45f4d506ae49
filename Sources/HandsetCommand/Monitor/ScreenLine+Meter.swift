extension ScreenLine {
    /// The level at which a meter begins, in dB below full scale.
    static let meterFloor = -60.0

    /// Adds a bar for a level in dB below full scale; empty for silence. It takes `columns`.
    mutating func addMeter(_ level: Double?, columns: Int) {
        let cells = Double(columns)
        let position = { (level: Double) in (level - Self.meterFloor) / -Self.meterFloor * cells }
        // An eighth of a cell is the smallest step that there is a sign for.
        let eighths = level.map { $0.isFinite ? Int((min(max(0, position($0)), cells) * 8).rounded()) : 0 } ?? 0
        let signs = "▏▎▍▌▋▊▉"
        var bar: [(sign: Character, style: Style)] = []
        for cell in 0..<columns {
            let filled = min(max(0, eighths - cell * 8), 8)
            // Speech that is well recorded stays in the first part; full scale is where it is clipped.
            let style: Style = Double(cell) < position(-12) ? .good : Double(cell) < position(-3) ? .warning : .bad
            switch filled {
            case 0: bar.append((look.emptyCell, .dim))
            case 8: bar.append((look.isUTF8 ? "█" : "#", style))
            case _ where look.isUTF8: bar.append((signs[signs.index(signs.startIndex, offsetBy: filled - 1)], style))
            default: bar.append((filled >= 4 ? "#" : look.emptyCell, filled >= 4 ? style : .dim))
            }
        }
        var rest = bar[...]
        while let style = rest.first?.style {
            let run = rest.prefix { $0.style == style }
            add(String(run.map(\.sign)), style)
            rest = rest.dropFirst(run.count)
        }
    }
}
