public import MediaDescription

/// How our Opus encoder is set: our own wishes, bounded by what the peer's fmtp asks for (RFC 7587 §6.1, §7).
public struct OpusSettings: Sendable, Hashable {
    /// Target bit rate, 6000...510000 bit/s.
    public var bitRate: Int
    /// 0...10.
    public var complexity: Int
    /// In-band forward error correction: ours and the peer's wish.
    public var inBandFEC: Bool
    /// Loss to protect against, 0...100 percent; at 0 the encoder adds no forward error correction. The more is expected, the
    /// more of the bit rate goes into the correction: at 1 percent a sixth does, and it mends as well.
    public var expectedLossPercent: Int
    /// Discontinuous transmission: ours and the peer's wish.
    public var discontinuousTransmission: Bool
    public var constantBitRate: Bool
    /// Highest sample rate the peer can play, 8000...48000 Hz; bounds the audio bandwidth.
    public var maxPlaybackRate: Int
    /// Looks ahead 2.5 ms instead of 6.5: without the layer for speech (RFC 6716 §2.1.2), which alone corrects errors.
    public let isLowDelay: Bool

    /// - Parameters:
    ///   - bitRate: our own wish; the peer's `maxaveragebitrate` bounds it.
    ///   - isLowDelay: excludes `inBandFEC`.
    ///   - peer: what the peer's fmtp line says about the Opus it wants to receive.
    public init(
        bitRate: Int = 28_000, complexity: Int = 9, inBandFEC: Bool = true, expectedLossPercent: Int = 0,
        discontinuousTransmission: Bool = true, isLowDelay: Bool = false, peer: OpusParameters = OpusParameters()
    ) {
        self.isLowDelay = isLowDelay
        self.bitRate = min(max(min(bitRate, peer.maxAverageBitrate ?? 510_000), 6_000), 510_000)
        self.complexity = min(max(complexity, 0), 10)
        self.inBandFEC = inBandFEC && peer.inBandFEC && !isLowDelay
        self.expectedLossPercent = min(max(expectedLossPercent, 0), 100)
        self.discontinuousTransmission = discontinuousTransmission && peer.discontinuousTransmission
        self.constantBitRate = peer.constantBitrate
        self.maxPlaybackRate = min(max(peer.maxPlaybackRate, 8_000), 48_000)
    }

    /// The least bit rate that has room for the sound above 8 kHz.
    private static var fullBandRate: Int {
        @_noLocks @_noAllocation get { 24_000 }
    }
    /// The same where the sound below 8 kHz is sent twice.
    private static var fullBandRateWithCorrection: Int {
        @_noLocks @_noAllocation get { 40_000 }
    }

    /// The highest sample rate worth encoding. The correction knows nothing above 8 kHz, and where bits are few the voice
    /// below suffers.
    @_noLocks @_noAllocation
    func playbackRate(expectingLoss: Bool, bitRate: Int) -> Int {
        let corrects = inBandFEC && expectingLoss
        let least = corrects ? Self.fullBandRateWithCorrection : Self.fullBandRate
        return bitRate < least ? min(maxPlaybackRate, 16_000) : maxPlaybackRate
    }

    /// The least complexity at which libopus looks into the sound, and so knows a pause whatever it codes with.
    private static var analysingComplexity: Int {
        @_noLocks @_noAllocation get { 7 }
    }

    /// Whether all sound is to be taken for voice. Only what is coded as voice has error correction, and where little work is
    /// to be done only the layer for speech knows pauses.
    @_noLocks @_noAllocation
    func takesForVoice(expectingLoss: Bool) -> Bool {
        if inBandFEC && expectingLoss { return true }
        return discontinuousTransmission && complexity < Self.analysingComplexity && !isLowDelay
    }
}
