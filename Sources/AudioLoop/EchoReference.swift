internal import HandsFree
internal import Realtime
internal import Resampling

/// What the loudspeaker was given, laid out on the clock of the microphone: a sample of it is where its echo is, but for the
/// way through the room.
///
/// Where a turn's sound will be heard is what the devices say of their delay at both ends. That is looked at in every turn, but
/// believed slowly: it is followed by fractions of a sample (two cards drift), and at once only where sound was broken off, or
/// where it has been far off several times in a row.
struct EchoReference: ~Copyable {
    private static var capacity: Int {
        @_noLocks @_noAllocation get { 1 << 16 }
    }
    /// A delay that is off by 10 ms for so many turns has jumped.
    private static var jump: Int {
        @_noLocks @_noAllocation get { 480 }
    }
    private static var turnsOfJump: Int {
        @_noLocks @_noAllocation get { 4 }
    }

    private let memory: LockedBuffer
    private let ring: UnsafeMutablePointer<Int16>
    private var clock: PlaybackClock
    /// Samples of the microphone so far.
    private var heard = 0
    /// Where, on the microphone's clock, the next sample that is played will be heard.
    private var end = 0
    private var isAligned = false
    private var turnsOff = 0
    /// Of late: samples that the reference is ahead of what the devices say.
    private var ahead = 0.0
    /// What the devices said of their delay last, in samples.
    private(set) var lead = 0
    /// Times that the reference was laid out anew.
    private(set) var alignments = 0

    /// - Parameter period: samples of a turn.
    init(period: Int) {
        memory = LockedBuffer(byteCount: Self.capacity * MemoryLayout<Int16>.stride)
        ring = memory.base.bindMemory(to: Int16.self, capacity: Self.capacity)
        // Nobody hears it: it may be corrected for less than what is played.
        clock = PlaybackClock(
            period: period, longest: VariableResampler.mostProduced(of: period), tolerance: 4)
    }

    /// Where the next sample is read.
    private var place: Int {
        @_noLocks @_noAllocation get { heard &+ HandsFree.leadSamples }
    }

    /// What belongs to the next `count` samples of the microphone.
    @_noLocks @_noAllocation
    mutating func read(into reference: UnsafeMutablePointer<Int16>, _ count: Int) {
        let mask = Self.capacity &- 1
        let start = place
        var index = 0
        while index < count {
            let slot = (start &+ index) & mask
            reference[index] = ring[slot]
            // What is not played in a whole round of the ring is silence.
            ring[slot] = 0
            index &+= 1
        }
        heard &+= count
    }

    /// A turn's sound is handed to the loudspeaker.
    ///
    /// It is what the card is given, stretched or shortened where it is, and not what the loop has made: so one card's two
    /// sides stay as they are to each other to the sample, while what lies ahead of the loudspeaker is made more or less.
    ///
    /// - Parameter lead: samples of the microphone that will have been read when its first sample is heard.
    @_noLocks @_noAllocation
    mutating func write(_ played: UnsafeBufferPointer<Int16>, lead: Int) {
        self.lead = lead
        let truth = heard &+ min(max(lead, 0), Self.capacity / 2)
        let excess = end &+ clock.waiting &- truth
        let isOff = excess > Self.jump || excess < -Self.jump
        turnsOff = isOff ? turnsOff &+ 1 : 0
        if !isAligned || turnsOff >= Self.turnsOfJump {
            end = truth
            clock.restart()
            isAligned = true
            turnsOff = 0
            ahead = 0
            alignments &+= 1
            put(played)
        } else {
            // What cards say of their position moves in steps.
            if !isOff { ahead += (Double(excess) - ahead) / 16 }
            put(clock.follow(played, excess: Int(ahead + (ahead < 0 ? -0.5 : 0.5)) &- clock.waiting))
        }
    }

    @_noLocks @_noAllocation
    private mutating func put(_ sound: UnsafeBufferPointer<Int16>) {
        let mask = Self.capacity &- 1
        let start = place
        var index = 0
        while index < sound.count {
            let position = end &+ index
            // What would have been heard already came too late to be of use.
            if position >= start { ring[position & mask] = sound[index] }
            index &+= 1
        }
        end &+= sound.count
    }

    /// Sound was broken off on either side: the next turn's is laid out anew.
    @_noLocks @_noAllocation
    mutating func breakOff() { isAligned = false }

    /// Begins anew, with silence.
    @_noLocks @_noAllocation
    mutating func clear() {
        var index = 0
        while index < Self.capacity {
            ring[index] = 0
            index &+= 1
        }
        isAligned = false
    }
}
