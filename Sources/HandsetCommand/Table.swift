/// Rows of text in columns.
struct Table {
    private var rows: [[String]] = []

    init(_ heading: [String] = []) {
        if !heading.isEmpty { rows.append(heading) }
    }

    mutating func add(_ cells: [String]) { rows.append(cells.map(Self.printable)) }

    /// One line a row, the last column not padded, without a line feed at the end.
    var text: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { $0.count > column ? TextWidth.columns($0[column]) : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                guard column + 1 < row.count else { continue }
                line += String(repeating: " ", count: widths[column] - TextWidth.columns(cell) + 2)
            }
            return line
        }.joined(separator: "\n")
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
