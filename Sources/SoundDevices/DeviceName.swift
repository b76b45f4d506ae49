/// The name of a sound device, as configuration writes it: `alsa:NAME` or `file:IN.wav,OUT.wav`.
public enum DeviceName: Hashable, Sendable, CustomStringConvertible {
    /// Any ALSA PCM name (`default`, `hw:CARD=PCH`, `plug:dmix`, ...).
    case alsa(String)
    /// A WAV file as microphone and another as loudspeaker; nil is silence, or discards.
    case file(input: String?, output: String?)

    /// Reads a name of at most 4,096 bytes.
    public init(parsing text: some StringProtocol) throws(DeviceNameError) {
        let fault = { (reason: DeviceNameError.Reason) in DeviceNameError(text: String(text), reason: reason) }
        guard text.utf8.count <= 4_096, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw fault(.unprintable)
        }
        guard let colon = text.firstIndex(of: ":") else { throw fault(.noKind) }
        let rest = text[text.index(after: colon)...]
        switch text[..<colon] {
        case "alsa":
            guard !rest.isEmpty else { throw fault(.emptyName) }
            self = .alsa(String(rest))
        case "file":
            let parts = rest.split(separator: ",", omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw fault(.notTwoFiles) }
            if !parts[0].isEmpty && parts[0] == parts[1] { throw fault(.sameFile) }
            self = .file(
                input: parts[0].isEmpty ? nil : String(parts[0]), output: parts[1].isEmpty ? nil : String(parts[1]))
        default: throw fault(.noKind)
        }
    }

    public var description: String {
        switch self {
        case .alsa(let name): "alsa:\(name)"
        case .file(let input, let output): "file:\(input ?? ""),\(output ?? "")"
        }
    }
}

/// A text that names no sound device.
public struct DeviceNameError: Error, Hashable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable { case unprintable, noKind, emptyName, notTwoFiles, sameFile }
    /// What was to be read.
    public let text: String
    public let reason: Reason

    public var description: String {
        let fault =
            switch reason {
            case .unprintable: "is too long or has a control character"
            case .noKind: "begins with neither alsa: nor file:"
            case .emptyName: "names no ALSA device"
            case .notTwoFiles: "does not have exactly one comma between its two files"
            case .sameFile: "records over the file it plays"
            }
        // Not the text itself where it might break a terminal or a log.
        let shown = reason == .unprintable ? "sound device name" : "sound device \"\(text)\""
        return "\(shown) \(fault); allowed: alsa:NAME (any ALSA PCM) or file:IN.wav,OUT.wav (either may be empty)"
    }
}
