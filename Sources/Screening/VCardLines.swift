/// One property of a vCard: `group.NAME;PARAMETER=VALUE:value`.
struct VCardLine: Sendable {
    /// In upper case, without its group.
    var name: String
    /// In upper case, as they are written.
    var parameters: [String]
    /// As it is written, unfolded.
    var value: ArraySlice<UInt8>

    /// Splits a line; nil where it is no property.
    init?(_ line: ArraySlice<UInt8>) {
        var isQuoted = false
        var fields: [ArraySlice<UInt8>] = []
        var start = line.startIndex
        for index in line.indices {
            switch line[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ";") where !isQuoted:
                fields.append(line[start..<index])
                start = index + 1
                guard fields.count < 32 else { return nil }
            case UInt8(ascii: ":") where !isQuoted:
                fields.append(line[start..<index])
                value = line[(index + 1)...]
                let title = fields[0].split(separator: UInt8(ascii: ".")).last ?? fields[0]
                guard 1...64 ~= title.count else { return nil }
                name = String(decoding: title, as: UTF8.self).uppercased()
                parameters = fields.dropFirst().map { String(decoding: $0.prefix(128), as: UTF8.self).uppercased() }
                return
            default: continue
            }
        }
        return nil
    }

    private var isQuotedPrintable: Bool { Self.isQuotedPrintable(parameters) }

    static func isQuotedPrintable(_ parameters: [String]) -> Bool {
        parameters.contains { $0 == "QUOTED-PRINTABLE" || $0 == "ENCODING=QUOTED-PRINTABLE" }
    }

    /// The value, decoded and without its escapes.
    var text: String { Self.unescaped(decoded) }

    /// The parts of the value between semicolons, decoded and without their escapes.
    var components: [String] {
        var parts: [ArraySlice<UInt8>] = []
        let decoded = decoded
        var (start, isEscaped) = (decoded.startIndex, false)
        for index in decoded.indices {
            if !isEscaped, decoded[index] == UInt8(ascii: ";") {
                parts.append(decoded[start..<index])
                start = index + 1
            }
            isEscaped = !isEscaped && decoded[index] == UInt8(ascii: "\\")
        }
        parts.append(decoded[start...])
        return parts.prefix(8).map { Self.unescaped($0) }
    }

    private var decoded: ArraySlice<UInt8> {
        var bytes = isQuotedPrintable ? Self.quotedPrintable(value) : value
        // Before vCard 4.0 a card could say that it is Latin-1; some are and do not say so.
        let isLatin1 = parameters.contains("CHARSET=ISO-8859-1") || parameters.contains("CHARSET=WINDOWS-1252")
        if isLatin1 || String(validating: bytes, as: UTF8.self) == nil {
            bytes = bytes.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }[...]
        }
        return bytes
    }

    /// RFC 2045 §6.7; soft line breaks are gone already.
    private static func quotedPrintable(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var result: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "="), rest.count >= 2, let value = hexadecimal(rest.prefix(2)) {
                result.append(value)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result[...]
    }

    /// RFC 6350 §3.4. Blanks around it are left out.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        var isEscaped = false
        for byte in text {
            if isEscaped {
                result.append(byte == UInt8(ascii: "n") || byte == UInt8(ascii: "N") ? 0x0A : byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                result.append(byte)
            }
        }
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let trimmed = result.drop(while: isBlank)
        let last = trimmed.lastIndex { !isBlank($0) }
        return String(decoding: last.map { trimmed[...$0] } ?? [], as: UTF8.self)
    }
}

/// A line of a file of vCards, unfolded.
enum VCardItem: Sendable {
    case property(VCardLine)
    /// A property that is too long for what we take.
    case tooLong(name: String)
    /// It is no property.
    case malformed
}

/// The lines of a file of vCards, unfolded; empty ones are passed over.
struct VCardLines {
    /// Bytes of a property, at most; pictures are longer.
    static let maximumLength = 8_192

    private let text: [UInt8]
    private var position = 0
    /// Line breaks before `position`.
    private var passed = 0

    init(_ text: [UInt8]) {
        self.text = text
        // A byte order mark.
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// The next line that is not empty, with its number, from 1; nil at the end.
    mutating func next() -> (number: Int, item: VCardItem)? {
        while position < text.count {
            let number = passed + 1
            guard let (line, isTooLong) = unfolded() else { return nil }
            guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { continue }
            guard let property = VCardLine(line[...]) else { return (number, .malformed) }
            return (number, isTooLong ? .tooLong(name: property.name) : .property(property))
        }
        return nil
    }

    /// The next line with its continuations, of one that is too long the beginning; nil at the end.
    private mutating func unfolded() -> (line: [UInt8], isTooLong: Bool)? {
        guard let first = physical() else { return nil }
        var line = Array(first.prefix(Self.maximumLength))
        var isTooLong = first.count > Self.maximumLength
        func join(_ more: ArraySlice<UInt8>) {
            isTooLong = isTooLong || line.count + more.count > Self.maximumLength
            if !isTooLong { line += more }
        }
        let isQuotedPrintable = line.last == UInt8(ascii: "=") && !isTooLong && Self.isQuotedPrintable(line)
        while position < text.count {
            let next = text[position]
            if isQuotedPrintable, !isTooLong, line.last == UInt8(ascii: "=") {
                // A soft line break of vCard 2.1: what follows is the value, whatever it begins with.
                line.removeLast()
                join(physical() ?? [])
            } else if next == 0x20 || next == 0x09 {
                join((physical() ?? []).dropFirst())
            } else {
                break
            }
        }
        return (line, isTooLong)
    }

    private static func isQuotedPrintable(_ line: [UInt8]) -> Bool {
        VCardLine(line[...]).map { VCardLine.isQuotedPrintable($0.parameters) } ?? false
    }

    /// The bytes up to the next line break; nil at the end.
    private mutating func physical() -> ArraySlice<UInt8>? {
        guard position < text.count else { return nil }
        let end = text[position...].firstIndex(of: 0x0A) ?? text.count
        var line = text[position..<end]
        position = end + 1
        passed += 1
        while line.last == 0x0D { line.removeLast() }
        return line
    }
}
