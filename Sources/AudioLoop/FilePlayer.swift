internal import Realtime
public import SoundDevices

/// A sound that a call's peer hears in place of the microphone, once or over and over.
///
/// `@unchecked`: what `memory` points to is only read.
public final class PlayedSound: @unchecked Sendable {
    struct Content: BitwiseCopyable {
        let samples: UnsafePointer<Int16>
        let count: Int
        let loops: Bool
        let number: UInt32
    }
    let memory: UnsafePointer<Content>
    private let owner = LockedBuffer(byteCount: MemoryLayout<Content>.size)
    private let clip: SoundClip
    /// What the loop tells its end by; not 0.
    public let number: UInt32

    public init(_ clip: SoundClip, loops: Bool, number: UInt32) {
        self.clip = clip
        self.number = number
        let place = owner.base.bindMemory(to: Content.self, capacity: 1)
        let samples = clip.samples.pointee
        place.initialize(
            to: Content(samples: samples.first, count: samples.count, loops: loops, number: number))
        memory = UnsafePointer(place)
    }
}

/// Puts a sound in the microphone's place, on the loop. It is played to the bit from its first sample on; the microphone
/// gives way and comes back over 5 ms, and a sound that is broken off dies away over as much.
struct FilePlayer: BitwiseCopyable {
    private var sound: UnsafePointer<PlayedSound.Content>?
    private var position = 0
    private var file = Ramp(isOpen: true)
    private var microphone = Ramp(isOpen: true)
    private var hasEnded = false
    private var isLeaving = false
    /// Another sound follows on the one that is leaving.
    private var isFollowed = false
    /// The number of a sound that has come to its end, of which the control side is still to be told; 0: none.
    private(set) var endToTell: UInt32 = 0

    @_noLocks @_noAllocation
    init() {}

    /// The microphone passes, and nothing else.
    var isIdle: Bool {
        @_noLocks @_noAllocation get { sound == nil && microphone.position == Ramp.length }
    }

    @_noLocks @_noAllocation
    mutating func told() { endToTell = 0 }

    /// Begins a turn: looks what is wanted.
    @_noLocks @_noAllocation
    mutating func begin(_ lease: borrowing Lease) {
        if isLeaving {
            lease.letGo()
            sound = nil
            isLeaving = false
        }
        if let sound {
            isLeaving = lease.isOver(UInt(bitPattern: sound))
            isFollowed = isLeaving && lease.isOver(0)
        } else if let taken = UnsafePointer<PlayedSound.Content>(bitPattern: lease.take()) {
            sound = taken
            position = 0
            hasEnded = false
            file = Ramp(isOpen: true)
        }
    }

    /// Fills `output` with a turn of what is to be sent. A turn is at least as long as a ramp.
    @_noLocks @_noAllocation
    mutating func pass(_ captured: UnsafePointer<Int16>, into output: UnsafeMutablePointer<Int16>, _ count: Int) {
        for index in 0..<count {
            let isPlaying = sound != nil && (isLeaving ? isFollowed : !hasEnded)
            var sample = Int(microphone.pass(captured[index], towardsOpen: !isPlaying))
            if let sound, !hasEnded {
                sample += Int(file.pass(sound.pointee.samples[position], towardsOpen: !isLeaving))
                position += 1
                if position == sound.pointee.count {
                    position = 0
                    hasEnded = !sound.pointee.loops
                    if hasEnded { endToTell = sound.pointee.number }
                }
            }
            output[index] = Int16(clamping: sample)
        }
    }
}
