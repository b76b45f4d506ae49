internal import COpus
internal import MediaDescription
internal import Realtime

/// An Opus encoder for 48 kHz mono voice (RFC 6716), in locked memory of its own.
struct OpusEncoder: ~Copyable {
    private let memory: LockedBuffer
    private let state: OpaquePointer

    /// Look-ahead in samples at 48 kHz, part of the delay.
    let lookahead: Int

    init(_ settings: OpusSettings) throws(CodecError) {
        // Everything that throws comes before the first property: Swift 6.2's optimiser stops on a half-made value.
        let memory = LockedBuffer(byteCount: Int(opus_encoder_get_size(1)))
        let state = OpaquePointer(memory.base)
        var code = opus_encoder_init(
            state, 48_000, 1, settings.isLowDelay ? OPUS_APPLICATION_RESTRICTED_LOWDELAY : OPUS_APPLICATION_VOIP)
        guard code == OPUS_OK else {
            throw CodecError(codec: .opus, operation: "opus_encoder_init", code: Int(code))
        }
        var wishes = copus_settings(
            bit_rate: Int32(clamping: settings.bitRate), complexity: Int32(clamping: settings.complexity),
            in_band_fec: settings.inBandFEC ? 1 : 0,
            expected_loss_percent: Int32(clamping: settings.expectedLossPercent),
            discontinuous: settings.discontinuousTransmission ? 1 : 0,
            constant_bit_rate: settings.constantBitRate ? 1 : 0,
            max_playback_rate: Int32(clamping: settings.maxPlaybackRate))
        code = copus_configure(state, &wishes)
        guard code == OPUS_OK else {
            throw CodecError(codec: .opus, operation: "opus_encoder_ctl", code: Int(code))
        }
        lookahead = Int(copus_lookahead(state))
        self.state = state
        self.memory = memory
    }

    /// Encodes `count` samples, the length of an Opus frame or several. Returns the bytes, or a negative Opus error.
    @_noLocks @_noAllocation
    borrowing func encode(
        _ samples: UnsafePointer<Int16>, _ count: Int, into payload: UnsafeMutablePointer<UInt8>, capacity: Int
    ) -> Int {
        let (encoder, frames, limit) = (state, Int32(truncatingIfNeeded: count), Int32(truncatingIfNeeded: capacity))
        // Bounded by the frame's length; works in the state it was given and on the stack.
        return Int(_unsafePerformance { opus_encode(encoder, samples, frames, payload, limit) })
    }

    @_noLocks @_noAllocation
    borrowing func reset() {
        let encoder = state
        // Clears memory of a fixed size.
        _ = _unsafePerformance { copus_reset_encoder(encoder) }
    }

    @_noLocks @_noAllocation
    borrowing func expectLoss(percent: Int) {
        let (encoder, loss) = (state, Int32(truncatingIfNeeded: min(max(percent, 0), 100)))
        // Sets one field.
        _ = _unsafePerformance { copus_set_expected_loss(encoder, loss) }
    }

    @_noLocks @_noAllocation
    borrowing func setBitRate(_ bitRate: Int) {
        let (encoder, rate) = (state, Int32(truncatingIfNeeded: min(max(bitRate, 6_000), 510_000)))
        // Sets one field.
        _ = _unsafePerformance { copus_set_bit_rate(encoder, rate) }
    }
}
