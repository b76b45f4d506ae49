internal import MediaDescription
internal import Realtime
public import SoundDevices
internal import Synchronization

/// How a device rings.
public struct Ringing: Sendable {
    /// nil: the built-in one.
    public var tone: RingTone?
    /// In percent, 0...100.
    public var volume: Int

    public init(tone: RingTone? = nil, volume: Int = 100) {
        self.tone = tone
        self.volume = volume
    }
}

/// The ringer of one device, on the loop: the built-in tone, or one out of memory.
struct RingPlayer: ~Copyable {
    private var builtIn: ToneGenerator
    private var gate = Ramp()
    private var volume = Volume()
    /// What sounds; nil for none of memory.
    private var samples: UnsafePointer<RingTone.Samples>?
    private var position = 0

    init(_ tones: CallProgressTones) { builtIn = ToneGenerator(tones) }

    /// Adds `count` samples to `mix`. A change fades the old tone out first.
    ///
    /// - Parameter scratch: room for `count` samples.
    @_noLocks @_noAllocation
    mutating func add(
        _ cells: UnsafeMutablePointer<LoopCells>, to mix: UnsafeMutablePointer<Int32>,
        scratch: UnsafeMutablePointer<Int32>, _ count: Int
    ) {
        let rings = cells.pointee.rings.load(ordering: .acquiring)
        let address = cells.pointee.ringTone.load(ordering: .acquiring)
        let wanted = rings ? UnsafePointer<RingTone.Samples>(bitPattern: address) : nil
        for index in 0..<count { scratch[index] = 0 }
        builtIn.add(rings && wanted == nil ? 1 : 0, to: scratch, count)
        addSamples(wanted, to: scratch, count)
        let percent = cells.pointee.ringVolume.load(ordering: .relaxed)
        if !volume.isUnity(towards: percent) { volume.scale(scratch, count, towards: percent) }
        for index in 0..<count { mix[index] &+= scratch[index] }
    }

    @_noLocks @_noAllocation
    private mutating func addSamples(
        _ wanted: UnsafePointer<RingTone.Samples>?, to mix: UnsafeMutablePointer<Int32>, _ count: Int
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
