internal import CALSA

/// The sample formats of cards that we speak, little-endian, in order of preference.
enum SampleFormat: CaseIterable, BitwiseCopyable {
    case s16, s32
    /// 24 bits in the low three of four bytes.
    case s24
    /// 24 bits in three bytes.
    case s24Packed
    case float

    var alsa: snd_pcm_format_t {
        switch self {
        case .s16: SND_PCM_FORMAT_S16_LE
        case .s32: SND_PCM_FORMAT_S32_LE
        case .s24: SND_PCM_FORMAT_S24_LE
        case .s24Packed: SND_PCM_FORMAT_S24_3LE
        case .float: SND_PCM_FORMAT_FLOAT_LE
        }
    }

    var bytes: Int {
        @_noLocks @_noAllocation get {
            switch self {
            case .s16: 2
            case .s24Packed: 3
            case .s32, .s24, .float: 4
            }
        }
    }

    /// The sample at `address`, which need not be aligned.
    @_noLocks @_noAllocation @inline(__always)
    func load(_ address: UnsafeRawPointer) -> Int16 {
        switch self {
        case .s16: address.loadUnaligned(as: Int16.self)
        case .s32: Int16(truncatingIfNeeded: address.loadUnaligned(as: Int32.self) >> 16)
        case .s24: Int16(truncatingIfNeeded: address.loadUnaligned(as: Int32.self) >> 8)
        case .s24Packed: (address + 1).loadUnaligned(as: Int16.self)
        case .float: Self.int16(address.loadUnaligned(as: Float.self))
        }
    }

    /// Writes a sample at `address`, which need not be aligned.
    @_noLocks @_noAllocation @inline(__always)
    func store(_ sample: Int16, to address: UnsafeMutableRawPointer) {
        switch self {
        case .s16: address.storeBytes(of: sample, as: Int16.self)
        case .s32: address.storeBytes(of: Int32(sample) << 16, as: Int32.self)
        case .s24: address.storeBytes(of: Int32(sample) << 8, as: Int32.self)
        case .s24Packed:
            address.storeBytes(of: 0, as: UInt8.self)
            (address + 1).storeBytes(of: sample, as: Int16.self)
        case .float: address.storeBytes(of: Float(sample) * (1 / 32_768), as: Float.self)
        }
    }

    /// Full scale is -1...1; what is beyond is clipped, what is no number is silence.
    @_noLocks @_noAllocation @inline(__always)
    static func int16(_ value: Float) -> Int16 {
        let scaled = value * 32_768
        if scaled >= 32_767 { return 32_767 }
        if scaled <= -32_768 { return -32_768 }
        return scaled == scaled ? Int16(scaled) : 0
    }
}
