internal import CSpanDSP
internal import MediaDescription
internal import Realtime
internal import Resampling

/// A G.722 (64 kbit/s) or G.711 encoder behind a resampler from 48 kHz.
struct SampledEncoder: ~Copyable {
    private let codec: Codec
    private let g722: OpaquePointer?
    private let memory: LockedBuffer
    /// One packet at the codec's rate.
    private let scratch: UnsafeMutableBufferPointer<Int16>
    private var resampler: Resampler

    /// - Parameter codec: any but Opus.
    init(_ codec: Codec) throws(CodecError) {
        let resampler = try makeResampler(for: codec, from: 48_000, to: codec.sampleRate)
        let g722 = codec == .g722 ? g722_encode_init(nil, 64_000, 0) : nil
        guard codec != .g722 || g722 != nil else {
            throw CodecError(codec: codec, operation: "g722_encode_init", code: 0)
        }
        self.codec = codec
        self.g722 = g722
        self.resampler = resampler
        memory = LockedBuffer(byteCount: longestPacket * MemoryLayout<Int16>.stride)
        scratch = memory.elements(of: Int16.self, count: longestPacket / (48_000 / codec.sampleRate))
    }

    deinit {
        if let g722 { g722_encode_free(g722) }
    }

    /// What it adds to the delay, in samples at 48 kHz.
    var latency: Int { resampler.inputLatency }

    /// Encodes `count` samples at 48 kHz, at most `longestPacket`. Returns the bytes.
    @_noLocks @_noAllocation
    mutating func encode(
        _ samples: UnsafePointer<Int16>, _ count: Int, into payload: UnsafeMutablePointer<UInt8>, capacity: Int
    ) -> Int {
        let produced = resampler.process(UnsafeBufferPointer(start: samples, count: count), into: scratch).produced
        guard let sampled = UnsafePointer(scratch.baseAddress) else { return 0 }
        let (length, state) = (Int32(truncatingIfNeeded: min(produced, capacity)), g722)
        switch codec {
        case .opus: return 0
        case .g722:
            // Bounded by the packet's length; touches nothing but its arguments.
            return Int(_unsafePerformance { g722_encode(state, payload, sampled, length) })
        case .pcma:
            // A table-free loop over the packet.
            _unsafePerformance { cspandsp_encode_alaw(sampled, payload, length) }
        case .pcmu:
            // As above.
            _unsafePerformance { cspandsp_encode_ulaw(sampled, payload, length) }
        }
        return Int(length)
    }

    @_noLocks @_noAllocation
    mutating func reset() {
        resampler.reset()
        let state = g722
        // Clears the state it is given; allocates only when given none.
        if state != nil { _ = _unsafePerformance { g722_encode_init(state, 64_000, 0) } }
    }
}
