/// Why a text is not JSON, or not JSON that is taken here.
public struct JSONError: Error, Hashable, Sendable {
    /// What is wrong, for people.
    public var message: String
    /// Offset of the byte at which it was noticed.
    public var offset: Int
}

extension JSONValue {
    /// Levels of arrays and objects in one text, at most.
    public static let maximumDepth = 16

    /// Reads one JSON text (RFC 8259) of UTF-8.
    ///
    /// Stricter than `JSONDecoder`, which lets a name appear twice in an object (which of the two counts must not be a
    /// matter of luck where calls are placed) and nests 512 levels deep; and it takes linear time for any input.
    public init(parsing text: [UInt8]) throws(JSONError) {
        var parser = JSONParser(text: text)
        self = try parser.parse()
    }
}

/// A recursive descent over the bytes; `offset` never leaves them.
private struct JSONParser {
    private let text: [UInt8]
    private var offset = 0

    init(text: [UInt8]) { self.text = text }

    mutating func parse() throws(JSONError) -> JSONValue {
        let value = try value(depth: 0)
        skipSpace()
        guard offset == text.count else { throw error("more text after the end of the JSON value") }
        return value
    }

    private func error(_ message: String) -> JSONError { JSONError(message: message, offset: offset) }

    private var next: UInt8? { offset < text.count ? text[offset] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipSpace()
        guard let byte = next else { throw error("the text ends where a value is expected") }
        switch byte {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw error("no JSON value begins like this")
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard text[offset...].starts(with: word.utf8) else { throw error("no JSON value begins like this") }
        offset += word.utf8.count
        return value
    }

    private func checkDepth(_ depth: Int) throws(JSONError) {
        guard depth <= JSONValue.maximumDepth else {
            throw error("nested deeper than \(JSONValue.maximumDepth) levels")
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        try checkDepth(depth)
        offset += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take("]") { return .array(elements) }
        while true {
            elements.append(try value(depth: depth))
            skipSpace()
            if take("]") { return .array(elements) }
            guard take(",") else { throw error("expected , or ] in an array") }
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        try checkDepth(depth)
        offset += 1
        var members: [JSONObject.Member] = []
        var names: Set<String> = []
        skipSpace()
        if take("}") { return .object(JSONObject()) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error("expected a name in an object") }
            let name = try string()
            guard names.insert(name).inserted else { throw error("a name appears twice in one object") }
            skipSpace()
            guard take(":") else { throw error("expected : after a name") }
            members.append(JSONObject.Member(name: name, value: try value(depth: depth)))
            skipSpace()
            if take("}") { return .object(JSONObject(members: members)) }
            guard take(",") else { throw error("expected , or } in an object") }
        }
    }

    // MARK: Numbers

    private mutating func digits() -> Int {
        let start = offset
        while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { offset += 1 }
        return offset - start
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = offset
        _ = take("-")
        let firstDigit = next
        let wholeDigits = digits()
        guard wholeDigits > 0, wholeDigits == 1 || firstDigit != UInt8(ascii: "0") else {
            throw error("this is not a JSON number")
        }
        var isWhole = true
        if take(".") {
            isWhole = false
            guard digits() > 0 else { throw error("digits are missing after the decimal point") }
        }
        if take("e") || take("E") {
            isWhole = false
            if !take("+") { _ = take("-") }
            guard digits() > 0 else { throw error("digits are missing in the exponent") }
        }
        guard offset - start <= 64 else { throw error("a number of more than 64 characters") }
        let written = String(decoding: text[start..<offset], as: UTF8.self)
        if isWhole, let integer = Int64(written) { return .integer(integer) }
        guard let number = Double(written), number.isFinite else { throw error("a number out of range") }
        return .number(number)
    }

    // MARK: Strings

    private mutating func string() throws(JSONError) -> String {
        offset += 1
        var bytes: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                guard let string = String(validating: bytes, as: UTF8.self) else {
                    throw error("a string that is not UTF-8")
                }
                return string
            case UInt8(ascii: "\\"):
                offset += 1
                bytes.append(contentsOf: String(try escaped()).utf8)
            case 0x00..<0x20: throw error("a control character in a string must be escaped")
            default:
                bytes.append(byte)
                offset += 1
            }
        }
        throw error("the text ends within a string")
    }

    private mutating func escaped() throws(JSONError) -> Unicode.Scalar {
        guard let byte = next else { throw error("the text ends within a string") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try escapedScalar()
        default: throw error("an unknown escape in a string")
        }
    }

    /// After `\u`: four digits, and where they are the first half of a surrogate pair, `\u` and the second half.
    private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
        let first = try fourDigits()
        guard 0xD800..<0xDC00 ~= first else {
            guard let scalar = Unicode.Scalar(first) else { throw error("half a surrogate pair in a string") }
            return scalar
        }
        guard take("\\"), take("u") else { throw error("half a surrogate pair in a string") }
        let second = try fourDigits()
        guard 0xDC00..<0xE000 ~= second,
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw error("half a surrogate pair in a string") }
        return scalar
    }

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw error("four hexadecimal digits are missing after \\u")
            }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }
}
