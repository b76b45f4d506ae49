/// Keeps a mix within 16 bits by turning all of it down, and never audibly up: no sample is limited by itself, so that
/// loudness makes no harmonics.
///
/// A turn's loudest sample sets the gain that it needs. Too much is answered within 1 ms of the turn's beginning; what
/// overflows before that is clipped. The gain then stays as long as it is needed, and a second more, and comes back at
/// 3 dB a second, which no ear follows: speech that goes on and off does not make the others pump. A mix that never needs
/// it, one talker above all, passes to the bit. It delays nothing.
struct Headroom: BitwiseCopyable {
    /// A gain of one.
    private static var unity: Int {
        @_noLocks @_noAllocation get { 1 << 24 }
    }
    /// Samples at 48 kHz in which the gain falls.
    private static var attack: Int {
        @_noLocks @_noAllocation get { 48 }
    }
    /// Samples for which it stays.
    private static var patience: Int {
        @_noLocks @_noAllocation get { 48_000 }
    }
    /// Samples in which it would grow by a factor of e, at 3 dB a second.
    private static var growth: Int {
        @_noLocks @_noAllocation get { 138_976 }
    }

    private var gain = Headroom.unity
    private var patience = 0

    @_noLocks @_noAllocation
    init() {}

    /// What fits passes as it is.
    var isUnity: Bool {
        @_noLocks @_noAllocation get { gain == Self.unity }
    }

    /// Makes a turn of a mix of less than 2²⁴ fit into 16 bits.
    @_noLocks @_noAllocation
    mutating func fit(_ mix: UnsafeMutablePointer<Int32>, _ count: Int) {
        var (highest, lowest) = (Int32(0), Int32(0))
        for index in 0..<count {
            highest = max(highest, mix[index])
            lowest = min(lowest, mix[index])
        }
        let peak = max(Int(highest), -Int(lowest))
        let allowed = Self.unity * 32_767 / max(peak, 1)
        if isUnity && allowed >= Self.unity { return }
        let from = gain
        var length = count
        if allowed < gain {
            gain = allowed
            length = min(Self.attack, count)
            patience = Self.patience
        } else if allowed * 8 / 9 < gain {
            // Within a decibel of what is needed.
            patience = Self.patience
        } else if patience > 0 {
            patience -= count
        } else {
            gain = min(gain + gain * count / Self.growth, min(allowed, Self.unity))
            if gain > Self.unity - 1_024 && allowed >= Self.unity { gain = Self.unity }
        }
        let step = (gain - from) / max(length, 1)
        var factor = from
        for index in 0..<count {
            factor = index < length ? factor + step : gain
            mix[index] = Int32(Int16(clamping: Int(mix[index]) * factor / Self.unity))
        }
    }
}
