internal import CSpanDSP
internal import MediaDescription
internal import Realtime
internal import Resampling

/// A G.722 (64 kbit/s) or G.711 decoder before a resampler to 48 kHz. What is lost is for others to conceal.
struct SampledDecoder: ~Copyable {
    private let codec: Codec
    private let ratio: Int
    private let g722: OpaquePointer?
    private let memory: LockedBuffer
    /// One packet at the codec's rate.
    private let scratch: UnsafeMutableBufferPointer<Int16>
    private var resampler: Resampler

    /// - Parameter codec: any but Opus.
    init(_ codec: Codec) throws(CodecError) {
        let resampler = try makeResampler(for: codec, from: codec.sampleRate, to: 48_000)
        let g722 = codec == .g722 ? g722_decode_init(nil, 64_000, 0) : nil
        guard codec != .g722 || g722 != nil else {
            throw CodecError(codec: codec, operation: "g722_decode_init", code: 0)
        }
        self.codec = codec
        self.g722 = g722
        self.resampler = resampler
        ratio = 48_000 / codec.sampleRate
        memory = LockedBuffer(byteCount: longestPacket * MemoryLayout<Int16>.stride)
        scratch = memory.elements(of: Int16.self, count: longestPacket / ratio)
    }

    deinit {
        if let g722 { g722_decode_free(g722) }
    }

    /// What it adds to the delay, in samples at 48 kHz.
    var latency: Int { resampler.outputLatency }

    /// Decodes a packet of at most `longestPacket`. Returns the samples at 48 kHz.
    @_noLocks @_noAllocation
    mutating func decode(
        _ payload: UnsafePointer<UInt8>, _ count: Int, into samples: UnsafeMutablePointer<Int16>, capacity: Int
    ) -> Int {
        guard let sampled = scratch.baseAddress else { return 0 }
        // G.722 carries two samples in each octet.
        let perOctet =
            switch codec {
            case .g722: 2
            case .opus, .pcma, .pcmu: 1
            }
        let (length, state) = (Int32(truncatingIfNeeded: min(count, scratch.count / perOctet)), g722)
        switch codec {
        case .opus: return 0
        case .g722:
            // Bounded by the packet's length; touches nothing but its arguments.
            _ = _unsafePerformance { g722_decode(state, sampled, payload, length) }
        case .pcma:
            // A table-free loop over the packet.
            _unsafePerformance { cspandsp_decode_alaw(payload, sampled, length) }
        case .pcmu:
            // As above.
            _unsafePerformance { cspandsp_decode_ulaw(payload, sampled, length) }
        }
        let decoded = Int(length) * perOctet
        return resample(decoded, into: samples, capacity: capacity)
    }

    @_noLocks @_noAllocation
    mutating func reset() {
        resampler.reset()
        let state = g722
        // Clears the state it is given; allocates only when given none.
        if state != nil { _ = _unsafePerformance { g722_decode_init(state, 64_000, 0) } }
    }

    @_noLocks @_noAllocation
    private mutating func resample(_ count: Int, into samples: UnsafeMutablePointer<Int16>, capacity: Int) -> Int {
        resampler.process(
            UnsafeBufferPointer(start: scratch.baseAddress, count: count),
            into: UnsafeMutableBufferPointer(start: samples, count: min(capacity, count * ratio))
        ).produced
    }
}
