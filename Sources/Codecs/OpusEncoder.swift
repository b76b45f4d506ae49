internal import COpus
internal import MediaDescription
internal import Realtime

/// An Opus encoder for 48 kHz mono voice (RFC 6716), in locked memory of its own.
struct OpusEncoder: ~Copyable {
    private let memory: LockedBuffer
    private let state: OpaquePointer
    private let settings: OpusSettings

    /// Look-ahead in samples at 48 kHz, part of the delay.
    let lookahead: Int

    init(_ settings: OpusSettings) throws(CodecError) {
        // Everything that throws comes before the first property: Swift 6.2's optimiser stops on a half-made value.
        let memory = LockedBuffer(byteCount: Int(opus_encoder_get_size(1)))
        let state = OpaquePointer(memory.base)
        let start = settings.start
        let code = copus_start(state, start)
        guard code == OPUS_OK else {
            throw CodecError(codec: .opus, operation: "opus_encoder_init", code: Int(code))
        }
        lookahead = Int(copus_lookahead(state))
        self.settings = settings
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

    /// Begins as if it were new, as `settings` say: OPUS_RESET_STATE leaves something of the sound before in what follows.
    @_noLocks @_noAllocation
    borrowing func reset() {
        let (encoder, start) = (state, settings.start)
        // Clears memory of a fixed size and sets fields.
        _ = _unsafePerformance { copus_start(encoder, start) }
    }

    /// Protects against this much loss from the next packet on, within the settings.
    ///
    /// - Parameters:
    ///   - expectedLoss: 0...100 percent; at 0 there is no forward error correction.
    ///   - bitRate: the target, 6,000...510,000 bit/s.
    @_noLocks @_noAllocation
    borrowing func steer(expectedLoss: Int, bitRate: Int) {
        let encoder = state
        let loss = min(max(expectedLoss, 0), 100)
        let rate = min(max(bitRate, 6_000), 510_000)
        let steering = settings.steering(expectedLoss: loss, bitRate: rate)
        // Sets four fields.
        _ = _unsafePerformance { copus_steer(encoder, steering) }
    }
}

extension OpusSettings {
    /// What an encoder is told before its first frame.
    fileprivate var start: copus_settings {
        @_noLocks @_noAllocation get {
            copus_settings(
                low_delay: isLowDelay ? 1 : 0, complexity: Int32(truncatingIfNeeded: complexity),
                in_band_fec: inBandFEC ? 1 : 0,
                discontinuous: discontinuousTransmission ? 1 : 0, constant_bit_rate: constantBitRate ? 1 : 0,
                steering: steering(expectedLoss: expectedLossPercent, bitRate: bitRate))
        }
    }

    @_noLocks @_noAllocation
    fileprivate func steering(expectedLoss: Int, bitRate: Int) -> copus_steering {
        let widest = playbackRate(expectingLoss: expectedLoss > 0, bitRate: bitRate)
        return copus_steering(
            bit_rate: Int32(truncatingIfNeeded: bitRate),
            expected_loss_percent: Int32(truncatingIfNeeded: expectedLoss),
            max_playback_rate: Int32(truncatingIfNeeded: widest),
            is_voice: takesForVoice(expectingLoss: expectedLoss > 0) ? 1 : 0)
    }
}
