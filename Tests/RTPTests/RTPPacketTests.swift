import RTP
import Testing

/// Pseudo-random numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

func parse(_ bytes: [UInt8]) throws(RTPParseError) -> RTPPacket { try RTPPacket(parsing: bytes.span) }

@Suite("RTP packets (RFC 3550 §5)") struct RTPPacketTests {
    private let fixed: [UInt8] = [0x80, 0x6F, 0x12, 0x34, 0, 0, 0x10, 0, 0xDE, 0xAD, 0xBE, 0xEF]

    @Test("A header is read and written octet by octet")
    func header() throws {
        let packet = try parse(fixed + [1, 2, 3])
        let header = RTPHeader(
            payloadType: 111, sequenceNumber: SequenceNumber(rawValue: 0x1234), timestamp: 0x1000, source: 0xDEAD_BEEF)
        #expect(packet.header == header)
        #expect(packet.payload == 12..<15)
        #expect(packet.extensionProfile == nil)
        var written: [UInt8] = []
        header.append(to: &written)
        #expect(written == fixed)
    }

    @Test("Contributing sources, an extension and padding are not payload")
    func everything() throws {
        var bytes = fixed
        bytes[0] = 0x80 | 0x20 | 0x10 | 2
        bytes[1] |= 0x80
        bytes += [0, 0, 0, 1, 0, 0, 0, 2]  // contributing sources
        bytes += [0xBE, 0xDE, 0, 1, 9, 9, 9, 9]  // extension of one word
        bytes += [5, 6, 7, 0, 0, 3]  // payload and three octets of padding
        let packet = try parse(bytes)
        #expect(packet.header.marker)
        #expect(packet.header.contributingSources == [1, 2])
        #expect(packet.extensionProfile == 0xBEDE)
        #expect(packet.extensionData == 24..<28)
        #expect(packet.payload == 28..<31)
    }

    @Test(
        "What announces more than it holds is refused",
        arguments: [
            ([], .truncated(byteCount: 0)),
            ([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], .truncated(byteCount: 11)),
            ([0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], .unsupportedVersion(1)),
            ([0x81, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3], .truncated(byteCount: 15)),
            ([0x90, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0], .truncated(byteCount: 15)),
            ([0x90, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0xFF, 0xFF, 0, 0], .truncated(byteCount: 18)),
            ([0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], .invalidPadding(count: 0)),
            ([0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0], .invalidPadding(count: 0)),
            ([0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 3], .invalidPadding(count: 3)),
        ] as [([UInt8], RTPParseError)])
    func hostile(bytes: [UInt8], expected: RTPParseError) {
        #expect(throws: expected) { try parse(bytes) }
    }

    @Test("Padding may be all there is")
    func paddingOnly() throws {
        var bytes = fixed + [0, 2]
        bytes[0] |= 0x20
        #expect(try parse(bytes).payload.isEmpty)
    }

    @Test("No mutation of a packet is read beyond its end")
    func mutations() {
        var random = SplitMix(state: 1)
        for _ in 0..<20_000 {
            var bytes = fixed + (0..<Int.random(in: 0...40, using: &random)).map { UInt8($0) }
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0...bytes.count / 2, using: &random))
            guard let packet = try? parse(bytes) else { continue }
            #expect(packet.payload.upperBound <= bytes.count)
            #expect(packet.extensionData.upperBound <= packet.payload.lowerBound)
        }
    }

    @Test(
        "RTP and RTCP are told apart on one socket (RFC 5761)",
        arguments: [
            (0x80, 0, .rtp), (0x80, 0x80 | 111, .rtp), (0x80, 200, .rtcp), (0x81, 201, .rtcp), (0x80, 192, .rtcp),
            (0x80, 223, .rtcp), (0x80, 224, .rtp), (0x80, 191, .rtp), (0x00, 1, .other), (0x16, 3, .other),
        ] as [(UInt8, UInt8, MediaDatagram)])
    func demultiplex(first: UInt8, second: UInt8, expected: MediaDatagram) {
        let bytes: [UInt8] = [first, second, 0, 1, 0, 0, 0, 0]
        #expect(MediaDatagram(classifying: bytes.span) == expected)
    }

    @Test("A datagram of a few octets is neither")
    func short() {
        let bytes: [UInt8] = [0x80, 200, 0]
        #expect(MediaDatagram(classifying: bytes.span) == .other)
    }
}
