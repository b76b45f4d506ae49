/// Cuts a stream of bytes into lines and never keeps more than one line's worth of them.
///
/// A line that is too long is reported once and skipped to its end, so that the connection lives on.
public struct LineFramer: Sendable {
    /// Bytes of a control line without its line feed, at most.
    public static let maximumLength = 65_536

    public enum Line: Sendable, Hashable {
        /// A whole line, without its line feed and a carriage return before it.
        case complete([UInt8])
        case tooLong
    }

    private let limit: Int
    private var pending: [UInt8] = []
    private var skipping = false

    /// - Parameter limit: bytes of a line without its line feed, at most.
    public init(limit: Int = LineFramer.maximumLength) { self.limit = limit }

    /// Takes what was read, in any pieces, and returns the lines that are now complete, in order. Empty lines are none.
    public mutating func append(_ bytes: some Collection<UInt8>) -> [Line] {
        var lines: [Line] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            take(rest[..<end], into: &lines)
            rest = rest[rest.index(after: end)...]
            if !skipping, !pending.isEmpty {
                if pending.last == UInt8(ascii: "\r") { pending.removeLast() }
                if !pending.isEmpty { lines.append(.complete(pending)) }
            }
            skipping = false
            pending.removeAll(keepingCapacity: pending.capacity <= 4_096)
        }
        take(rest, into: &lines)
        return lines
    }

    /// Takes the end of the stream for the end of a line, and returns that line where one has been begun.
    public mutating func finish() -> [Line] { append([UInt8(ascii: "\n")]) }

    private mutating func take(_ part: some Collection<UInt8>, into lines: inout [Line]) {
        guard !skipping else { return }
        guard pending.count + part.count <= limit else {
            skipping = true
            pending.removeAll()
            lines.append(.tooLong)
            return
        }
        pending.append(contentsOf: part)
    }
}
