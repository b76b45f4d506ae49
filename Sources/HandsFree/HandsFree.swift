internal import Realtime

/// The microphone's sound as the other party is to hear it: without the echo of the loudspeaker, with less noise, at one
/// level. One thread runs it; its memory is made beforehand.
///
/// Order: echo canceller, suppressor of what is left of echo and noise, gain with limiter. A period of whole blocks of 5 ms
/// comes out 2.6 ms later, other periods by a block more.
public struct HandsFree: ~Copyable, @unchecked Sendable {
    /// How long the echo's way through the room may be, in ms, from where the devices' delay ends.
    public static var tailMilliseconds: Int {
        @_noLocks @_noAllocation get { 350 }
    }
    /// Samples that the reference is read ahead: how much less than told the devices' delay may be.
    public static var leadSamples: Int {
        @_noLocks @_noAllocation get { 96 }
    }

    private let period: Int
    private let rows: FloatRows
    private let memory: LockedBuffer
    private var filter: EchoFilter
    private var finder: DelayFinder
    private var microphoneLowCut = LowCut()
    private var referenceLowCut = LowCut()
    private var suppressor: Suppressor
    private var level = GainControl(most: 10)
    private var meter = EchoMeter()
    private let reference: UnsafeMutablePointer<Float>
    private let microphone: UnsafeMutablePointer<Float>
    private let error: UnsafeMutablePointer<Float>
    private let echo: UnsafeMutablePointer<Float>
    private let output: UnsafeMutablePointer<Float>
    /// What is to come out, oldest first.
    private let queue: UnsafeMutablePointer<Int16>
    private var queued: Int
    private let firstQueued: Int
    /// Samples of the block that is being filled.
    private var filled = 0
    private var blocks = 0
    private var blocksSinceOverdriven = 1 << 20

    /// - Parameter period: samples of a turn at 48 kHz, at most 4,096.
    public init(period: Int) {
        self.period = period
        filter = EchoFilter(milliseconds: Self.tailMilliseconds)
        finder = DelayFinder()
        suppressor = Suppressor()
        firstQueued = Self.firstQueued(period)
        queued = firstQueued
        let room = period + 3 * Block.samples
        var rows = FloatRows(5, of: 5 * Block.samples)
        reference = rows.next(Block.samples)
        microphone = rows.next(Block.samples)
        error = rows.next(Block.samples)
        echo = rows.next(Block.samples)
        output = rows.next(Block.samples)
        self.rows = rows
        memory = LockedBuffer(byteCount: room * MemoryLayout<Int16>.stride)
        queue = memory.base.bindMemory(to: Int16.self, capacity: room)
    }

    /// What is known of the echo.
    public var figures: EchoFigures {
        @_noLocks @_noAllocation get { meter.figures }
    }

    /// Samples by which the sound comes out later than it went in.
    public var latency: Int {
        @_noLocks @_noAllocation get { Self.latency(period: period) }
    }

    /// The same for turns of so many samples.
    @_noLocks @_noAllocation
    public static func latency(period: Int) -> Int { Suppressor.delay + firstQueued(period) }

    /// What does not fit into whole blocks waits for the next turn.
    @_noLocks @_noAllocation
    private static func firstQueued(_ period: Int) -> Int { period % Block.samples == 0 ? 0 : Block.samples }

    /// One turn of the microphone.
    ///
    /// - Parameters:
    ///   - reference: what the loudspeaker played so long before that its echo is in `captured`; it may be early by
    ///     `leadSamples` and more. Nil where the profile has no canceller.
    ///   - result: room for `count` samples; it may be `captured`.
    @_noLocks @_noAllocation
    public mutating func process(
        _ captured: UnsafePointer<Int16>, reference played: UnsafePointer<Int16>?, _ count: Int,
        into result: UnsafeMutablePointer<Int16>
    ) {
        let samples = Block.samples
        var index = 0
        while index < count {
            let chunk = min(count &- index, samples &- filled)
            var place = 0
            while place < chunk {
                microphone[filled &+ place] = Float(captured[index &+ place])
                place &+= 1
            }
            if let played {
                place = 0
                while place < chunk {
                    reference[filled &+ place] = Float(played[index &+ place])
                    place &+= 1
                }
            }
            filled &+= chunk
            index &+= chunk
            if filled == samples {
                processBlock(cancels: played != nil)
                filled = 0
            }
        }
        let taken = min(count, queued)
        index = 0
        while index < taken {
            result[index] = queue[index]
            index &+= 1
        }
        while index < count {
            result[index] = 0
            index &+= 1
        }
        index = 0
        while index < queued &- taken {
            queue[index] = queue[taken &+ index]
            index &+= 1
        }
        queued &-= taken
    }

