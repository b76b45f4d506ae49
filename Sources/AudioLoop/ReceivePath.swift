internal import Codecs
internal import MediaDescription
internal import Playout
internal import Realtime

/// From packets to what is heard.
struct ReceivePath: ~Copyable {
    private(set) var codec: UnsafeMutablePointer<ReceiveCodec>
    private let memory: LockedBuffer
    /// Decoded and not yet played, oldest first.
    let samples: UnsafeMutablePointer<Int16>
    var count = 0
    /// Towards our loudspeaker.
    var gate = Ramp()
    /// Towards the others of its group.
    var link = Ramp()
    /// The first turn of `samples` is what the others of its group are given.
    var hasVoice = false
    /// What was last put there is silence.
    var isSilent = true
    /// Counters of the codecs before this one.
    private var earlier = PlayoutCounters()

    /// The longest turn, the longest packet, and some.
    static var capacity: Int {
        @_noLocks @_noAllocation get { 16_384 }
    }

    init(codec: UnsafeMutablePointer<ReceiveCodec>) {
        self.codec = codec
        memory = LockedBuffer(byteCount: Self.capacity * MemoryLayout<Int16>.stride)
        samples = memory.base.bindMemory(to: Int16.self, capacity: Self.capacity)
    }

    deinit { ReceiveCodec.free(codec) }

    /// Forgets all sound and all packets: what comes next is played as if the stream began.
    @_noLocks @_noAllocation
    mutating func flush() {
        count = 0
        isSilent = true
        codec.pointee.jitter.reset()
        codec.pointee.decoder.reset()
    }

    @_noLocks @_noAllocation
    mutating func closeGates() {
        gate.close()
        link.close()
    }

    /// Puts another codec in, and returns the memory of the old one.
    @_noLocks @_noAllocation
    mutating func replace(codec new: UnsafeMutablePointer<ReceiveCodec>) -> UnsafeMutableRawPointer {
        let old = codec
        let counters = old.pointee.jitter.counters
        earlier.late += counters.late
        earlier.lost += counters.lost
        earlier.concealed += counters.concealed
        codec = new
        return UnsafeMutableRawPointer(old)
    }

    /// Drops the first `played` samples.
    @_noLocks @_noAllocation
    mutating func drop(_ played: Int) {
        let left = max(count - played, 0)
        for index in 0..<left { samples[index] = samples[index + played] }
        count = left
    }

    /// Late, lost and concealed are those of all codecs of the call.
    var counters: PlayoutCounters {
        @_noLocks @_noAllocation get {
            var counters = codec.pointee.jitter.counters
            counters.late += earlier.late
            counters.lost += earlier.lost
            counters.concealed += earlier.concealed
            return counters
        }
    }
}

extension CallSlot {
    /// Takes what has come, adds a turn of sound to `mix`, which we hear, and to that of its group, where it is in one.
    /// The turn's last word is `finishReceiving`.
    @_noLocks @_noAllocation
    mutating func receive(
        _ mix: UnsafeMutablePointer<Int32>, group sum: UnsafeMutablePointer<Int32>?, _ turn: Int, now: UInt64
    ) {
        receiving.hasVoice = receives || !receiving.gate.isClosed || !receiving.link.isClosed
        guard receiving.hasVoice else { return ignore(turn) }
        takePackets(now: now)
        fill(turn)
        let excess = receiving.codec.pointee.jitter.excess(decoded: receiving.count)
        if excess > 0 {
            let removed = TimeScaling.shorten(receiving.samples, receiving.count, by: excess)
            if removed > 0 {
                receiving.count -= removed
                receiving.codec.pointee.jitter.leftOut(samples: removed, decoded: receiving.count)
                fill(turn)
            }
        }
        let isOpen = receives && !word.isEarmuffed
        var squares = 0
        for index in 0..<turn {
            let sample = receiving.gate.pass(receiving.samples[index], towardsOpen: isOpen)
            mix[index] &+= Int32(sample)
            squares &+= Int(sample) &* Int(sample)
        }
        cells.pointee.receivedLevel.add(squares: squares, turn)
        guard let sum else { return }
        for index in 0..<turn {
            let sample = receiving.link.pass(receiving.samples[index], towardsOpen: receives && isLinked)
            receiving.samples[index] = sample
            sum[index] &+= Int32(sample)
        }
    }

    /// Lets go of the turn of sound that was played.
    @_noLocks @_noAllocation
    mutating func finishReceiving(_ turn: Int) {
        guard receiving.hasVoice else { return }
        receiving.hasVoice = false
        receiving.drop(turn)
        receiving.codec.pointee.jitter.advance(samples: turn, decoded: receiving.count)
        publish()
        if !receives && receiving.gate.isClosed && receiving.link.isClosed { receiving.flush() }
    }

    /// Throws away what has come, so that what is played later is what is said then.
    @_noLocks @_noAllocation
    private mutating func ignore(_ turn: Int) {
        let waiting = inbound.removeAll()
        if waiting > 0 { cells.pointee.discarded.add(waiting) }
        cells.pointee.receivedLevel.addSilence(turn)
    }

