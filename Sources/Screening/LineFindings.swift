/// Something wrong with a line of a file, for people.
public struct LineFinding: Sendable, Hashable, CustomStringConvertible {
    /// From 1.
    public var line: Int
    public var message: String

    public init(line: Int, message: String) {
        self.line = line
        self.message = message
    }

    public var description: String { "line \(line): \(message)" }
}

/// What is wrong with a file: the first few findings, and how many there are. A file that is wrong in each of its lines
/// costs no more than one that is wrong in some.
public struct LineFindings: Sendable, Hashable {
    /// Findings that are kept.
    public static let limit = 8

    public private(set) var first: [LineFinding] = []
    /// All of them.
    public private(set) var count = 0

    public init() {}

    public var isEmpty: Bool { count == 0 }

    public mutating func add(line: Int, _ message: @autoclosure () -> String) {
        if first.count < Self.limit { first.append(LineFinding(line: line, message: message())) }
        count += 1
    }

    /// A sentence for each of those that are kept, and one that says how many more there are.
    public var sentences: [String] {
        let more = count - first.count
        return first.map(\.description) + (more > 0 ? ["and \(more) more"] : [])
    }
}
