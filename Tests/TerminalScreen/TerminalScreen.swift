/// What a terminal would show of what a program writes: the part of ECMA-48 that the monitor uses, and nothing else.
public struct TerminalScreen: Sendable {
    public private(set) var columns: Int
    public private(set) var rows: Int
    public private(set) var isAlternate = false
    public private(set) var showsCursor = true
    /// Controls that it does not know.
    public private(set) var unknown: [String] = []
    /// Whether a colour was asked for.
    public private(set) var hasColour = false
    /// Rows that were written to since `forgetWrites`.
    public private(set) var written: Set<Int> = []
    /// A column is empty where a wide character stands before it.
    private var cells: [[String]]
    private var row = 0
    private var column = 0
    private var pending: [UInt8] = []

    public init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        cells = Self.blank(columns, rows)
    }

    private static func blank(_ columns: Int, _ rows: Int) -> [[String]] {
        Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    /// The rows, without the spaces at their ends.
    public var lines: [String] {
        cells.map { cells in
            var text = cells.joined()
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    public var text: String { lines.joined(separator: "\n") }

    public mutating func forgetWrites() { written = [] }

    /// A new size; what is shown is lost, as on some terminals.
    public mutating func resize(columns: Int, rows: Int) {
        (self.columns, self.rows, row, column) = (columns, rows, 0, 0)
        cells = Self.blank(columns, rows)
    }

    public mutating func feed(_ text: String) { feed(Array(text.utf8)) }

    /// Takes what the program wrote, in any pieces.
    public mutating func feed(_ bytes: [UInt8]) {
        pending += bytes
        while let length = next() { pending.removeFirst(length) }
    }

    /// Carries out the first control or character; nil where it is not whole yet.
    private mutating func next() -> Int? {
        guard let byte = pending.first else { return nil }
        switch byte {
        case 0x1B: return sequence()
        case 0x0A:
            row = min(row + 1, rows - 1)
            column = 0
            return 1
        case 0x0D:
            column = 0
            return 1
        case 0..<0x20, 0x7F:
            unknown.append("control \(byte)")
            return 1
        default:
            let length = byte < 0x80 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
            guard pending.count >= length else { return nil }
            put(String(decoding: pending.prefix(length), as: UTF8.self))
            return length
        }
    }

    private mutating func put(_ character: String) {
        guard let scalar = character.unicodeScalars.first else { return }
        if (0x80..<0xA0).contains(scalar.value) { unknown.append("control \(scalar.value)") }
        if scalar.properties.generalCategory == .nonspacingMark {
            if column > 0 { cells[row][column - 1] += character }
            return
        }
        let isWide =
            (0x1100...0x115F).contains(scalar.value) || (0x2E80...0xD7A3).contains(scalar.value)
            || (0xFF00...0xFF60).contains(scalar.value) || scalar.value >= 0x1F300
        guard column + (isWide ? 2 : 1) <= columns else {
            unknown.append("beyond the last column")
            return
        }
        written.insert(row)
        cells[row][column] = character
        if isWide { cells[row][column + 1] = "" }
        column += isWide ? 2 : 1
    }

    private mutating func sequence() -> Int? {
        guard pending.count > 1 else { return nil }
        guard pending[1] == UInt8(ascii: "[") else {
            unknown.append("escape \(pending[1])")
            return 2
        }
        guard let end = pending.dropFirst(2).firstIndex(where: { 0x40...0x7E ~= $0 }) else { return nil }
        let parameters = String(decoding: pending[2..<end], as: UTF8.self)
        let numbers = parameters.split(separator: ";").compactMap { Int($0) }
        switch (pending[end], parameters) {
        case (UInt8(ascii: "H"), _):
            row = min(max(1, numbers.first ?? 1), rows) - 1
            column = min(max(1, numbers.count > 1 ? numbers[1] : 1), columns) - 1
        case (UInt8(ascii: "K"), ""):
            written.insert(row)
            // What stands in the last column when the next character would wrap is lost on some terminals.
            for index in min(column, columns - 1)..<columns { cells[row][index] = " " }
        case (UInt8(ascii: "J"), "2"):
            cells = Self.blank(columns, rows)
            written.formUnion(0..<rows)
        case (UInt8(ascii: "m"), _): if numbers.contains(where: { 30...49 ~= $0 }) { hasColour = true }
        case (UInt8(ascii: "h"), "?1049"), (UInt8(ascii: "l"), "?1049"):
            isAlternate = pending[end] == UInt8(ascii: "h")
            cells = Self.blank(columns, rows)
        case (UInt8(ascii: "h"), "?25"), (UInt8(ascii: "l"), "?25"): showsCursor = pending[end] == UInt8(ascii: "h")
        default: unknown.append("[\(parameters)\(Character(Unicode.Scalar(pending[end])))")
        }
        return end + 1
    }
}
