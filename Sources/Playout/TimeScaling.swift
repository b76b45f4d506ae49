/// Shortens sound by leaving out one period of it.
public enum TimeScaling {
    /// Leaves out at most `limit` samples at 48 kHz near the beginning of `samples`: where it is quiet any, else one pitch
    /// period where the sound repeats itself, else none. What is on both sides of the cut is cross-faded.
    ///
    /// Returns how many samples were left out; what remains begins at `samples`.
    @_noLocks @_noAllocation
    public static func shorten(_ samples: UnsafeMutablePointer<Int16>, _ count: Int, by limit: Int) -> Int {
        let overlap = 120
        let most = min(min(limit, count - overlap), 960)
        guard most >= overlap else { return 0 }
        // Far too much delay is worse than an audible cut.
        if limit >= 2_400 || isQuiet(samples, most + overlap) { return cut(samples, count, most, overlap: overlap) }
        guard let lag = period(samples, count, most: min(most, 720)) else { return 0 }
        return cut(samples, count, lag, overlap: overlap)
    }

    /// Below -46 dBFS on average.
    @_noLocks @_noAllocation
    private static func isQuiet(_ samples: UnsafeMutablePointer<Int16>, _ count: Int) -> Bool {
        var sum = 0
        for index in 0..<count { sum &+= abs(Int(samples[index])) }
        return sum < count * 160
    }

    @_noLocks @_noAllocation
    private static func cut(_ samples: UnsafeMutablePointer<Int16>, _ count: Int, _ length: Int, overlap: Int) -> Int {
        for index in 0..<overlap {
            let (before, after) = (Int(samples[index]), Int(samples[index + length]))
            samples[index] = Int16(truncatingIfNeeded: (before * (overlap - index) + after * index) / overlap)
        }
        for index in overlap..<max(count - length, overlap) { samples[index] = samples[index + length] }
        return length
    }

    /// The lag, 120...`most`, at which the sound resembles itself well enough to be cut there.
    @_noLocks @_noAllocation
    private static func period(_ samples: UnsafeMutablePointer<Int16>, _ count: Int, most: Int) -> Int? {
        var (best, bestLag) = (0, 0)
        for lag in stride(from: 120, through: most, by: 4) {
            let length = min(240, count - lag)
            var (product, first, second) = (0, 1, 1)
            for index in stride(from: 0, to: length, by: 4) {
                let (a, b) = (Int(samples[index]), Int(samples[index + lag]))
                product &+= a &* b
                first &+= a &* a
                second &+= b &* b
            }
            guard product > 0 else { continue }
            // The correlation in thousandths, of sums that are at most 60 · 2³⁰.
            let score = (product >> 10) &* 1_000 / max(max(first, second) >> 10, 1)
            if score > best { (best, bestLag) = (score, lag) }
        }
        return best >= 700 ? bestLag : nil
    }
}
