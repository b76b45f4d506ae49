internal import MediaDescription
internal import Playout
internal import Realtime
internal import Synchronization

/// What the loop needs for one call. The loop alone touches it while `CallCells.isInLoop`.
struct CallSlot: ~Copyable {
    let cells: UnsafeMutablePointer<CallCells>
    let gates: GateCell.LoopEnd
    let inbound: RingReader<InboundPacket>
    let outbound: RingWriter<OutboundPacket>
    /// An eventfd.
    let descriptor: Int32
    var sending: SendPath
    var receiving: ReceivePath
    var phase = PacketPhase()
    /// The word that this turn obeys.
    var word: GateWord
    /// `word` has still to be acknowledged.
    var owesSettlement = false
    /// Nothing of it was heard before this turn.
    private var wasClosed = true
    /// Something was pushed that the network thread does not know of.
    var owesSignal = false
    /// The number of the group that it is mixed with; 0 for none.
    private(set) var group: UInt32 = 0
    /// It is to hear the others of its group, and they it.
    private(set) var isLinked = false
    private(set) var direction: UInt32 = 0
    /// Who is given the call's sound; nil: nobody.
    private(set) var tap: UnsafeMutablePointer<TapMemory>?
    private var tapIsOver = false
    /// The peer hears itself.
    private(set) var echoes = false
    private(set) var turnSamples = 480
    /// CLOCK_MONOTONIC when the last loop let go, in nanoseconds; 0 before the first.
    private var letGoAt: UInt64 = 0

    init(
        cells: UnsafeMutablePointer<CallCells>, gates: GateCell.LoopEnd, inbound: consuming RingReader<InboundPacket>,
        outbound: consuming RingWriter<OutboundPacket>, sender: UnsafeMutablePointer<SendCodec>,
        receiver: UnsafeMutablePointer<ReceiveCodec>, descriptor: Int32
    ) {
        self.cells = cells
        self.gates = gates
        self.inbound = inbound
        self.outbound = outbound
        self.descriptor = descriptor
        sending = SendPath(codec: sender)
        receiving = ReceivePath(codec: receiver)
        word = gates.load()
    }

    static func bits(_ direction: MediaDirection) -> UInt32 {
        (direction.sends ? 1 : 0) | (direction.receives ? 2 : 0)
    }

    /// The loop takes the call over. The stream's time has run on meanwhile, and what has come is not for playing.
    @_noLocks @_noAllocation
    mutating func enter(now: UInt64, turn: Int) {
        if letGoAt != 0 && now > letGoAt {
            sending.skip(samples: Int(truncatingIfNeeded: min(now - letGoAt, 1 << 56) / 1_000_000 &* 48))
        }
        cells.pointee.discarded.add(inbound.removeAll())
        fetchCodecs()
        turnSamples = turn
        phase = PacketPhase()
        receiving.codec.pointee.jitter.setTurn(samples: turn)
        receiving.flush()
        receiving.closeGates()
        tap?.pointee.clear()
        word = gates.load()
        owesSettlement = true
    }

    /// Begins a turn: loads what it is to obey.
    @_noLocks @_noAllocation
    mutating func begin() {
        wasClosed = receiving.gate.isClosed
        phase.begin()
        sending.hasEncoded = false
        // Once, so that both paths switch in the same turn.
        let requested = gates.load()
        if requested != word {
            word = requested
            owesSettlement = true
        }
        let before = direction
        direction = cells.pointee.direction.load(ordering: .acquiring)
        fetchCodecs()
        // Held by the peer: it has stopped talking, and its last word is not to be drawn out.
        if before == 3 && direction == 2 {
            receiving.codec.pointee.jitter.senderStops()
        }
        // From one group to another it goes through silence.
        let wanted = cells.pointee.group.load(ordering: .relaxed)
        if wanted != group && sending.link.isClosed && receiving.link.isClosed { group = wanted }
        isLinked = group != 0 && wanted == group
        echoes = cells.pointee.echoes.load(ordering: .relaxed)
        sending.player.begin(cells.pointee.played)
        if tapIsOver {
            cells.pointee.tap.letGo()
            tap = nil
        }
        if tap == nil {
            tap = UnsafeMutablePointer(bitPattern: cells.pointee.tap.take())
            tap?.pointee.clear()
        }
        tapIsOver = false
        if let tap { tapIsOver = cells.pointee.tap.isOver(UInt(bitPattern: tap)) }
    }

