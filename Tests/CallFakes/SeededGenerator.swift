import CallModel
import FoundationEssentials

/// SplitMix64: a failure is found again by its seed.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

extension CallID {
    /// One of the names that `random` makes.
    init(using random: inout SeededGenerator) {
        let (high, low) = (random.next(), random.next())
        let octets = (0..<8).map { UInt8(truncatingIfNeeded: high >> (8 * $0)) }
        let others = (0..<8).map { UInt8(truncatingIfNeeded: low >> (8 * $0)) }
        self.init(
            UUID(
                uuid: (
                    octets[0], octets[1], octets[2], octets[3], octets[4], octets[5], octets[6], octets[7],
                    others[0], others[1], others[2], others[3], others[4], others[5], others[6], others[7]
                )))
    }
}
