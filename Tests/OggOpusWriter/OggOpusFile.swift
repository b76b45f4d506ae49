import Codecs
import MediaDescription

/// An Ogg Opus file (RFC 7845) of 48 kHz mono sound, made by hand, so that all of it can be wrong.
public struct OggOpusFile {
    public var samples: [Int16]
    /// What the header says; the packets are mono, which a decoder of two channels plays on both.
    public var channels = 1
    /// The number of the stream, which each page bears.
    public var serial: UInt32 = 0x1234
    /// Samples that are to be thrown away at the beginning: what the encoder looks ahead.
    public var preSkip = 312
    /// Packets of 20 ms on a page.
    public var packetsPerPage = 25
    /// Adds to the time at the end of the last page.
    public var addedTime: Int64 = 0

    public init(_ samples: [Int16]) { self.samples = samples }

    /// The file; empty where the encoder cannot be made.
    public var bytes: [UInt8] {
        guard let packets = encoded else { return [] }
        var file = page([head], granule: 0, number: 0, flags: .beginning)
        let tags = Array("OpusTags".utf8) + OggPage.little(4, 4) + Array("test".utf8) + OggPage.little(0, 4)
        file += page([tags], granule: 0, number: 1)
        var number = 2
        for first in stride(from: 0, to: packets.count, by: packetsPerPage) {
            let last = min(first + packetsPerPage, packets.count)
            let isEnd = last == packets.count
            let granule = isEnd ? Int64(samples.count + preSkip) + addedTime : Int64(last * Self.frame)
            file += page(Array(packets[first..<last]), granule: granule, number: number, flags: isEnd ? .end : [])
            number += 1
        }
        return file
    }

    private static let frame = 960

    private var encoded: [[UInt8]]? {
        guard let encoder = try? VoiceEncoder(.opus, opus: OpusSettings(bitRate: 64_000)) else { return nil }
        let count = (samples.count + preSkip + Self.frame - 1) / Self.frame
        let padded = samples + [Int16](repeating: 0, count: count * Self.frame - samples.count)
        return (0..<count).map { index in
            [UInt8](unsafeUninitializedCapacity: 1_400) { buffer, filled in
                filled = padded.withUnsafeBufferPointer { sound in
                    guard let first = sound.baseAddress, let room = buffer.baseAddress else { return 0 }
                    return max(0, encoder.encode(first + index * Self.frame, Self.frame, into: room, capacity: 1_400))
                }
            }
        }
    }

    private var head: [UInt8] {
        // Version, channels, what to skip, rate before the encoder, gain, mapping family.
        var head = Array("OpusHead".utf8) + [1, UInt8(truncatingIfNeeded: channels)]
        head += OggPage.little(preSkip, 2) + OggPage.little(48_000, 4) + OggPage.little(0, 2) + [channels > 2 ? 1 : 0]
        // One stream for each channel, none of them coupled.
        if channels > 2 { head += [UInt8(channels), 0] + (0..<channels).map { UInt8($0) } }
        return head
    }

    private func page(
        _ packets: [[UInt8]], granule: Int64, number: Int, flags: OggPage.Flags = []
    ) -> [UInt8] {
        OggPage.bytes(packets, granule: granule, serial: serial, number: number, flags: flags)
    }
}