    /// Ends a turn: hands its sound to whoever is to have it.
    @_noLocks @_noAllocation
    mutating func finish(_ count: Int) {
        tap?.pointee.handOver(count, from: sending.clock - count)
    }

    /// Turns in which one of our packets is filled; 0 where it does not matter, or they are no whole number.
    var turnsOfPacket: Int {
        @_noLocks @_noAllocation get {
            let length = sending.codec.pointee.packetSamples
            return sending.codec.pointee.isOpus && length % turnSamples == 0 ? length / turnSamples : 0
        }
    }

    var sends: Bool {
        @_noLocks @_noAllocation get { direction & 1 != 0 && !word.isHeld }
    }

    var receives: Bool {
        @_noLocks @_noAllocation get { direction & 2 != 0 && !word.isHeld }
    }

    /// Acknowledges the gates where they are settled. To be called once the turn's sound is with the sound card.
    ///
    /// - Parameter lags: the last of it waits for the next turn.
    @_noLocks @_noAllocation
    mutating func acknowledge(lags: Bool) {
        if sending.player.endToTell != 0, pushControl(.ended, sending.player.endToTell) { sending.player.told() }
        guard owesSettlement else { return }
        let captureIsSettled = !word.isMuted || word.isHeld || !sending.holdsMicrophone
        let playoutIsSettled =
            !(word.isHeld || word.isEarmuffed)
            || receiving.gate.isClosed && (wasClosed || !lags) && (receiving.link.isClosed || !word.isHeld)
        guard captureIsSettled && playoutIsSettled && pushSettled(word) else { return }
        gates.settle(word)
        owesSettlement = false
    }

    /// The last turn before it goes: what is heard of it fades out, unless a request that has come since closes it anyway.
    @_noLocks @_noAllocation
    mutating func fade(
        _ mix: UnsafeMutablePointer<Int32>, group sum: UnsafeMutablePointer<Int32>?, _ count: Int, now: UInt64
    ) {
        guard gates.load() == word else { return }
        direction = 0
        isLinked = false
        receive(mix, group: sum, count, now: now)
        finishReceiving(count)
    }

    /// The loop lets the call go: nothing passes any more, whatever the gates say, and all requests are settled.
    @_noLocks @_noAllocation
    mutating func letGo(now: UInt64) {
        sending.discard()
        receiving.flush()
        publish()
        receiving.closeGates()
        group = 0
        letGoAt = now
        let cells = cells
        cells.pointee.isInLoop.store(false, ordering: .sequentiallyConsistent)
        // Pairs with `CallAudio.requestGates`: a word that came too late for us finds the flag cleared.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        let requested = gates.load()
        if owesSettlement || requested != word {
            _ = pushSettled(requested)
            gates.settle(requested)
            owesSettlement = false
        }
    }

    @_noLocks @_noAllocation
    private mutating func pushSettled(_ word: GateWord) -> Bool { pushControl(.settled, word.rawValue) }

    @_noLocks @_noAllocation
    private mutating func pushControl(_ kind: OutboundPacket.Kind, _ value: UInt32) -> Bool {
        guard let packet = outbound.nextSlot() else { return false }
        packet.pointee.kind = kind
        packet.pointee.gates = value
        packet.pointee.count = 0
        outbound.commit()
        owesSignal = true
        return true
    }

    @_noLocks @_noAllocation
    private mutating func fetchCodecs() {
        if let memory = cells.pointee.sender.fetch() {
            let old = sending.replace(codec: memory.assumingMemoryBound(to: SendCodec.self))
            cells.pointee.sender.retire(old)
        }
        if let memory = cells.pointee.receiver.fetch() {
            let old = receiving.replace(codec: memory.assumingMemoryBound(to: ReceiveCodec.self))
            receiving.codec.pointee.jitter.setTurn(samples: turnSamples)
            cells.pointee.receiver.retire(old)
        }
    }
}

/// Owns the memory of a `CallSlot`. `@unchecked`: the loop alone touches it while the call is in a loop, nobody while it
/// is in none.
final class SlotMemory: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<CallSlot>
    private let memory: LockedBuffer

    init(_ slot: consuming CallSlot) {
        memory = LockedBuffer(byteCount: MemoryLayout<CallSlot>.size)
        pointer = memory.base.bindMemory(to: CallSlot.self, capacity: 1)
        pointer.initialize(to: slot)
    }

    deinit { pointer.deinitialize(count: 1) }
}