    @_noLocks @_noAllocation
    private mutating func takePackets(now: UInt64) {
        let codec = receiving.codec
        var left = inbound.capacity
        while left > 0, let packet = inbound.front() {
            left -= 1
            let length = min(max(packet.pointee.count, 0), maximumPayload)
            if packet.pointee.payloadType == codec.pointee.payloadType {
                // Read in place: a copy of the packet would cost more than the decoder's look at it.
                let writable = UnsafeMutablePointer(mutating: packet)
                let payload = withUnsafeMutablePointer(to: &writable.pointee.payload) { UnsafeRawPointer($0) }
                let bytes = payload.assumingMemoryBound(to: UInt8.self)
                if let duration = codec.pointee.codec.duration(of: bytes, length) {
                    let isOpus = if case .opus = codec.pointee.codec { true } else { false }
                    let age = now > packet.pointee.arrival ? now - packet.pointee.arrival : 0
                    let insertion = codec.pointee.jitter.insert(
                        PlayoutPacket(
                            sequenceNumber: packet.pointee.sequenceNumber, timestamp: packet.pointee.timestamp,
                            epoch: packet.pointee.epoch, duration: duration,
                            age: Int(truncatingIfNeeded: min(age, 1_000_000_000) * 48 / 1_000_000),
                            endsTalk: isOpus && length <= 2),
                        bytes, length, decoded: receiving.count)
                    if insertion == .anchored { codec.pointee.decoder.reset() }
                } else {
                    cells.pointee.malformed.add(1)
                }
            } else {
                cells.pointee.discarded.add(1)
            }
            inbound.removeFront()
        }
    }

    /// Decodes or makes up sound until there is a turn of it.
    @_noLocks @_noAllocation
    private mutating func fill(_ turn: Int) {
        let codec = receiving.codec
        var attempts = 64
        while receiving.count < turn {
            let place = receiving.samples + receiving.count
            let needed = turn - receiving.count
            attempts -= 1
            guard attempts > 0 else {
                for index in 0..<needed { place[index] = 0 }
                receiving.count = turn
                return
            }
            switch codec.pointee.jitter.decide(needed: needed, hasRedundancy: codec.pointee.decoder.hasRedundancy) {
            case .packet(let slot):
                let payload = codec.pointee.jitter.payload(in: slot)
                let decoded = codec.pointee.decoder.decode(
                    payload.bytes, payload.count, into: place, capacity: ReceivePath.capacity - receiving.count)
                codec.pointee.jitter.finish(slot: slot, samples: max(decoded, 0))
                cells.pointee.decoded.add(decoded > 0 ? 1 : 0)
                cells.pointee.malformed.add(decoded > 0 ? 0 : 1)
                receiving.count += max(decoded, 0)
                receiving.isSilent = false
            case .redundancy(let slot, let samples):
                let payload = codec.pointee.jitter.payload(in: slot)
                let recovered = codec.pointee.decoder.decodeRedundancy(
                    payload.bytes, payload.count, gap: samples, into: place)
                makeUp(recovered, isLoss: true, needed: samples)
            case .conceal(let samples):
                makeUp(codec.pointee.decoder.conceal(samples, into: place), isLoss: true, needed: samples)
            case .pause(let samples):
                // Comfort noise, where the codec has some.
                if codec.pointee.decoder.hasRedundancy {
                    makeUp(codec.pointee.decoder.conceal(samples, into: place), isLoss: false, needed: samples)
                } else {
                    fallSilent(samples)
                }
            case .silence(let samples): fallSilent(samples)
            }
        }
    }

    /// Silence, into which what was before fades over 10 ms.
    @_noLocks @_noAllocation
    private mutating func fallSilent(_ samples: Int) {
        guard !receiving.isSilent else { return makeUp(0, isLoss: false, needed: samples) }
        let place = receiving.samples + receiving.count
        let made = max(receiving.codec.pointee.decoder.conceal(samples, into: place), 0)
        let fade = max(min(made, 480), 1)
        for index in 0..<made {
            place[index] = Int16(truncatingIfNeeded: Int(place[index]) * max(fade - index, 0) / fade)
        }
        makeUp(made, isLoss: false, needed: samples)
        receiving.isSilent = true
    }

    /// `made` samples lie where sound is missing; where there are none, silence does.
    @_noLocks @_noAllocation
    private mutating func makeUp(_ made: Int, isLoss: Bool, needed: Int) {
        let place = receiving.samples + receiving.count
        if made <= 0 {
            for index in 0..<needed { place[index] = 0 }
        }
        let count = made > 0 ? made : needed
        receiving.isSilent = made <= 0
        receiving.codec.pointee.jitter.skipped(samples: count, isLoss: isLoss)
        receiving.count += count
    }

    @_noLocks @_noAllocation
    private func publish() {
        let counters = receiving.counters
        let cells = cells
        cells.pointee.late.store(counters.late)
        cells.pointee.lost.store(counters.lost)
        cells.pointee.concealed.store(counters.concealed)
        cells.pointee.buffered.store(counters.buffered)
        cells.pointee.spread.store(counters.spread)
    }
}
