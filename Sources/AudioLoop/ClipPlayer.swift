internal import SoundDevices

/// A sound out of memory that is repeated as long as it is wanted, on the loop. Begun and stopped softly.
struct ClipPlayer: BitwiseCopyable {
    private var gate = Ramp()
    /// What sounds; nil for nothing.
    private var samples: UnsafePointer<SoundClip.Samples>?
    private var position = 0

    @_noLocks @_noAllocation
    init() {}

    /// Something sounds, or dies away.
    var isSounding: Bool {
        @_noLocks @_noAllocation get { samples != nil }
    }

    /// Breaks off. Where the same is wanted again, it goes on from there.
    @_noLocks @_noAllocation
    mutating func suspend() { gate.close() }

    /// Adds `count` samples to `mix`: of `wanted` from its beginning, after what sounded before has faded out; nil for
    /// silence.
    @_noLocks @_noAllocation
    mutating func add(
        _ wanted: UnsafePointer<SoundClip.Samples>?, to mix: UnsafeMutablePointer<Int32>, _ count: Int
    ) {
        for index in 0..<count {
            if samples != wanted, gate.isClosed {
                samples = wanted
                position = 0
            }
            guard let current = samples else { return }
            let sample = gate.pass(current.pointee.first[position], towardsOpen: samples == wanted)
            mix[index] &+= Int32(sample)
            position = position &+ 1 == current.pointee.count ? 0 : position &+ 1
        }
    }
}
