/// Makes sound shorter or longer by whole periods of it, each cross-faded into the next, where that cannot be heard: in
/// pauses, where the sound repeats itself, or where it is quiet beside the talk before it.
public struct TimeScaler: BitwiseCopyable, Sendable {
    /// Samples at 48 kHz, 2.5 ms: less is not worth a cut.
    public static var leastChange: Int {
        @_noLocks @_noAllocation get { 120 }
    }
    /// The normalised correlation of two periods that one may stand for, squared.
    private static var likeEnough: Float {
        @_noLocks @_noAllocation get { 0.72 }
    }
    /// The same where the delay is far too long.
    private static var barelyLike: Float {
        @_noLocks @_noAllocation get { 0.25 }
    }
    /// So much too much delay is worse than an audible cut: 100 ms.
    private static var intolerable: Int {
        @_noLocks @_noAllocation get { 4_800 }
    }
    /// Quiet for so long is a pause, 100 ms; what is shorter belongs to a word.
    private static var leastPause: Int {
        @_noLocks @_noAllocation get { 4_800 }
    }
    /// For how many samples it has been quiet.
    private var quiet = 0
    /// The mean amplitude of talk: follows what is louder at once, what is softer within seconds.
    private var talk = 0

    @_noLocks @_noAllocation
    public init() {}

    /// Hears a turn that is played, so as to know what is quiet.
    @_noLocks @_noAllocation
    public mutating func hear(_ samples: UnsafePointer<Int16>, _ count: Int) {
        guard count > 0 else { return }
        // In 256ths, so that the slow fall is not lost in rounding.
        let level = Self.sum(samples, count) * 256 / count
        talk = level > talk ? level : talk - (talk - level) / 512
        quiet = level < quietLevel ? quiet + count : 0
    }

    /// Leaves out at most `limit` samples near the beginning of `samples`. Returns how many; what remains begins at
    /// `samples`.
    @_noLocks @_noAllocation
    public func shorten(
        _ samples: UnsafeMutablePointer<Int16>, _ count: Int, by limit: Int, _ care: PlayoutScaling.Care = .unheard
    ) -> Int {
        let most = min(min(limit, count - Self.leastChange), 960)
        guard most >= Self.leastChange else { return 0 }
        let isUrgent: Bool
        // Not by `==`, which might allocate.
        switch care {
        case .inPauses: return quiet >= Self.leastPause && isQuiet(samples, most) ? cut(samples, count, most) : 0
        case .unheard: isUrgent = false
        case .urgent: isUrgent = true
        }
        if isUrgent && limit >= Self.intolerable || isQuiet(samples, most) { return cut(samples, count, most) }
        guard let length = periods(samples, count, most: most, isUrgent: isUrgent) else { return 0 }
        return cut(samples, count, length)
    }

    /// Puts about `wish` samples in near the beginning of `samples`, which has room for 960 more. Returns how many.
    @_noLocks @_noAllocation
    public func lengthen(_ samples: UnsafeMutablePointer<Int16>, _ count: Int, by wish: Int) -> Int {
        let most = min(max(wish, Self.leastChange), min(count - Self.leastChange, 960))
        guard most >= Self.leastChange else { return 0 }
        if isQuiet(samples, most + Self.leastChange) { return repeatOnce(samples, count, most) }
        // Any period will do that a wish as long as the longest would take: less than one cannot be put in.
        let room = min(max(most, Pitch.longestLag), count - Self.leastChange)
        guard let length = periods(samples, count, most: room, wish: most, isUrgent: false) else { return 0 }
        return repeatOnce(samples, count, length)
    }

    /// Below this mean amplitude, in 256ths, it is quiet: 24 dB below the talk, or -46 dBFS.
    private var quietLevel: Int {
        @_noLocks @_noAllocation get { max(talk / 16, 160 * 256) }
    }

    @_noLocks @_noAllocation
    private func isQuiet(_ samples: UnsafePointer<Int16>, _ count: Int) -> Bool {
        let level = Self.sum(samples, count) * 256
        return level < count * quietLevel
    }

    @_noLocks @_noAllocation
    private static func sum(_ samples: UnsafePointer<Int16>, _ count: Int) -> Int {
        var sum = 0
        for index in 0..<count { sum &+= abs(Int(samples[index])) }
        return sum
    }

    /// The length, at most `most`, of one or several periods of the sound, as near to `wish` as can be, or nil where it
    /// does not repeat itself well enough.
    @_noLocks @_noAllocation
    private func periods(
        _ samples: UnsafePointer<Int16>, _ count: Int, most: Int, wish: Int? = nil, isUrgent: Bool
    ) -> Int? {
        let least = isUrgent ? Self.barelyLike : Self.likeEnough
        let longest = min(min(most, Pitch.longestLag), count - 240)
        guard longest >= Pitch.shortestLag,
            let pitch = Pitch.find(samples, window: min(480, count - longest), longest: longest, isBackward: false),
            pitch.similarity >= least
        else { return nil }
        var times = max((wish ?? most) / pitch.lag, 1)
        while times > 1 {
            let length = times * pitch.lag
            let overlap = min(length, count - length)
            if length <= most && overlap >= 120 && Pitch.likeness(samples, samples + length, overlap) >= least {
                return length
            }
            times -= 1
        }
        return pitch.lag
    }

    /// Leaves `length` samples out: they fade into what follows them.
    @_noLocks @_noAllocation
    private func cut(_ samples: UnsafeMutablePointer<Int16>, _ count: Int, _ length: Int) -> Int {
        let overlap = min(length, count - length)
        crossFade(from: samples, to: samples + length, into: samples, overlap)
        for index in overlap..<max(count - length, overlap) { samples[index] = samples[index + length] }
        return length
    }

    /// Plays the first `length` samples twice: what follows them fades into the repetition.
    @_noLocks @_noAllocation
    private func repeatOnce(_ samples: UnsafeMutablePointer<Int16>, _ count: Int, _ length: Int) -> Int {
        var index = count - 1
        while index >= 0 {
            samples[index + length] = samples[index]
            index -= 1
        }
        let second = samples + length
        crossFade(from: second + length, to: second, into: second, min(length, count - length))
        return length
    }

    @_noLocks @_noAllocation
    private func crossFade(
        from first: UnsafePointer<Int16>, to second: UnsafePointer<Int16>, into result: UnsafeMutablePointer<Int16>,
        _ count: Int
    ) {
        let length = max(count, 1)
        for index in 0..<max(count, 0) {
            let mixed = (Int(first[index]) * (length - index) + Int(second[index]) * index) / length
            result[index] = Int16(truncatingIfNeeded: mixed)
        }
    }
}
