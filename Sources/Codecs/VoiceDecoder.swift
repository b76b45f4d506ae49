public import MediaDescription
internal import Realtime

/// A decoder to 48 kHz mono for any of our codecs. All its memory is made by `init`; its methods are for one thread at a
/// time, neither allocate nor lock, and take time bounded by the length of the sound.
public struct VoiceDecoder: ~Copyable {
    private let opus: UnsafeMutablePointer<OpusDecoder>?
    private let sampled: UnsafeMutablePointer<SampledDecoder>?

    /// - Parameter complexity: how much work an Opus decoder may have with concealment, 0...10; ignored by the other codecs.
    public init(_ codec: Codec, complexity: Int = 0) throws(CodecError) {
        if codec == .opus {
            let decoder = try OpusDecoder(complexity: complexity)
            let memory = UnsafeMutablePointer<OpusDecoder>.allocate(capacity: 1)
            memory.initialize(to: decoder)
            (opus, sampled) = (memory, nil)
        } else {
            let decoder = try SampledDecoder(codec)
            let memory = UnsafeMutablePointer<SampledDecoder>.allocate(capacity: 1)
            memory.initialize(to: decoder)
            (opus, sampled) = (nil, memory)
        }
    }

    deinit {
        opus?.deinitialize(count: 1)
        opus?.deallocate()
        sampled?.deinitialize(count: 1)
        sampled?.deallocate()
    }

    /// Decodes one packet. Returns its samples at 48 kHz, or 0 or a negative number for one that is malformed.
    ///
    /// - Parameter capacity: room in `samples`; 5,760 (120 ms) holds every packet.
    @_noLocks @_noAllocation
    public borrowing func decode(
        _ payload: UnsafePointer<UInt8>, _ count: Int, into samples: UnsafeMutablePointer<Int16>, capacity: Int
    ) -> Int {
        if let opus { return opus.pointee.decode(payload, count, into: samples, capacity: capacity) }
        if let sampled { return sampled.pointee.decode(payload, count, into: samples, capacity: capacity) }
        return 0
    }

    /// What it adds to the delay, in samples at 48 kHz; an Opus decoder's is counted by the encoder's look-ahead.
    public var latency: Int { sampled?.pointee.latency ?? 0 }

    /// Whether it makes up sound that was lost, and comfort noise. The others are stateless enough to be left alone.
    public var conceals: Bool {
        @_noLocks @_noAllocation get { opus != nil }
    }

    /// Recovers the `gap` samples just before the packet `payload` out of its forward error correction, or conceals
    /// them where it has none. `gap` is the length of the lost packet. Returns 0 where the codec cannot.
    @_noLocks @_noAllocation
    public borrowing func decodeRedundancy(
        _ payload: UnsafePointer<UInt8>, _ count: Int, gap: Int, into samples: UnsafeMutablePointer<Int16>
    ) -> Int {
        if let opus { return opus.pointee.decodeRedundancy(payload, count, gap: gap, into: samples) }
        return 0
    }

    /// Conceals at least `gap` samples, at most 5,760, in whole units of 2.5 ms. Returns how many, 0 where the codec
    /// cannot.
    @_noLocks @_noAllocation
    public borrowing func conceal(_ gap: Int, into samples: UnsafeMutablePointer<Int16>) -> Int {
        let whole = min((gap + 119) / 120 * 120, longestPacket)
        if let opus { return opus.pointee.conceal(whole, into: samples) }
        return 0
    }

    /// Forgets the sound so far.
    @_noLocks @_noAllocation
    public borrowing func reset() {
        if let opus { opus.pointee.reset() }
        if let sampled { sampled.pointee.reset() }
    }
}
