internal import COpus
internal import MediaDescription
internal import Realtime

/// Makes the bytes of an Ogg Opus file (RFC 7845) of two voices, each a channel of its own at 48 kHz.
///
/// The channels are two streams that know nothing of each other (mapping family 1, two streams, none coupled): an encoder
/// of stereo would save bits by what both sides have in common, and one side would be heard faintly on the other.
public struct OggOpusEncoder: ~Copyable {
    /// Frames of a packet: 20 ms.
    static let packetFrames = 960
    /// Packets of a page, at most: a second.
    static let packetsPerPage = 50
    private static let mostPacketBytes = 4_000
    private static let channels = 2

    private let memory: LockedBuffer
    private let state: OpaquePointer
    private let serial: UInt32
    /// Frames that the encoder looks ahead, and a player throws away at the beginning.
    private let preSkip: Int
    private var pages = 0
    /// Frames given.
    private var taken = 0
    /// Frames encoded, with what the encoder looks ahead.
    private var encoded = 0
    /// Samples that fill no packet yet.
    private var rest: [Int16]
    private var waiting: [[UInt8]]
    private var segments = 0

    /// - Parameters:
    ///   - bitRate: of both channels together, 12000...512000 bit/s.
    ///   - serial: the number of the stream, another one for each file.
    public init(bitRate: Int = 64_000, serial: UInt32) throws(CodecError) {
        let memory = LockedBuffer(byteCount: Int(opus_multistream_encoder_get_size(2, 0)))
        let state = OpaquePointer(memory.base)
        var code = opus_multistream_encoder_init(state, 48_000, 2, 2, 0, [0, 1], OPUS_APPLICATION_AUDIO)
        guard code == OPUS_OK else {
            throw CodecError(codec: .opus, operation: "opus_multistream_encoder_init", code: Int(code))
        }
        code = copus_configure_streams(state, Int32(clamping: bitRate), 5)
        guard code == OPUS_OK else {
            throw CodecError(codec: .opus, operation: "opus_multistream_encoder_ctl", code: Int(code))
        }
        preSkip = Int(copus_streams_lookahead(state))
        // Not where they are declared: Swift 6.2 does not know to let go of them where the above fails.
        (rest, waiting) = ([], [])
        self.serial = serial
        self.state = state
        self.memory = memory
    }

    /// What the file begins with.
    public mutating func header() -> [UInt8] {
        // Version, channels, what to skip, rate before the encoder, gain, mapping family, streams, coupled ones, mapping.
        var head = Array("OpusHead".utf8) + [1, UInt8(Self.channels)] + OggPage.little(preSkip, 2)
        head += OggPage.little(48_000, 4) + [0, 0, 1, 2, 0, 0, 1]
        let vendor = Array("Handset".utf8)
        let tags = Array("OpusTags".utf8) + OggPage.little(vendor.count, 4) + vendor + OggPage.little(0, 4)
        return page([head], granule: 0, flags: .beginning) + page([tags], granule: 0)
    }

    /// Takes frames, the channels by turns, and returns the pages that are full.
    public mutating func append(_ samples: UnsafeBufferPointer<Int16>) throws(CodecError) -> [UInt8] {
        rest += samples
        taken += samples.count / Self.channels
        var bytes: [UInt8] = []
        let size = Self.packetFrames * Self.channels
        var first = 0
        while rest.count - first >= size {
            bytes += place(try encode(rest[first..<first + size]))
            first += size
            if waiting.count == Self.packetsPerPage { bytes += flush() }
        }
        rest.removeFirst(first)
        return bytes
    }

    /// A page of what is encoded and is on none yet; nothing where there is none.
    public mutating func flush() -> [UInt8] {
        guard !waiting.isEmpty else { return [] }
        defer { (waiting, segments) = ([], 0) }
        return page(waiting, granule: Int64(encoded))
    }

    /// The last pages: the file has exactly the frames that were given.
    public mutating func finish() throws(CodecError) -> [UInt8] {
        let frames = taken + preSkip
        var bytes: [UInt8] = []
        while encoded < frames {
            rest += [Int16](repeating: 0, count: Self.packetFrames * Self.channels - rest.count)
            bytes += place(try encode(rest[...]))
            rest = []
        }
        defer { (waiting, segments) = ([], 0) }
        return bytes + page(waiting, granule: Int64(frames), flags: .end)
    }

    /// Puts a packet on the page that is being filled; returns the one before, where it has no room.
    private mutating func place(_ packet: [UInt8]) -> [UInt8] {
        let needed = OggPage.segments(ofPacket: packet.count)
        let full = segments + needed > OggPage.mostSegments ? flush() : []
        waiting.append(packet)
        segments += needed
        encoded += Self.packetFrames
        return full
    }

    private borrowing func encode(_ frames: ArraySlice<Int16>) throws(CodecError) -> [UInt8] {
        var packet = [UInt8](repeating: 0, count: Self.mostPacketBytes)
        let count = frames.withUnsafeBufferPointer { frames -> Int32 in
            guard let first = frames.baseAddress else { return 0 }
            return opus_multistream_encode(
                state, first, Int32(Self.packetFrames), &packet, Int32(Self.mostPacketBytes))
        }
        guard count > 0 else { throw CodecError(codec: .opus, operation: "opus_multistream_encode", code: Int(count)) }
        return Array(packet.prefix(Int(count)))
    }

    private mutating func page(
        _ packets: [[UInt8]], granule: Int64, flags: OggPage.Flags = []
    ) -> [UInt8] {
        defer { pages += 1 }
        return OggPage.bytes(packets, granule: granule, serial: serial, number: pages, flags: flags)
    }
}
