internal import COpus
internal import MediaDescription
internal import Realtime

/// An Opus decoder to 48 kHz mono (stereo packets are mixed down), in locked memory of its own.
struct OpusDecoder: ~Copyable {
    private let memory: LockedBuffer
    private let state: OpaquePointer

    /// The most that is of use to a call: beyond it the library works on all sound, not on what was lost alone.
    private static let mostComplex = 5

    /// - Parameter complexity: how much work concealment may be, 0...10; from libopus 1.5 on 5 makes it better.
    init(complexity: Int) throws(CodecError) {
        memory = LockedBuffer(byteCount: Int(opus_decoder_get_size(1)))
        state = OpaquePointer(memory.base)
        let code = copus_start_decoder(state, Int32(min(max(complexity, 0), Self.mostComplex)))
        guard code == OPUS_OK else {
            throw CodecError(codec: .opus, operation: "opus_decoder_init", code: Int(code))
        }
    }

    /// Decodes a packet. Returns the samples, or a negative Opus error for a packet that is none.
    @_noLocks @_noAllocation
    borrowing func decode(
        _ payload: UnsafePointer<UInt8>, _ count: Int, into samples: UnsafeMutablePointer<Int16>, capacity: Int
    ) -> Int {
        let (decoder, length, limit) = (state, Int32(truncatingIfNeeded: count), Int32(truncatingIfNeeded: capacity))
        // Bounded by 120 ms of sound; works in the state it was given and on the stack.
        return Int(_unsafePerformance { opus_decode(decoder, payload, length, samples, limit, 0) })
    }

    /// Recovers the `gap` samples before `payload` from its redundancy, or conceals them where it carries none.
    @_noLocks @_noAllocation
    borrowing func decodeRedundancy(
        _ payload: UnsafePointer<UInt8>, _ count: Int, gap: Int, into samples: UnsafeMutablePointer<Int16>
    ) -> Int {
        let (decoder, length, limit) = (state, Int32(truncatingIfNeeded: count), Int32(truncatingIfNeeded: gap))
        // As in decode.
        return Int(_unsafePerformance { opus_decode(decoder, payload, length, samples, limit, 1) })
    }

    /// Conceals `gap` samples, a multiple of 120.
    @_noLocks @_noAllocation
    borrowing func conceal(_ gap: Int, into samples: UnsafeMutablePointer<Int16>) -> Int {
        let (decoder, limit) = (state, Int32(truncatingIfNeeded: gap))
        // As in decode.
        return Int(_unsafePerformance { opus_decode(decoder, nil, 0, samples, limit, 0) })
    }

    @_noLocks @_noAllocation
    borrowing func reset() {
        let decoder = state
        // Clears memory of a fixed size.
        _ = _unsafePerformance { copus_reset_decoder(decoder) }
    }
}
