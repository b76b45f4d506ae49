internal import Glibc
public import Synchronization

/// The loudness of a stream over its last full second: the loop adds samples, anyone reads.
public struct LevelMeter: ~Copyable, Sendable {
    /// Samples of one measurement: a second at 48 kHz.
    @usableFromInline static var window: Int {
        @_noLocks @_noAllocation get { 48_000 }
    }
    @usableFromInline let sum = Atomic<Int>(0)
    @usableFromInline let count = Atomic<Int>(0)
    @usableFromInline let meanSquare = Atomic<Int>(0)

    public init() {}

    /// Adds samples. On the writing thread only.
    @_noLocks @_noAllocation
    public func add(_ samples: UnsafeBufferPointer<Int16>) {
        var sum = self.sum.load(ordering: .relaxed)
        var index = 0
        while index < samples.count {
            let sample = Int(samples[index])
            sum &+= sample &* sample
            index &+= 1
        }
        finish(sum: sum, added: samples.count)
    }

    /// Adds `count` samples whose squares sum up to `squares`. On the writing thread only.
    @_noLocks @_noAllocation
    public func add(squares: Int, _ count: Int) {
        finish(sum: sum.load(ordering: .relaxed) &+ squares, added: count)
    }

    /// Adds `count` samples of digital silence. On the writing thread only.
    @_noLocks @_noAllocation
    public func addSilence(_ count: Int) { finish(sum: sum.load(ordering: .relaxed), added: count) }

    @_noLocks @_noAllocation
    private func finish(sum: Int, added: Int) {
        let count = self.count.load(ordering: .relaxed) &+ added
        guard count >= Self.window else {
            self.sum.store(sum, ordering: .relaxed)
            self.count.store(count, ordering: .relaxed)
            return
        }
        // Scaled, so that a mean below one (a lone quiet sample) is not lost.
        meanSquare.store(sum &* 256 / count, ordering: .relaxed)
        self.sum.store(0, ordering: .relaxed)
        self.count.store(0, ordering: .relaxed)
    }

    /// RMS of the last full second in dBFS (a full-scale sine is -3); nil before the first and for digital silence.
    public var dbfs: Double? {
        let scaled = meanSquare.load(ordering: .relaxed)
        guard scaled > 0 else { return nil }
        return 10 * log10(Double(scaled) / 256 / (32_768 * 32_768))
    }
}
