internal import Realtime
internal import Synchronization

/// What the loop and the control side share of one call.
struct CallCells: ~Copyable, Sendable {
    /// Whether the loop may touch the call's slot. Set by the control side, cleared by the loop.
    let isInLoop = Atomic<Bool>(false)
    /// Bit 0: the stream sends; bit 1: it receives.
    let direction: Atomic<UInt32>
    /// The number of the group it is mixed with; 0 for none.
    let group = Atomic<UInt32>(0)
    /// The address of a `SoundClip.Samples` that the peer hears while it is held, 0 for none. It stays as long as the call.
    let holdMusic = Atomic<UInt>(0)
    /// A `PlayedSound.Content` that takes the microphone's place.
    let played = Lease()
    /// A `TapMemory` that is given the call's sound.
    let tap = Lease()
    /// The peer hears itself.
    let echoes = Atomic<Bool>(false)
    /// In percent.
    let expectedLoss: Atomic<Int>
    /// In bit/s.
    let bitRate: Atomic<Int>
    let sender = HandOver()
    let receiver = HandOver()

    /// What the codec adds to the delay, in samples. Written by the control side.
    let encoderDelay = StatisticCell()
    let decoderDelay = StatisticCell()

    let sentLevel = LevelMeter()
    let receivedLevel = LevelMeter()
    let encoded = StatisticCell()
    let dropped = StatisticCell()
    let decoded = StatisticCell()
    let discarded = StatisticCell()
    let malformed = StatisticCell()
    let playout = PlayoutCells()

    init(direction: UInt32, expectedLoss: Int, bitRate: Int) {
        self.bitRate = Atomic(bitRate)
        self.direction = Atomic(direction)
        self.expectedLoss = Atomic(expectedLoss)
    }
}

/// One place for memory on its way to the loop, and a list of memory that the loop has done with. Both hold addresses as
/// numbers, 0 where there is none; the first word of such memory links the list.
struct HandOver: ~Copyable, Sendable {
    private let next = Atomic<UInt>(0)
    private let retired = Atomic<UInt>(0)

    /// Control side: leaves memory for the loop. Returns what the loop had not fetched yet.
    func post(_ memory: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: next.exchange(UInt(bitPattern: memory), ordering: .acquiringAndReleasing))
    }

    /// Control side: what the loop has done with.
    func collect(_ free: (UnsafeMutableRawPointer) -> Void) {
        var link = retired.exchange(0, ordering: .acquiring)
        while let memory = UnsafeMutableRawPointer(bitPattern: link) {
            link = memory.load(as: UInt.self)
            free(memory)
        }
    }

    /// Loop: fetches what was left.
    @_noLocks @_noAllocation
    func fetch() -> UnsafeMutableRawPointer? {
        guard next.load(ordering: .relaxed) != 0 else { return nil }
        return UnsafeMutableRawPointer(bitPattern: next.exchange(0, ordering: .acquiring))
    }

    /// Loop: gives memory back.
    @_noLocks @_noAllocation
    func retire(_ memory: UnsafeMutableRawPointer) {
        var head = retired.load(ordering: .relaxed)
        // The other side only ever empties the list, so that a second attempt succeeds.
        while true {
            memory.storeBytes(of: head, as: UInt.self)
            let attempt = retired.compareExchange(
                expected: head, desired: UInt(bitPattern: memory), ordering: .releasing)
            if attempt.exchanged { return }
            head = attempt.original
        }
    }
}
