internal import Glibc

/// What a recording that nobody has named is called: when the call was recorded, and with whom.
public enum RecordingName {
    /// Such as `20261130T140502Z-alice@example.com`, in UTC so that names are in order whatever a clock does in autumn.
    ///
    /// - Parameters:
    ///   - seconds: since 1970.
    ///   - handle: of the other party: what may stand in the name of a file, 64 bytes of it at most.
    public static func name(at seconds: Int, with handle: String) -> String {
        var (time, parts) = (time_t(seconds), tm())
        gmtime_r(&time, &parts)
        func digits(_ value: Int32, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let date = digits(parts.tm_year + 1_900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2)
        let clock = digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2)
        return "\(date)T\(clock)Z-\(cleaned(handle))"
    }

    /// Whether a file may have been named so: by `name(at:with:)`, with the ending of its format, and a number before that where
    /// the name was taken.
    static func isMade(_ file: String) -> Bool {
        guard let format = RecordingFormat.allCases.first(where: { file.hasSuffix(".\($0.rawValue)") }) else {
            return false
        }
        let name = Array(file.utf8.dropLast(format.rawValue.utf8.count + 1))
        let pattern = Array("00000000T000000Z-".utf8)
        guard name.count > pattern.count, name[pattern.count...].allSatisfy(isAllowed) else { return false }
        return zip(pattern, name).allSatisfy { wanted, byte in
            wanted == UInt8(ascii: "0") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == wanted
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "+-_.@".utf8.contains(byte)
        }
    }

    /// Letters, digits and `+-_.@`, all else as `_`; the scheme of a URI is left out.
    static func cleaned(_ handle: String) -> String {
        var rest = handle[...]
        for scheme in ["sip:", "sips:", "tel:"] where handle.lowercased().hasPrefix(scheme) {
            rest = handle.dropFirst(scheme.count)
        }
        let allowed = rest.utf8.prefix(64).map { isAllowed($0) ? $0 : UInt8(ascii: "_") }
        return allowed.isEmpty ? "unknown" : String(decoding: allowed, as: UTF8.self)
    }
}
