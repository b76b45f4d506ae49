internal import Codecs
internal import MediaDescription
internal import Playout
internal import Realtime

/// From packets to what is heard.
struct ReceivePath: ~Copyable {
    private(set) var codec: UnsafeMutablePointer<ReceiveCodec>
    var sound = StreamSound()
    private var paced = PacedSound()
    /// The turn that is heard: valid while `hasVoice`.
    private(set) var voice: UnsafeMutablePointer<Int16>
    /// Towards our loudspeaker.
    var gate = Ramp()
    /// Towards the others of its group.
    var link = Ramp()
    /// `voice` is what the others of its group are given.
    var hasVoice = false
    /// A packet was decoded in this turn.
    private(set) var hasDecoded = false
    /// Counters of the codecs before this one.
    private var earlier = PlayoutCounters()

    init(codec: UnsafeMutablePointer<ReceiveCodec>) {
        self.codec = codec
        voice = sound.samples
    }

    deinit { ReceiveCodec.free(codec) }

    /// Forgets all sound and all packets: what comes next is played as if the stream began.
    @_noLocks @_noAllocation
    mutating func flush() {
        sound.removeAll()
        paced.reset()
        codec.pointee.jitter.reset()
        codec.pointee.decoder.reset()
    }

    @_noLocks @_noAllocation
    mutating func closeGates() {
        gate.close()
        link.close()
    }

    /// Puts another codec in, and returns the memory of the old one. What was learnt of the network stays.
    @_noLocks @_noAllocation
    mutating func replace(codec new: UnsafeMutablePointer<ReceiveCodec>) -> UnsafeMutableRawPointer {
        let old = codec
        // What waits in it is not played any more, and counted as that.
        old.pointee.jitter.reset()
        earlier.add(old.pointee.jitter.counters)
        new.pointee.jitter.learn(old.pointee.jitter.arrivals, old.pointee.jitter.senderClock)
        codec = new
        return UnsafeMutableRawPointer(old)
    }

    /// What is counted, by all codecs of the call; what is measured, by this one.
    var counters: PlayoutCounters {
        @_noLocks @_noAllocation get {
            var counters = codec.pointee.jitter.counters
            counters.add(earlier)
            return counters
        }
    }

    /// Decodes or makes up sound until there are `wanted` samples of it.
    @_noLocks @_noAllocation
    private mutating func fill(_ wanted: Int, _ cells: UnsafeMutablePointer<CallCells>) {
        var attempts = 64
        while sound.count < wanted {
            let needed = wanted - sound.count
            attempts -= 1
            guard attempts > 0 else { return sound.pad(needed) }
            let decision = codec.pointee.jitter.decide(needed: needed, decoded: sound.count)
            if let decoded = sound.carryOut(decision, needed, codec) {
                hasDecoded = true
                cells.pointee.decoded.add(decoded > 0 ? 1 : 0)
                cells.pointee.malformed.add(decoded > 0 ? 0 : 1)
            }
        }
    }

    /// Makes `voice`, a turn of sound.
    @_noLocks @_noAllocation
    mutating func play(_ turn: Int, _ cells: UnsafeMutablePointer<CallCells>) {
        hasDecoded = false
        let pace = codec.pointee.jitter.nextPace(decoded: sound.count)
        let needed = paced.needed(turn, pace: pace)
        fill(needed, cells)
        scale(needed, cells)
        voice = paced.turn(sound.samples, turn, pace: pace)
    }

    /// Lets go of the turn that was played.
    @_noLocks @_noAllocation
    mutating func finish(_ turn: Int) {
        sound.drop(paced.consumed)
        codec.pointee.jitter.advance(samples: turn, decoded: sound.count)
    }

    /// Decodes the next packet before its turn, where it has come and fewer than `enough` samples wait: see `PacketPhase`.
    /// Nothing that may still come could change what it sounds like.
    @_noLocks @_noAllocation
    mutating func decodeAhead(_ enough: Int, _ cells: UnsafeMutablePointer<CallCells>) {
        if sound.count < enough && codec.pointee.jitter.isNextReady { fill(sound.count + 1, cells) }
    }

    /// Comes nearer to the delay that is needed, by as much as cannot be heard.
    @_noLocks @_noAllocation
    private mutating func scale(_ needed: Int, _ cells: UnsafeMutablePointer<CallCells>) {
        let scaling = codec.pointee.jitter.scaling(decoded: sound.count)
        if case .none = scaling { return }
        // Two periods of a low voice, where they have come.
        while sound.count < 1_680 && codec.pointee.jitter.isNextReady { fill(sound.count + 1, cells) }
        if sound.scale(scaling, codec) { fill(needed, cells) }
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
        receiving.play(turn, cells)
        let samples = receiving.voice
        cells.pointee.receivedLevel.add(squares: hear(samples, mix, turn), turn)
        tap?.pointee.addBeep(to: mix, turn)
        guard let sum else { return }
        for index in 0..<turn {
            let sample = receiving.link.pass(samples[index], towardsOpen: receives && isLinked)
            samples[index] = sample
            sum[index] &+= Int32(sample)
        }
    }

    /// Adds what passes of `samples` to what we hear, and gives it to the tap. Returns the sum of its squares.
    @_noLocks @_noAllocation
    private mutating func hear(
        _ samples: UnsafePointer<Int16>, _ mix: UnsafeMutablePointer<Int32>, _ turn: Int
    ) -> Int {
        let isOpen = receives && !word.isEarmuffed
        var squares = 0
        if receiving.gate.isOpen(towardsOpen: isOpen) && tap == nil {
            // Nothing here depends on the sample before: the compiler takes several at once.
            for index in 0..<turn {
                let sample = Int32(samples[index])
                mix[index] &+= sample
                squares &+= Int(sample &* sample)
            }
            return squares
        }
        for index in 0..<turn {
            let sample = receiving.gate.pass(samples[index], towardsOpen: isOpen)
            mix[index] &+= Int32(sample)
            squares &+= Int(sample) &* Int(sample)
            if let tap { tap.pointee.heard[index] = sample }
        }
        return squares
    }

    /// Lets go of the turn of sound that was played.
    @_noLocks @_noAllocation
    mutating func finishReceiving(_ turn: Int) {
        guard receiving.hasVoice else { return }
        receiving.hasVoice = false
        receiving.finish(turn)
        // What would be decoded in one of the turns before the next of our packets.
        if sending.hasEncoded && receives {
            receiving.decodeAhead(min(turnsOfPacket * turn, 960) - turn, cells)
        }
        if receiving.hasDecoded { phase.decoded() }
        if !receives && receiving.gate.isClosed && receiving.link.isClosed { receiving.flush() }
        publish()
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
                            endsTalk: isOpus && length <= 2, isRecovered: packet.pointee.isRecovered,
                            hasRedundancy: codec.pointee.codec.hasRedundancy(in: bytes, length)),
                        bytes, length, decoded: receiving.sound.count)
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

    /// Shows what has been counted until now.
    @_noLocks @_noAllocation
    func publish() { cells.pointee.playout.store(receiving.counters) }
}
