/// A JSON value (RFC 8259).
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that fits.
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

/// The members of a JSON object, in the order they were written; each name once.
public struct JSONObject: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    public struct Member: Sendable, Hashable {
        public var name: String
        public var value: JSONValue
    }

    public private(set) var members: [Member]

    public init() { members = [] }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = elements.map { Member(name: $0.0, value: $0.1) }
    }

    init(members: [Member]) { self.members = members }

    /// The member of that name; nil where there is none. Setting nil removes it, a new one comes last.
    public subscript(name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set {
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONValue {
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    public var array: [JSONValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// A whole number, also where it was written with a fraction of zeros.
    public var integer: Int? {
        switch self {
        case .integer(let integer): Int(exactly: integer)
        case .number(let number): Int(exactly: number)
        default: nil
        }
    }

    public var double: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }

    /// The member of an object; nil in any other value.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// `string`, or null where there is none.
    public init(_ string: String?) { self = string.map(JSONValue.string) ?? .null }

    public init(_ integer: Int?) { self = integer.map { .integer(Int64($0)) } ?? .null }

    /// Milliseconds and levels, in steps of a thousandth; null where there is none or it is not finite.
    public init(thousandths value: Double?) {
        guard let value, value.isFinite else {
            self = .null
            return
        }
        self = abs(value) < 1e12 ? .number((value * 1_000).rounded() / 1_000) : .number(value)
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
    public init(stringLiteral value: String) { self = .string(value) }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(members: elements.map { JSONObject.Member(name: $0.0, value: $0.1) }))
    }
}
