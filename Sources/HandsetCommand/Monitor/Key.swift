/// A key, as a terminal reports it.
enum Key: Sendable, Hashable {
    case character(Character)
    case up, down, enter, escape, backspace
    /// Ctrl and a letter.
    case control(Character)
}

/// Reads keys from what a terminal sends, which may come in any pieces.
struct KeyDecoder: Sendable {
    /// Bytes of one escape sequence, at most: what is longer is none.
    private static let sequenceLimit = 32

    private var pending: [UInt8] = []

    /// Whether an Escape, or a part of a longer key, waits for what follows. `flush` when nothing does for a moment.
    var isWaiting: Bool { !pending.isEmpty }

    /// The keys that are complete now.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [Key] {
        pending += bytes
        var keys: [Key] = []
        while let (key, length) = first() {
            pending.removeFirst(length)
            if let key { keys.append(key) }
        }
        return keys
    }

    /// What waits is all there is.
    mutating func flush() -> [Key] {
        defer { pending = [] }
        return pending == [0x1B] ? [.escape] : []
    }

    /// The first key and how many bytes it has; no key for what has no meaning here, nil where bytes are missing.
    private func first() -> (Key?, Int)? {
        guard let byte = pending.first else { return nil }
        switch byte {
        case 0x1B: return sequence()
        case 0x0A, 0x0D: return (.enter, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case 0x09: return (.down, 1)
        case 0x01..<0x1B: return (.control(Character(Unicode.Scalar(byte + 0x60))), 1)
        case 0x00, 0x1C..<0x20: return (nil, 1)
        case 0x20..<0x7F: return (.character(Character(Unicode.Scalar(byte))), 1)
        default: return character()
        }
    }

    /// CSI and SS3 sequences (ECMA-48 §5.4): of those that mean something here only the last byte matters.
    private func sequence() -> (Key?, Int)? {
        guard pending.count > 1 else { return nil }
        guard pending[1] == UInt8(ascii: "[") || pending[1] == UInt8(ascii: "O") else { return (.escape, 1) }
        // However much of it has come: what is too long ends at the same byte.
        guard let end = pending.prefix(Self.sequenceLimit).dropFirst(2).firstIndex(where: { 0x40...0x7E ~= $0 }) else {
            return pending.count >= Self.sequenceLimit ? (nil, Self.sequenceLimit) : nil
        }
        switch pending[end] {
        case UInt8(ascii: "A"): return (.up, end + 1)
        case UInt8(ascii: "B"): return (.down, end + 1)
        case UInt8(ascii: "M") where pending[1] == UInt8(ascii: "O"): return (.enter, end + 1)
        default: return (nil, end + 1)
        }
    }

    /// One character of UTF-8.
    private func character() -> (Key?, Int)? {
        let length = pending[0] >= 0xF0 ? 4 : pending[0] >= 0xE0 ? 3 : 2
        guard pending.count >= length else { return nil }
        guard pending[0] >= 0xC2, let text = String(validating: pending.prefix(length), as: UTF8.self),
            let character = text.first
        else { return (nil, 1) }
        return (.character(character), length)
    }
}
