internal import Glibc
internal import MediaDescription
internal import Realtime
internal import Synchronization

/// The loop's turn without its devices: what was captured goes in, what is to be played comes out. One thread runs it.
struct AudioLoop: ~Copyable {
    /// Calls that a session takes at once: the most that `calls.maximum_calls` allows.
    static var maximumCalls: Int {
        @_noLocks @_noAllocation get { 16 }
    }
    /// Samples of the longest turn.
    static var longestTurn: Int {
        @_noLocks @_noAllocation get { 4_096 }
    }

    let cells: UnsafeMutablePointer<LoopCells>
    private let commands: RingReader<LoopCommand>
    private let period: Int
    /// `maximumCalls` of them. Not in place: the compiler would copy them all to look at one.
    private let slots: UnsafeMutablePointer<UnsafeMutablePointer<CallSlot>?>
    /// No slot from here on is in use.
    private var slotsEnd = 0
    private let scratch: TurnScratch
    private let memory: LockedBuffer
    /// What is played.
    private let mix: UnsafeMutablePointer<Int32>
    /// What is said in a group.
    private let sum: UnsafeMutablePointer<Int32>
    /// The last of who has left a group in this turn, and the number of that group; 0 for none.
    private let farewell: UnsafeMutablePointer<Int32>
    private var leftGroup: UInt32 = 0
    /// What was captured, at its volume.
    private let microphone: UnsafeMutablePointer<Int16>
    private var headroom = Headroom()
    private var captureVolume = Volume()
    private var playbackVolume = Volume()
    private var tones: ToneGenerator
    /// Ahead of the capture volume, so that the echo's way does not change with it.
    var handsFree: HandsFreeStage
    private var ringer: RingPlayer

    /// - Parameter period: samples at 48 kHz of a turn, at most `longestTurn`.
    init(
        cells: UnsafeMutablePointer<LoopCells>, commands: consuming RingReader<LoopCommand>, period: Int,
        tones: CallProgressTones
    ) {
        self.tones = ToneGenerator(tones)
        ringer = RingPlayer(tones)
        handsFree = HandsFreeStage(cells: cells)
        self.cells = cells
        self.commands = commands
        self.period = period
        let slotsSize = Self.maximumCalls * MemoryLayout<UnsafeMutablePointer<CallSlot>?>.stride
        let mixSize = period * MemoryLayout<Int32>.stride
        memory = LockedBuffer(byteCount: slotsSize + 4 * mixSize + 2 * period * MemoryLayout<Int16>.stride)
        slots = memory.base.bindMemory(to: UnsafeMutablePointer<CallSlot>?.self, capacity: Self.maximumCalls)
        slots.initialize(repeating: nil, count: Self.maximumCalls)
        mix = (memory.base + slotsSize).bindMemory(to: Int32.self, capacity: 4 * period)
        sum = mix + period
        farewell = sum + period
        microphone = (memory.base + slotsSize + 4 * mixSize).bindMemory(to: Int16.self, capacity: 2 * period)
        scratch = TurnScratch(mix: farewell + period, outgoing: microphone + period)
    }

    /// One turn of `count` samples, at most a period. Follow it by `acknowledge` when `played` is with the card.
    ///
    /// - Parameter now: CLOCK_MONOTONIC in nanoseconds.
    @_noLocks @_noAllocation
    mutating func turn(
        captured: UnsafePointer<Int16>, played: UnsafeMutablePointer<Int16>, _ count: Int, now: UInt64
    ) {
        for index in 0..<count { mix[index] = 0 }
        leftGroup = 0
        obey(now: now, fading: count)
        let captured = scaled(handsFree.process(captured, count), count)
        var calls = 0
        for index in 0..<slotsEnd {
            guard let slot = slots[index] else { continue }
            slot.pointee.begin()
            calls += 1
        }
        for index in 0..<slotsEnd {
            guard let slot = slots[index] else { continue }
            if slot.pointee.echoes {
                slot.pointee.receive(mix, group: nil, count, now: now)
                slot.pointee.sendEcho(count, scratch: scratch)
                slot.pointee.finishReceiving(count)
            } else if slot.pointee.group == 0 {
                slot.pointee.send(captured, group: nil, count, scratch: scratch)
                slot.pointee.receive(mix, group: nil, count, now: now)
                slot.pointee.finishReceiving(count)
            } else if isFirstOfGroup(index) {
                turnGroup(from: index, captured: captured, count, now: now)
            }
        }
        for index in 0..<slotsEnd {
            guard let slot = slots[index] else { continue }
            slot.pointee.finish(count)
        }
        // One call alone always fits.
        if calls > 1 || !headroom.isUnity { headroom.fit(mix, count) }
        tones.add(cells.pointee.tone.load(ordering: .relaxed), to: mix, count)
        // The ringer comes after it: who turns conversations down still wants to hear that somebody calls.
        let volume = cells.pointee.playbackVolume.load(ordering: .relaxed)
        if !playbackVolume.isUnity(towards: volume) { playbackVolume.scale(mix, count, towards: volume) }
        ringer.add(cells, to: mix, scratch: sum, count)
        for index in 0..<count { played[index] = Int16(clamping: mix[index]) }
    }

    @_noLocks @_noAllocation
    private func isFirstOfGroup(_ index: Int) -> Bool {
        guard let slot = slots[index] else { return false }
        for earlier in 0..<index {
            if let other = slots[earlier], other.pointee.group == slot.pointee.group { return false }
        }
        return true
    }

