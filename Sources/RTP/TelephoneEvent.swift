/// The payload of an RFC 4733 telephone-event packet (§2.3).
public struct TelephoneEvent: Hashable, Sendable {
    /// 0-9 are digits, 10 is `*`, 11 is `#`, 12-15 are A-D.
    public var code: UInt8
    public var end: Bool
    /// Power in -dBm0, 0...63.
    public var volume: UInt8
    /// Since the packet's timestamp, in its units.
    public var duration: UInt16

    public init(code: UInt8, end: Bool, volume: UInt8 = 10, duration: UInt16) {
        self.code = code
        self.end = end
        self.volume = volume & 0x3F
        self.duration = duration
    }

    /// Reads a payload; nil where it is shorter than one event. Events behind the first one, which nobody sends, are
    /// not read.
    public init?(parsing payload: Span<UInt8>) {
        guard payload.count >= 4 else { return nil }
        code = payload[0]
        end = payload[1] & 0x80 != 0
        volume = payload[1] & 0x3F
        duration = payload.bigEndian16(at: 2)
    }

    public func append(to packet: inout [UInt8]) {
        packet.append(code)
        packet.append((end ? 0x80 : 0) | volume & 0x3F)
        packet.append(bigEndian: duration)
    }

    private static let digits: [Character] = [
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "#", "A", "B", "C", "D",
    ]

    /// The key that an event code stands for; nil for codes that are no key.
    public static func digit(for code: UInt8) -> Character? { code < 16 ? digits[Int(code)] : nil }

    /// The event code of a key; `a`-`d` are taken as well.
    public static func code(for digit: Character) -> UInt8? {
        let upper: Character = ["a": "A", "b": "B", "c": "C", "d": "D"][digit] ?? digit
        return digits.firstIndex(of: upper).map { UInt8($0) }
    }
}