    @_noLocks @_noAllocation
    private mutating func processBlock(cancels: Bool) {
        let samples = Block.samples
        blocksSinceOverdriven = isOverdriven ? 0 : min(blocksSinceOverdriven &+ 1, 1 << 20)
        microphoneLowCut.process(microphone, samples)
        if cancels {
            referenceLowCut.process(reference, samples)
            let changes = filter.changes
            filter.process(reference: reference, microphone: microphone, error: error, echo: echo)
            if filter.changes != changes {
                suppressor.doubt()
                meter.forget()
            }
            if filter.isOfUse {
                suppressor.process(
                    error: error, echo: echo, expected: filter.expected, late: filter.late,
                    isOverdriven: blocksSinceOverdriven < 20, raised: level.gain, into: output)
            } else {
                passOn()
                meter.forget()
            }
            if filter.isActive { followDelay() }
        } else {
            passOn()
        }
        if cancels {
            meter.measure(
                microphone: SpectralMath.energy(microphone, samples), sent: SpectralMath.energy(output, samples),
                taken: SpectralMath.energy(echo, samples), left: SpectralMath.energy(error, samples),
                voiceShare: suppressor.voiceShare, isActive: filter.isActive)
        }
        let isTelling = suppressor.knowsNoise && !(cancels && mayBeEcho)
        level.process(output, voiceShare: isTelling ? suppressor.voiceShare : 0, noise: suppressor.noiseEnergy)
        let end = queue + queued
        var index = 0
        while index < samples {
            let value = output[index]
            end[index] = Int16(truncatingIfNeeded: Int32(value < 0 ? value - 0.5 : value + 0.5))
            index &+= 1
        }
        queued &+= samples
    }

    /// Whether the microphone's block was cut off, which is nothing that a linear filter follows.
    private var isOverdriven: Bool {
        @_noLocks @_noAllocation get {
            var peak: Float = 0
            var index = 0
            while index < Block.samples {
                peak = max(peak, abs(microphone[index]))
                index &+= 1
            }
            return peak >= 32_700
        }
    }

    /// The microphone's block without anything taken out.
    @_noLocks @_noAllocation
    private mutating func passOn() {
        suppressor.process(
            error: microphone, echo: echo, expected: nil, late: nil, isOverdriven: false, raised: level.gain,
            into: output)
    }

    /// What may be echo of the other party tells nothing of how loud it is spoken here.
    private var mayBeEcho: Bool {
        @_noLocks @_noAllocation get {
            guard filter.isActive else { return false }
            guard filter.isOfUse else { return filter.blocksPlayed < 3 &* Block.perSecond }
            return SpectralMath.energy(echo, Block.samples) > 0.02 * SpectralMath.energy(microphone, Block.samples)
        }
    }

    /// Where the echo comes later than the filter reaches, or its beginning would be wasted, the filter is moved. Who speaks
    /// here may look like a later echo for a while: what was learned is not given up for that.
    @_noLocks @_noAllocation
    private mutating func followDelay() {
        let delay = finder.find(reference: filter.newestReference, microphone: suppressor.microphoneSpectrum())
        // A second's time is soon enough for people.
        blocks = blocks == 200 ? 0 : blocks &+ 1
        if blocks == 0 { meter.figures.delaySamples = filter.strongestDelay() &- Self.leadSamples }
        guard delay >= 0, delay < filter.offset || delay > filter.offset &+ 8, !filter.beginsBefore(delay &- 2) else {
            return
        }
        filter.move(to: delay &- 2)
    }

    /// Forgets what it was given but not what it has learned: sound was broken off.
    @_noLocks @_noAllocation
    public mutating func interrupt() {
        filled = 0
        queued = firstQueued
        SpectralMath.fill(error, Block.samples)
        var index = 0
        while index < queued {
            queue[index] = 0
            index &+= 1
        }
    }
}
