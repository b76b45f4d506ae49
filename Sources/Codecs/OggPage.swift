/// A page of an Ogg file (RFC 3533 §6).
public enum OggPage {
    /// What stands in the page's flags.
    public struct Flags: OptionSet, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The first page of its stream.
        public static let beginning = Flags(rawValue: 2)
        /// The last one.
        public static let end = Flags(rawValue: 4)
    }

    /// Segments that a page has room for: a packet takes one for each 255 of its bytes, and one more.
    public static let mostSegments = 255

    /// How many segments a packet of so many bytes takes.
    public static func segments(ofPacket byteCount: Int) -> Int { byteCount / 255 + 1 }

    /// The page's bytes.
    ///
    /// - Parameters:
    ///   - packets: whole ones, of at most `mostSegments` together.
    ///   - granule: where the stream is after the last packet; what that counts is the codec's matter.
    ///   - serial: the stream's number, the same on all its pages.
    ///   - number: counts the stream's pages, from 0.
    public static func bytes(
        _ packets: some Collection<[UInt8]>, granule: Int64, serial: UInt32, number: Int, flags: Flags = []
    ) -> [UInt8] {
        let lacing = packets.flatMap { packet in
            [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
        }
        var page = Array("OggS".utf8) + [0, flags.rawValue] + little(Int(granule), 8) + little(Int(serial), 4)
        page += little(number, 4) + [0, 0, 0, 0, UInt8(truncatingIfNeeded: lacing.count)] + lacing + packets.joined()
        page.replaceSubrange(22..<26, with: little(Int(checksum(page)), 4))
        return page
    }

    /// The lowest `count` bytes of a number, the lowest first.
    public static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// RFC 3533 §6, item 7.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        bytes.reduce(0) { checksum, byte in
            (0..<8).reduce(checksum ^ UInt32(byte) << 24) { rest, _ in
                rest & 0x8000_0000 != 0 ? rest << 1 ^ 0x04C1_1DB7 : rest << 1
            }
        }
    }
}
