import Codecs
import MediaDescription
import TestFiles

/// A file is not what it should be.
struct WrongFile: Error {}

/// What a WAV file says of itself, as its header has it.
struct WaveContent {
    var channels: Int
    var rate: Int
    /// The channels by turns.
    var frames: [Int16]

    init(_ path: String) throws {
        let bytes = readBytes(path)
        func number(_ offset: Int, _ count: Int) -> Int {
            (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
        }
        guard bytes.count >= 44, bytes[0..<4].elementsEqual("RIFF".utf8), bytes[36..<40].elementsEqual("data".utf8),
            number(4, 4) == 36 + number(40, 4), bytes.count >= 44 + number(40, 4)
        else { throw WrongFile() }
        (channels, rate) = (number(22, 2), number(24, 4))
        frames = (0..<number(40, 4) / 2).map { Int16(truncatingIfNeeded: number(44 + 2 * $0, 2)) }
    }
}

/// The two streams of an Ogg Opus file of mapping family 1, taken apart by hand.
struct OpusSides {
    private var packets: [[UInt8]] = []

    init(_ path: String) throws {
        let bytes = readBytes(path)
        var offset = 0
        var open: [UInt8] = []
        while offset + 27 <= bytes.count {
            guard bytes[offset..<offset + 4].elementsEqual("OggS".utf8) else { throw WrongFile() }
            let lacing = bytes[(offset + 27)..<(offset + 27 + Int(bytes[offset + 26]))]
            offset += 27 + lacing.count
            for size in lacing {
                open += bytes[offset..<offset + Int(size)]
                offset += Int(size)
                if size < 255 {
                    packets.append(open)
                    open = []
                }
            }
        }
        guard packets.count > 2, packets[0].starts(with: "OpusHead".utf8), Array(packets[0][18...]) == [1, 2, 0, 0, 1]
        else {
            throw WrongFile()
        }
    }

    /// Both sides, without what is to be skipped.
    func decoded() throws -> (left: [Int16], right: [Int16]) {
        let skip = Int(packets[0][10]) | Int(packets[0][11]) << 8
        let (first, second) = try (Side(), Side())
        var (left, right): ([Int16], [Int16]) = ([], [])
        for packet in packets.dropFirst(2) {
            // RFC 6716 appendix B: the length stands behind the first byte of all streams but the last.
            let isLong = packet[1] >= 252
            let length = isLong ? Int(packet[1]) + 4 * Int(packet[2]) : Int(packet[1])
            let start = isLong ? 3 : 2
            left += decode([packet[0]] + packet[start..<start + length], first)
            right += decode(Array(packet[(start + length)...]), second)
        }
        return (Array(left.dropFirst(skip)), Array(right.dropFirst(skip)))
    }

    private final class Side {
        let decoder: VoiceDecoder
        init() throws { decoder = try VoiceDecoder(.opus) }
    }

    private func decode(_ packet: [UInt8], _ side: Side) -> [Int16] {
        var samples = [Int16](repeating: 0, count: 5_760)
        let count = side.decoder.decode(packet, packet.count, into: &samples, capacity: samples.count)
        return Array(samples.prefix(max(0, count)))
    }
}
