internal import MediaDescription
internal import Realtime
public import SoundDevices
internal import Synchronization

/// How a device rings.
public struct Ringing: Sendable {
    /// nil: the built-in one.
    public var tone: SoundClip?
    /// In percent, 0...100.
    public var volume: Int

    public init(tone: SoundClip? = nil, volume: Int = 100) {
        self.tone = tone
        self.volume = volume
    }
}

/// The ringer of one device, on the loop: the built-in tone, or one out of memory.
struct RingPlayer: ~Copyable {
    private var builtIn: ToneGenerator
    private var clip = ClipPlayer()
    private var volume = Volume()

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
        let wanted = rings ? UnsafePointer<SoundClip.Samples>(bitPattern: address) : nil
        let percent = cells.pointee.ringVolume.load(ordering: .relaxed)
        if !rings && !builtIn.isSounding && !clip.isSounding && volume.isUnity(towards: percent) { return }
        for index in 0..<count { scratch[index] = 0 }
        builtIn.add(rings && wanted == nil ? 1 : 0, to: scratch, count)
        clip.add(wanted, to: scratch, count)
        if !volume.isUnity(towards: percent) { volume.scale(scratch, count, towards: percent) }
        for index in 0..<count { mix[index] &+= scratch[index] }
    }
}
