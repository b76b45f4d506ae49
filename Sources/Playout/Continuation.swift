internal import Realtime

/// Goes on with a sound whose sequel has not come, and joins the sequel to it when it comes (after the idea of ITU-T G.711
/// Appendix I): repeats the last period, and fades. It knows no codec: a decoder that is to go on later is left alone.
public struct Continuation: ~Copyable {
    /// Samples at 48 kHz that must lie before the place where sound is to go on.
    public static var historyCount: Int {
        @_noLocks @_noAllocation get { 2 * Pitch.longestLag }
    }
    /// Below this likeness the sound has no pitch, and a longer repetition is heard less.
    private static var pitched: Float {
        @_noLocks @_noAllocation get { 0.3 }
    }
    private static var fullCount: Int {
        @_noLocks @_noAllocation get { 960 }
    }
    private static var fadedCount: Int {
        @_noLocks @_noAllocation get { 5_280 }
    }
    /// The sequel fades in over this: 10 ms.
    private static var joint: Int {
        @_noLocks @_noAllocation get { 480 }
    }

    private let memory: LockedBuffer
    /// One period.
    private let pattern: UnsafeMutablePointer<Int16>
    private var lag = 0
    /// What the first sample of the pattern differs from the sound before it.
    private var step = 0
    /// Samples made since the last real one.
    public private(set) var count = 0

    public init() {
        memory = LockedBuffer(byteCount: Pitch.longestLag * MemoryLayout<Int16>.stride)
        pattern = memory.base.bindMemory(to: Int16.self, capacity: Pitch.longestLag)
    }

    @_noLocks @_noAllocation
    public mutating func reset() { count = 0 }

    /// Writes `wanted` samples at `place`, before which lie `historyCount` samples of what was played.
    @_noLocks @_noAllocation
    public mutating func goOn(at place: UnsafeMutablePointer<Int16>, _ wanted: Int) {
        if count == 0 { takePattern(before: UnsafePointer(place)) }
        for index in 0..<max(wanted, 0) { place[index] = sample(count + index) }
        count += max(wanted, 0)
    }

    /// Fades the continuation into the `length` samples of real sound at `place`, without moving them.
    @_noLocks @_noAllocation
    public mutating func join(_ place: UnsafeMutablePointer<Int16>, _ length: Int) {
        guard count > 0 else { return }
        fade(into: place, min(length, Self.joint), from: count)
        count = 0
    }

    /// The same where the real sound may move up by less than a period, so that its waves meet those of the continuation.
    /// Returns by how many samples it has; there must be room for `Pitch.longestLag`.
    @_noLocks @_noAllocation
    public mutating func joinInPhase(_ place: UnsafeMutablePointer<Int16>, _ length: Int) -> Int {
        guard count > 0 else { return 0 }
        let joint = Self.joint
        guard length >= joint, count < Self.fadedCount / 2 else {
            join(place, length)
            return 0
        }
        var (best, bestLikeness): (Int, Float) = (0, Self.pitched)
        var offset = 0
        while offset < lag {
            let likeness = likeness(of: UnsafePointer(place), from: count + offset)
            // Where a later place is hardly better, the earlier one costs less delay.
            if likeness > bestLikeness + 0.02 { (best, bestLikeness) = (offset, likeness) }
            offset += 3
        }
        if best > 0 {
            var index = length - 1
            while index >= 0 {
                place[index + best] = place[index]
                index -= 1
            }
            for index in 0..<best { place[index] = sample(count + index) }
        }
        fade(into: place + best, joint, from: count + best)
        count = 0
        return best
    }

    @_noLocks @_noAllocation
    private func fade(into place: UnsafeMutablePointer<Int16>, _ length: Int, from first: Int) {
        for index in 0..<max(length, 0) {
            let mixed = Int(sample(first + index)) * (length - index) + Int(place[index]) * index
            place[index] = Int16(truncatingIfNeeded: mixed / length)
        }
    }

    /// The squared correlation of real sound with the continuation from `first` on.
    @_noLocks @_noAllocation
    private func likeness(of sound: UnsafePointer<Int16>, from first: Int) -> Float {
        var (product, energy, own): (Float, Float, Float) = (0, 1, 1)
        var index = 0
        while index < Self.joint {
            let (a, b) = (Float(sound[index]), Float(pattern[(first + index) % lag]))
            product += a * b
            energy += b * b
            own += a * a
            index += 2
        }
        return product > 0 ? product * product / (energy * own) : 0
    }

    @_noLocks @_noAllocation
    private func sample(_ offset: Int) -> Int16 {
        guard offset < Self.fadedCount, lag > 0 else { return 0 }
        var sample = Int(pattern[offset % lag])
        if offset < 96 { sample += step * (96 - offset) / 96 }
        guard offset > Self.fullCount else { return Int16(clamping: sample) }
        return Int16(clamping: sample * (Self.fadedCount - offset) / (Self.fadedCount - Self.fullCount))
    }

    /// Takes the last period, whose end is bent so that it leads to its beginning.
    @_noLocks @_noAllocation
    private mutating func takePattern(before end: UnsafePointer<Int16>) {
        let window = 480
        let pitch = Pitch.find(end - window, window: window, longest: Pitch.longestLag, isBackward: true)
        lag = pitch?.lag ?? Pitch.longestLag
        if (pitch?.similarity ?? 0) < Self.pitched { lag *= max(600 / lag, 1) }
        let last = end - lag
        let bent = lag / 4
        for index in 0..<lag {
            let sample = Int(last[index])
            let into = index - (lag - bent)
            let earlier = Int(last[index - lag])
            pattern[index] =
                into < 0 ? last[index] : Int16(truncatingIfNeeded: (sample * (bent - into) + earlier * into) / bent)
        }
        step = Int(end[-1]) - Int(last[-1])
    }
}
