internal import Realtime

/// Packet loss concealment for codecs that have none of their own (after the idea of ITU-T G.711 Appendix I): repeats the
/// last pitch period, fades after 10 ms and is silent after 60 ms; the first good sound is faded in over it.
struct WaveformConcealment: ~Copyable {
    private let memory: LockedBuffer
    /// The last sound, oldest first.
    private let history: UnsafeMutablePointer<Int16>
    private let historyCount: Int
    private let shortestLag: Int
    private let longestLag: Int
    private let window: Int
    private let rate: Int
    private var lag = 0
    /// Samples concealed since the last good one.
    private var concealed = 0

    /// - Parameter rate: sample rate in Hz.
    init(rate: Int) {
        self.rate = rate
        shortestLag = rate / 400
        longestLag = rate / 66
        window = rate / 100
        historyCount = longestLag + window
        memory = LockedBuffer(byteCount: historyCount * MemoryLayout<Int16>.stride)
        history = memory.base.bindMemory(to: Int16.self, capacity: historyCount)
        history.initialize(repeating: 0, count: historyCount)
    }

    @_noLocks @_noAllocation
    mutating func reset() {
        for index in 0..<historyCount { history[index] = 0 }
        concealed = 0
    }

    /// Takes good sound in, and fades its first 5 ms in where the sound before it was concealed.
    @_noLocks @_noAllocation
    mutating func accept(_ samples: UnsafeMutablePointer<Int16>, _ count: Int) {
        if concealed > 0 {
            let fade = min(rate / 200, count)
            for index in 0..<fade {
                let old = Int(continuation(at: concealed + index))
                samples[index] = Int16(clamping: (old * (fade - index) + Int(samples[index]) * index) / fade)
            }
            concealed = 0
        }
        remember(samples, count)
    }

    /// Writes `count` samples of concealment.
    @_noLocks @_noAllocation
    mutating func conceal(_ samples: UnsafeMutablePointer<Int16>, _ count: Int) {
        if concealed == 0 { lag = pitch() }
        for index in 0..<count { samples[index] = continuation(at: concealed + index) }
        concealed = min(concealed + count, rate)
    }

    @_noLocks @_noAllocation
    private func continuation(at offset: Int) -> Int16 {
        let (full, end) = (rate / 100, rate * 6 / 100)
        guard offset < end, lag > 0 else { return 0 }
        let sample = Int(history[historyCount - lag + offset % lag])
        return Int16(clamping: offset < full ? sample : sample * (end - offset) / (end - full))
    }

    @_noLocks @_noAllocation
    private func remember(_ samples: UnsafeMutablePointer<Int16>, _ count: Int) {
        let kept = max(historyCount - count, 0)
        for index in 0..<kept { history[index] = history[index + historyCount - kept] }
        let fresh = historyCount - kept
        for index in 0..<fresh { history[kept + index] = samples[count - fresh + index] }
    }

    /// The lag at which the last 10 ms resemble what was before them most.
    @_noLocks @_noAllocation
    private func pitch() -> Int {
        var (best, bestLag) = (Int.min, shortestLag)
        let start = historyCount - window
        for lag in shortestLag...longestLag {
            var (product, energy) = (0, 1)
            for index in stride(from: start, to: historyCount, by: 2) {
                let earlier = Int(history[index - lag])
                product &+= Int(history[index]) &* earlier
                energy &+= earlier &* earlier
            }
            guard product > 0 else { continue }
            // product² / energy, scaled so that it fits: 80 products of 30 bits are below 2³⁷.
            let score = (product >> 8) &* (product >> 8) / max(energy >> 16, 1)
            if score > best { (best, bestLag) = (score, lag) }
        }
        return bestLag
    }
}