    /// The turn of a group: one sum of all that is said, of which each member is given all but its own.
    @_noLocks @_noAllocation
    private mutating func turnGroup(from first: Int, captured: UnsafePointer<Int16>, _ count: Int, now: UInt64) {
        guard let group = slots[first]?.pointee.group else { return }
        for index in 0..<count { sum[index] = group == leftGroup ? farewell[index] : 0 }
        for index in first..<slotsEnd {
            guard let slot = slots[index], slot.pointee.group == group else { continue }
            slot.pointee.receive(mix, group: sum, count, now: now)
        }
        for index in first..<slotsEnd {
            guard let slot = slots[index], slot.pointee.group == group else { continue }
            slot.pointee.send(captured, group: sum, count, scratch: scratch)
            slot.pointee.finishReceiving(count)
        }
    }

    @_noLocks @_noAllocation
    private mutating func scaled(_ captured: UnsafePointer<Int16>, _ count: Int) -> UnsafePointer<Int16> {
        let volume = cells.pointee.captureVolume.load(ordering: .relaxed)
        if captureVolume.isUnity(towards: volume) { return captured }
        captureVolume.scale(captured, into: microphone, count, towards: volume)
        return UnsafePointer(microphone)
    }

    /// Sound of the microphone has been lost: lets the streams' time go by.
    @_noLocks @_noAllocation
    mutating func skip(samples: Int) {
        for index in 0..<slotsEnd {
            guard let slot = slots[index] else { continue }
            slot.pointee.sending.skip(samples: samples)
        }
    }

    /// Tells the control side which gates are settled, and the network threads that there is something to send.
    ///
    /// - Parameter lags: the last sound of this turn is with the sound card after the next one only.
    @_noLocks @_noAllocation
    mutating func acknowledge(lags: Bool = false) {
        var signalled: Int32 = -1
        for index in 0..<slotsEnd {
            guard let slot = slots[index] else { continue }
            slot.pointee.acknowledge(lags: lags)
            if slot.pointee.owesSignal {
                slot.pointee.owesSignal = false
                if slot.pointee.descriptor != signalled { signal(slot.pointee.descriptor) }
                signalled = slot.pointee.descriptor
            }
        }
    }

    /// Takes calls in and lets calls go, as the control side has asked.
    ///
    /// - Parameter fading: samples of the turn, in which those that go are heard for the last time.
    @_noLocks @_noAllocation
    private mutating func obey(now: UInt64, fading: Int) {
        var left = commands.capacity
        while left > 0, let command = commands.pop() {
            left -= 1
            switch command.kind {
            case .enter: enter(command.slot, now: now)
            case .leave:
                if fading > 0 { fade(command.slot, fading, now: now) }
                leave(command.slot, now: now)
            }
            cells.pointee.commandsDone.wrappingAdd(1, ordering: .acquiringAndReleasing)
        }
    }

    @_noLocks @_noAllocation
    private mutating func enter(_ slot: UnsafeMutablePointer<CallSlot>, now: UInt64) {
        for index in 0..<Self.maximumCalls where slots[index] == nil {
            slots[index] = slot
            slotsEnd = max(slotsEnd, index + 1)
            slot.pointee.enter(now: now, turn: period)
            return
        }
        // The control side counts, so that this is not reached; a call without a place is let go at once.
        slot.pointee.letGo(now: now)
    }

    @_noLocks @_noAllocation
    private mutating func leave(_ slot: UnsafeMutablePointer<CallSlot>, now: UInt64) {
        for index in 0..<slotsEnd where slots[index] == slot {
            slots[index] = nil
            slot.pointee.letGo(now: now)
            signal(slot.pointee.descriptor)
        }
        while slotsEnd > 0 && slots[slotsEnd - 1] == nil { slotsEnd -= 1 }
    }

    /// Lets a call that is about to go fall silent softly, for us and for the others of its group.
    @_noLocks @_noAllocation
    private mutating func fade(_ slot: UnsafeMutablePointer<CallSlot>, _ count: Int, now: UInt64) {
        for index in 0..<slotsEnd where slots[index] == slot {
            let group = slot.pointee.group
            guard group != 0, leftGroup == 0 || leftGroup == group else {
                slot.pointee.fade(mix, group: nil, count, now: now)
                return
            }
            if leftGroup == 0 {
                for index in 0..<count { farewell[index] = 0 }
            }
            leftGroup = group
            slot.pointee.fade(mix, group: farewell, count, now: now)
        }
    }

    /// Lets every call go: the last thing that a loop does.
    @_noLocks @_noAllocation
    mutating func end(now: UInt64) {
        obey(now: now, fading: 0)
        for index in 0..<slotsEnd {
            guard let slot = slots[index] else { continue }
            leave(slot, now: now)
        }
    }

    /// Wakes the owner of an eventfd.
    @_noLocks @_noAllocation
    private func signal(_ descriptor: Int32) {
        guard descriptor >= 0 else { return }
        withUnsafePointer(to: 1 as UInt64) { one in
            // One system call on a non-blocking eventfd.
            _ = _unsafePerformance { write(descriptor, one, 8) }
        }
    }
}

/// Memory of the loop for one call's sound of a turn.
struct TurnScratch: BitwiseCopyable {
    let mix: UnsafeMutablePointer<Int32>
    let outgoing: UnsafeMutablePointer<Int16>
}
