public import MediaDescription
internal import Realtime
internal import Resampling

/// The longest packet that any codec here may carry, in samples at 48 kHz: 120 ms.
var longestPacket: Int {
    @_noLocks @_noAllocation get { 5_760 }
}

func makeResampler(for codec: Codec, from input: Int, to output: Int) throws(CodecError) -> Resampler {
    do throws(ResamplerError) {
        return try Resampler(from: input, to: output)
    } catch {
        throw CodecError(codec: codec, operation: "resampling from \(input) to \(output) Hz", code: 0)
    }
}

/// An encoder of 48 kHz mono voice for any of our codecs. All its memory is made by `init`; its methods are for one
/// thread at a time, neither allocate nor lock, and take time bounded by the length of the sound.
public struct VoiceEncoder: ~Copyable {
    private let opus: UnsafeMutablePointer<OpusEncoder>?
    private let sampled: UnsafeMutablePointer<SampledEncoder>?

    /// - Parameter opus: how an Opus encoder is set; ignored by the other codecs.
    public init(_ codec: Codec, opus settings: OpusSettings = OpusSettings()) throws(CodecError) {
        if codec == .opus {
            let encoder = try OpusEncoder(settings)
            let memory = UnsafeMutablePointer<OpusEncoder>.allocate(capacity: 1)
            memory.initialize(to: encoder)
            (opus, sampled) = (memory, nil)
        } else {
            let encoder = try SampledEncoder(codec)
            let memory = UnsafeMutablePointer<SampledEncoder>.allocate(capacity: 1)
            memory.initialize(to: encoder)
            (opus, sampled) = (nil, memory)
        }
    }

    deinit {
        opus?.deinitialize(count: 1)
        opus?.deallocate()
        sampled?.deinitialize(count: 1)
        sampled?.deallocate()
    }

    /// Encodes one packet: `count` samples at 48 kHz, which is 10, 20, 40 or 60 ms.
    ///
    /// Returns the bytes written, at most `capacity`; 1 or 2 where discontinuous transmission has nothing to send; 0
    /// or a negative number where encoding failed.
    @_noLocks @_noAllocation
    public borrowing func encode(
        _ samples: UnsafePointer<Int16>, _ count: Int, into payload: UnsafeMutablePointer<UInt8>, capacity: Int
    ) -> Int {
        if let opus { return opus.pointee.encode(samples, count, into: payload, capacity: capacity) }
        if let sampled { return sampled.pointee.encode(samples, count, into: payload, capacity: capacity) }
        return 0
    }

    /// Forgets the sound so far: nothing of it is in what is encoded next.
    @_noLocks @_noAllocation
    public borrowing func reset() {
        if let opus { opus.pointee.reset() }
        if let sampled { sampled.pointee.reset() }
    }

    /// Tells an Opus encoder how much loss to protect against, 0...100 percent, and its target, 6000...510000 bit/s, from
    /// its next packet on.
    @_noLocks @_noAllocation
    public borrowing func steer(expectedLoss: Int, bitRate: Int) {
        if let opus { opus.pointee.steer(expectedLoss: expectedLoss, bitRate: bitRate) }
    }

    /// What the encoder adds to the delay, in samples at 48 kHz.
    public var lookahead: Int { opus?.pointee.lookahead ?? sampled?.pointee.latency ?? 0 }
}
