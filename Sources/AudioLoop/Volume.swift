/// The gain of one direction. At 100 % the samples are left as they are, to the bit.
struct Volume: BitwiseCopyable {
    /// A gain of one, in units of 1 / 65,536.
    private static var unity: Int {
        @_noLocks @_noAllocation get { 65_536 }
    }
    private var gain = Volume.unity

    @_noLocks @_noAllocation
    init() {}

    /// The gain of `percent`, 0...100: a square law, as ears hear a half of the level at about a quarter of the amplitude.
    @_noLocks @_noAllocation
    private static func gain(percent: Int) -> Int {
        let bounded = min(max(percent, 0), 100)
        return bounded * bounded * unity / 10_000
    }

    /// Whether there is nothing to do.
    @_noLocks @_noAllocation
    func isUnity(towards percent: Int) -> Bool { gain == Self.unity && percent >= 100 }

    /// Scales what was captured into `output`. A change is spread over the turn, so that it does not click.
    @_noLocks @_noAllocation
    mutating func scale(
        _ input: UnsafePointer<Int16>, into output: UnsafeMutablePointer<Int16>, _ count: Int, towards percent: Int
    ) {
        let (from, change) = (gain, Self.gain(percent: percent) - gain)
        for index in 0..<count {
            let factor = from + change * (index + 1) / count
            output[index] = Int16(truncatingIfNeeded: Int(input[index]) * factor / Self.unity)
        }
        gain = from + change
    }

    /// The same with what is to be played, in place.
    @_noLocks @_noAllocation
    mutating func scale(_ mix: UnsafeMutablePointer<Int32>, _ count: Int, towards percent: Int) {
        let (from, change) = (gain, Self.gain(percent: percent) - gain)
        for index in 0..<count {
            let factor = from + change * (index + 1) / count
            mix[index] = Int32(truncatingIfNeeded: Int(mix[index]) * factor / Self.unity)
        }
        gain = from + change
    }
}
