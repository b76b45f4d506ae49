/// Rows of text in columns.
struct Table {
    /// A line that a row shall fit on.
    struct Room: Sendable, Hashable {
        var columns: Int
        /// Stands at the end of a cell of which something is left out.
        var ellipsis: String
    }

    /// No cell is cut to less.
    private static let leastWidth = 16

    private var rows: [[String]] = []

    init(_ heading: [String] = []) {
        if !heading.isEmpty { rows.append(heading) }
    }

    mutating func add(_ cells: [String]) { rows.append(cells.map(Self.printable)) }

    /// One line a row, the last column not padded, without a line feed at the end.
    var text: String { text(in: nil) }

    /// The same, with the widest cells cut where the rows would not fit into `room`.
    func text(in room: Room?) -> String {
        let widths = self.widths(in: room)
        let ellipsis = room?.ellipsis ?? ""
        return rows.map { row in
            var line = ""
            for (column, whole) in row.enumerated() {
                let cell = TextWidth.fitted(whole, to: widths[column], ellipsis: ellipsis)
                line += cell
                guard column + 1 < row.count else { continue }
                line += String(repeating: " ", count: widths[column] - TextWidth.columns(cell) + 2)
            }
            return line
        }.joined(separator: "\n")
    }

    private func widths(in room: Room?) -> [Int] {
        let columns = rows.map(\.count).max() ?? 0
        var widths = (0..<columns).map { column in
            rows.map { $0.count > column ? TextWidth.columns($0[column]) : 0 }.max() ?? 0
        }
        guard let room, columns > 0 else { return widths }
        var excess = widths.reduce(2 * (columns - 1), +) - room.columns
        while excess > 0, let widest = widths.max(), widest > Self.leastWidth,
            let column = widths.firstIndex(of: widest)
        {
            let cut = min(excess, widest - Self.leastWidth)
            widths[column] -= cut
            excess -= cut
        }
        return widths
    }

    /// The text without what could steer a terminal or turn the order of writing: names come from strangers.
    static func printable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF:
                result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
