internal import EventLoop

/// Who was turned away, so that each address is spoken of once an hour. Bounded: scanners have many addresses.
struct StrangerLog {
    private struct Entry {
        var told: MonotonicInstant
        var count: Int
    }

    static let maximumAddresses = 1_024
    private static let silence = 3_600_000.0

    private var entries: [String: Entry] = [:]

    /// Counts a request. Returns how many came from there so far where it is time to speak of it, else nil.
    mutating func note(_ address: String, at now: MonotonicInstant) -> Int? {
        guard var entry = entries[address] else {
            if entries.count >= Self.maximumAddresses { forgetOldest() }
            entries[address] = Entry(told: now, count: 1)
            return 1
        }
        entry.count += 1
        let isDue = now.milliseconds(since: entry.told) >= Self.silence
        if isDue { entry.told = now }
        entries[address] = entry
        return isDue ? entry.count : nil
    }

    /// How many requests came from there so far.
    func count(_ address: String) -> Int { entries[address]?.count ?? 0 }

    private mutating func forgetOldest() {
        if let oldest = entries.min(by: { $0.value.told < $1.value.told }) { entries[oldest.key] = nil }
    }
}
