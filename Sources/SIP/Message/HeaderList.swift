/// The headers of a message in their order. Values are raw text, unfolded and without surrounding space.
public struct HeaderList: Hashable, Sendable {
    /// One header line.
    public struct Field: Hashable, Sendable {
        public let name: HeaderName
        public var value: String
    }

    public private(set) var fields: [Field] = []

    public init() {}

    public var count: Int { fields.count }

    /// The value of the first header of this name.
    public func first(_ name: HeaderName) -> String? { fields.first { $0.name == name }?.value }

    /// The values of all headers of this name, one a line.
    public func all(_ name: HeaderName) -> [String] { fields.lazy.filter { $0.name == name }.map(\.value) }

    /// The values of all headers of this name, split at commas outside quotes and `<>`; empty ones are left out.
    public func values(_ name: HeaderName) -> [String] {
        var values: [String] = []
        for field in fields where field.name == name {
            Self.split(field.value) { if !$0.isEmpty { values.append($0) } }
        }
        return values
    }

    public func contains(_ name: HeaderName) -> Bool { fields.contains { $0.name == name } }

    public mutating func append(_ name: HeaderName, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Puts a header before all others, as a new topmost Via must stand.
    public mutating func prepend(_ name: HeaderName, _ value: String) {
        fields.insert(Field(name: name, value: value), at: 0)
    }

    /// Makes `value` the only one of this name, in the place of the first one or at the end.
    public mutating func set(_ name: HeaderName, _ value: String) {
        guard let index = fields.firstIndex(where: { $0.name == name }) else { return append(name, value) }
        fields[index].value = value
        var isFirst = true
        fields.removeAll { field in
            guard field.name == name else { return false }
            defer { isFirst = false }
            return !isFirst
        }
    }

    public mutating func removeAll(_ name: HeaderName) { fields.removeAll { $0.name == name } }

    /// Removes the first header line of this name.
    @discardableResult
    public mutating func removeFirst(_ name: HeaderName) -> String? {
        guard let index = fields.firstIndex(where: { $0.name == name }) else { return nil }
        return fields.remove(at: index).value
    }

    /// Calls `body` with each element between commas, trimmed. One pass.
    static func split(_ value: String, _ body: (String) -> Void) {
        var scanner = ByteScanner(value)
        var start = 0
        func element(_ end: Int) -> String {
            var first = start
            var last = end
            while first < last, CharacterClass.isSpace(scanner.octets[first]) { first += 1 }
            while last > first, CharacterClass.isSpace(scanner.octets[last - 1]) { last -= 1 }
            return scanner.text(first..<last)
        }
        while let octet = scanner.next {
            switch octet {
            case UInt8(ascii: "\""): _ = scanner.takeQuotedString()
            case UInt8(ascii: "<"): _ = scanner.take(while: { $0 != UInt8(ascii: ">") })
            case UInt8(ascii: ","):
                body(element(scanner.position))
                scanner.position += 1
                start = scanner.position
            default: scanner.position += 1
            }
        }
        body(element(scanner.octets.count))
    }
}
