internal import CSystemd
internal import Glibc

/// The daemon's log: the journal with structured fields where stderr is connected to it, otherwise lines on stderr.
///
/// Not for the audio loop: it writes, and so may wait.
public enum Log {
    /// The priorities of syslog(3).
    public enum Priority: Int32, Sendable {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6
        case debug = 7
    }

    /// The names of our journal fields.
    public enum Field: String, Sendable {
        case callID = "CALL_ID"
        case account = "ACCOUNT"
        case device = "DEVICE"
        case peer = "PEER"
    }

    private static let writesToJournal = isJournal(stderrOf: getenv("JOURNAL_STREAM").map { String(cString: $0) })

    /// Writes one message. Control characters in it, which may come from a peer, are made visible.
    public static func write(_ priority: Priority, _ message: String, _ fields: [Field: String] = [:]) {
        let text = printable(message)
        guard !writesToJournal else { return writeToJournal(priority, text, fields) }
        var line = priority == .info || priority == .notice ? text : "\(priority): \(text)"
        for (field, value) in fields.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            line += " \(field.rawValue)=\(printable(value))"
        }
        line += "\n"
        _ = line.withCString { Glibc.write(2, $0, strlen($0)) }
    }

    private static func writeToJournal(_ priority: Priority, _ text: String, _ fields: [Field: String]) {
        var entries = ["MESSAGE=\(text)", "PRIORITY=\(priority.rawValue)", "SYSLOG_IDENTIFIER=handsetd"]
        for (field, value) in fields { entries.append("\(field.rawValue)=\(printable(value))") }
        var vectors: [iovec] = []
        for entry in entries {
            let bytes = Array(entry.utf8)
            let copy = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 1)
            copy.copyMemory(from: bytes, byteCount: bytes.count)
            vectors.append(iovec(iov_base: copy, iov_len: bytes.count))
        }
        _ = sd_journal_sendv(vectors, Int32(vectors.count))
        for vector in vectors { vector.iov_base.deallocate() }
    }

    /// `text` with every control character as a Unicode control picture, at most 2,048 characters.
    public static func printable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(2_048) {
            switch scalar.value {
            case 0..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "?")
            case 0x7F..<0xA0: result.append("\u{2421}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Whether `JOURNAL_STREAM` (device:inode, systemd.exec(5)) names the file that stderr is.
    static func isJournal(stderrOf variable: String?) -> Bool {
        var status = stat()
        guard let variable, fstat(2, &status) == 0 else { return false }
        return variable == "\(status.st_dev):\(status.st_ino)"
    }
}
