/// The `;name=value` parameters of a header or a URI, in their order. Names are compared without regard to case.
public struct Parameters: Hashable, Sendable {
    /// Which characters a value may have, and how others are written.
    public enum Grammar: Hashable, Sendable {
        /// Values of other characters are quoted strings.
        case header
        /// Other characters are escaped (RFC 3261 §19.1.2).
        case uri
    }

    /// One parameter, as it is written.
    public struct Entry: Hashable, Sendable {
        public let name: String
        /// With its quotes or escapes; nil where there is no `=`.
        public let rawValue: String?
    }

    public let grammar: Grammar
    public private(set) var entries: [Entry] = []

    public init(_ grammar: Grammar = .header) { self.grammar = grammar }

    public var isEmpty: Bool { entries.isEmpty }

    /// The value of the first parameter of this name, quotes and escapes resolved; "" where it has none (`;lr`), nil
    /// where there is no such parameter. Setting nil removes it, setting "" leaves it without a value.
    public subscript(_ name: String) -> String? {
        get {
            guard let index = index(of: name) else { return nil }
            guard let raw = entries[index].rawValue else { return "" }
            return grammar == .uri ? Escaping.unescape(raw) : Quoting.unquote(raw)
        }
        set {
            guard let newValue else {
                let key = name.asciiLowercased
                let grammar = grammar
                entries.removeAll { Self.folded($0.name, grammar) == key }
                return
            }
            let entry = Entry(name: name, rawValue: newValue.isEmpty ? nil : written(newValue))
            if let index = index(of: name) { entries[index] = entry } else { entries.append(entry) }
        }
    }

    public func contains(_ name: String) -> Bool { index(of: name) != nil }

    /// With the `;` before each.
    var printed: String {
        var text = ""
        for entry in entries {
            text += ";" + entry.name
            if let raw = entry.rawValue { text += "=" + raw }
        }
        return text
    }

    mutating func append(name: String, rawValue: String?) { entries.append(Entry(name: name, rawValue: rawValue)) }

    private func index(of name: String) -> Int? {
        let key = name.asciiLowercased
        return entries.firstIndex { Self.folded($0.name, grammar) == key }
    }

    private static func folded(_ name: String, _ grammar: Grammar) -> String {
        (grammar == .uri ? Escaping.unescape(name) : name).asciiLowercased
    }

    private func written(_ value: String) -> String {
        switch grammar {
        case .uri: Escaping.escape(value, CharacterClass.isURIParameter)
        case .header: value.utf8.allSatisfy(CharacterClass.isParameterValue) ? value : Quoting.quote(value)
        }
    }
}

extension ByteScanner {
    /// The parameters of a header, up to the end. An empty one (`;;`) is passed over.
    mutating func takeHeaderParameters(of element: String) throws(SIPParseError) -> Parameters {
        var parameters = Parameters(.header)
        skipSpace()
        while !isAtEnd {
            guard take(";") else { throw .malformed(element: element) }
            skipSpace()
            if isAtEnd || next == UInt8(ascii: ";") { continue }
            guard let name = takeToken() else { throw .malformed(element: element) }
            skipSpace()
            guard take("=") else {
                parameters.append(name: name, rawValue: nil)
                continue
            }
            skipSpace()
            if next == UInt8(ascii: "\"") {
                guard let range = takeQuotedString() else { throw .malformed(element: element) }
                parameters.append(name: name, rawValue: text(range))
            } else {
                let range = take(while: { $0 > 0x20 && !Self.endsParameterValue($0) })
                parameters.append(name: name, rawValue: text(range))
            }
            skipSpace()
        }
        return parameters
    }

    private static func endsParameterValue(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): true
        default: false
        }
    }
}
