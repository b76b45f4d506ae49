internal import HandsFree
internal import MediaDescription
internal import Realtime
internal import Synchronization

/// What the loop does to the microphone's sound before any call has it, as the session's profile says.
///
/// With the profile `line` that is nothing: the very samples that were captured are passed on, and nothing is kept of what is
/// played. Another profile fades in and out over a turn.
struct HandsFreeStage {
    private let cells: UnsafeMutablePointer<LoopCells>
    private var profile = HandsFreeProfile.line
    private var turnsToReport = 0

    init(cells: UnsafeMutablePointer<LoopCells>) { self.cells = cells }

    /// What the profiles need; nil as long as none did.
    private var works: UnsafeMutablePointer<HandsFreeWorks>? {
        @_noLocks @_noAllocation get {
            UnsafeMutablePointer(bitPattern: cells.pointee.handsFree.load(ordering: .acquiring))
        }
    }

    /// The microphone's sound as it is to be heard: `captured` itself with the profile `line`.
    @_noLocks @_noAllocation
    mutating func process(_ captured: UnsafePointer<Int16>, _ count: Int) -> UnsafePointer<Int16> {
        guard let works else { return captured }
        let former = profile
        profile = HandsFreeProfile(number: cells.pointee.profile.load(ordering: .relaxed))
        guard !former.isLine || !profile.isLine else { return captured }
        works.pointee.process(captured, count, from: former, to: profile)
        report(works)
        return UnsafePointer(works.pointee.output)
    }

    /// Whether what is played is of use.
    var wantsReference: Bool {
        @_noLocks @_noAllocation get { profile.isSpeakerphone }
    }

    /// A turn's sound is handed to the loudspeaker: see `EchoReference`.
    @_noLocks @_noAllocation
    func plays(_ sound: UnsafeBufferPointer<Int16>, lead: Int) {
        if wantsReference { works?.pointee.reference.write(sound, lead: lead) }
    }

    /// Sound was broken off on either side.
    @_noLocks @_noAllocation
    func breakOff() { works?.pointee.reference.breakOff() }

    /// What people want to know, several times a second.
    @_noLocks @_noAllocation
    private mutating func report(_ works: UnsafeMutablePointer<HandsFreeWorks>) {
        turnsToReport -= 1
        guard turnsToReport <= 0 else { return }
        turnsToReport = 10
        let figures = works.pointee.processor.figures
        cells.pointee.echoReduction.store(Int(min(figures.reduction, 1e12) * 100))
        cells.pointee.echoCancelled.store(Int(min(figures.cancelled, 1e12) * 100))
        cells.pointee.echoIsConverged.store(figures.isConverged ? 1 : 0)
        cells.pointee.echoDelay.store(works.pointee.reference.lead + figures.delaySamples)
        cells.pointee.echoAlignments.store(works.pointee.reference.alignments)
    }
}

/// What all profiles but `line` need: made when one is first wanted.
struct HandsFreeWorks: ~Copyable {
    var processor: HandsFree
    var reference: EchoReference
    private let place = InPlace()
    private let memory: LockedBuffer
    let output: UnsafeMutablePointer<Int16>
    /// What belongs to the last turn of the microphone: see `EchoReference`.
    let played: UnsafeMutablePointer<Int16>

    /// - Parameter period: samples of a turn.
    init(period: Int) {
        processor = HandsFree(period: period)
        reference = EchoReference(period: period)
        memory = LockedBuffer(byteCount: 2 * period * MemoryLayout<Int16>.stride)
        output = memory.base.bindMemory(to: Int16.self, capacity: 2 * period)
        played = output + period
    }

    /// A turn of the microphone, into `output`. A change to or from `line` fades.
    @_noLocks @_noAllocation
    mutating func process(
        _ captured: UnsafePointer<Int16>, _ count: Int, from former: HandsFreeProfile, to profile: HandsFreeProfile
    ) {
        if former.isLine { processor.interrupt() }
        if profile.isSpeakerphone && !former.isSpeakerphone { reference.clear() }
        // The turn in which it ends is still worked on as those before it.
        let cancels = profile.isSpeakerphone || profile.isLine && former.isSpeakerphone
        if cancels { reference.read(into: played, count) }
        processor.process(captured, reference: cancels ? UnsafePointer(played) : nil, count, into: output)
        if former.isLine { fade(from: captured, to: UnsafePointer(output), count) }
        if profile.isLine { fade(from: UnsafePointer(output), to: captured, count) }
    }

    @_noLocks @_noAllocation
    private func fade(from old: UnsafePointer<Int16>, to new: UnsafePointer<Int16>, _ count: Int) {
        for index in 0..<count {
            let (before, after) = (Int(old[index]), Int(new[index]))
            output[index] = Int16(truncatingIfNeeded: before + (after - before) * (index + 1) / count)
        }
    }
}

extension HandsFreeProfile {
    /// As the loop is told.
    var number: UInt32 {
        @_noLocks @_noAllocation get {
            switch self {
            case .line: 0
            case .handset: 1
            case .speakerphone: 2
            }
        }
    }

    // By number: `==` compares the names, which is nothing for the loop.
    var isLine: Bool {
        @_noLocks @_noAllocation get { number == 0 }
    }
    var isSpeakerphone: Bool {
        @_noLocks @_noAllocation get { number == 2 }
    }

    @_noLocks @_noAllocation
    init(number: UInt32) {
        switch number {
        case 1: self = .handset
        case 2: self = .speakerphone
        default: self = .line
        }
    }
}

/// Owns the memory of `HandsFreeWorks`. `@unchecked`: the loop alone touches it.
final class HandsFreeMemory: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<HandsFreeWorks>
    private let memory: LockedBuffer

    /// - Parameter period: samples of a turn.
    init(period: Int) {
        memory = LockedBuffer(byteCount: MemoryLayout<HandsFreeWorks>.size)
        pointer = memory.base.bindMemory(to: HandsFreeWorks.self, capacity: 1)
        pointer.initialize(to: HandsFreeWorks(period: period))
    }

    deinit { pointer.deinitialize(count: 1) }
}
