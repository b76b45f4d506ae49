internal import Codecs
internal import Playout
internal import Realtime

/// The sound of one stream: what was played, and what is decoded or made up and not yet played, in one piece of memory.
struct StreamSound: ~Copyable {
    private let memory: LockedBuffer
    private let base: UnsafeMutablePointer<Int16>
    /// Not yet played, oldest first, until the next `drop`. What was played lies before it, as far back as a `Continuation`
    /// looks.
    private(set) var samples: UnsafeMutablePointer<Int16>
    private(set) var count = 0
    private var continuation = Continuation()
    private var scaler = TimeScaler()
    /// What was last put there is silence.
    private var isSilent = true

    /// The longest packet behind the longest turn, with what is put in, and some.
    private static var capacity: Int {
        @_noLocks @_noAllocation get { 12_288 }
    }
    /// What has been played is let lie, and all is moved to the beginning after so many samples: to move it at every turn would
    /// be most of what a turn does.
    private static var slack: Int {
        @_noLocks @_noAllocation get { 4_096 }
    }

    init() {
        let history = Continuation.historyCount
        let size = history + Self.slack + Self.capacity
        memory = LockedBuffer(byteCount: size * MemoryLayout<Int16>.stride)
        base = memory.base.bindMemory(to: Int16.self, capacity: size)
        samples = base + history
    }

    /// Forgets all sound.
    @_noLocks @_noAllocation
    mutating func removeAll() {
        for index in 0..<Continuation.historyCount { base[index] = 0 }
        samples = base + Continuation.historyCount
        count = 0
        isSilent = true
        continuation.reset()
    }

    /// Takes the first `played` samples away.
    @_noLocks @_noAllocation
    mutating func drop(_ played: Int) {
        scaler.hear(samples, min(played, count))
        let gone = min(played, count)
        count -= gone
        samples += gone
        let history = Continuation.historyCount
        let moved = samples - base - history
        guard moved > Self.slack else { return }
        for index in 0..<history + count { base[index] = base[index + moved] }
        samples = base + history
    }

    /// Carries out what `codec`'s buffer has decided, for `needed` samples. Returns what became of a packet: its samples,
    /// 0 where it was malformed, nil where it was none.
    @_noLocks @_noAllocation
    mutating func carryOut(
        _ decision: PlayoutDecision, _ needed: Int, _ codec: UnsafeMutablePointer<ReceiveCodec>
    ) -> Int? {
        let place = samples + count
        switch decision {
        case .packet(let slot, let skip):
            let payload = codec.pointee.jitter.payload(in: slot)
            let made = codec.pointee.decoder.decode(
                payload.bytes, payload.count, into: place, capacity: Self.capacity - count)
            let decoded = max(made, 0)
            take(decoded, slot: slot, skip: skip, codec)
            codec.pointee.jitter.carriedOut(decision, samples: decoded)
            return decoded
        case .redundancy(let slot, let wanted, let skip):
            let payload = codec.pointee.jitter.payload(in: slot)
            let decoded = codec.pointee.decoder.decodeRedundancy(payload.bytes, payload.count, gap: wanted, into: place)
            mend(decision, decoded, of: wanted, skip: skip, codec)
        case .conceal(let wanted, let skip):
            let made = codec.pointee.decoder.conceals ? codec.pointee.decoder.conceal(wanted, into: place) : 0
            mend(decision, made, of: wanted, skip: skip, codec)
        case .bridge(let wanted):
            goOn(wanted)
            codec.pointee.jitter.carriedOut(decision, samples: wanted)
        case .pause(let wanted): pause(decision, wanted, codec)
        case .silence(let wanted):
            fallSilent(wanted)
            codec.pointee.jitter.carriedOut(decision, samples: wanted)
        }
        return nil
    }

    /// Makes the sound shorter or longer, where the buffer wishes so and it cannot be heard. Returns whether it did.
    @_noLocks @_noAllocation
    mutating func scale(_ scaling: PlayoutScaling, _ codec: UnsafeMutablePointer<ReceiveCodec>) -> Bool {
        switch scaling {
        case .none: return false
        case .shorten(let most, let care):
            let removed = scaler.shorten(samples, count, by: most, care)
            guard removed > 0 else { return false }
            count -= removed
            codec.pointee.jitter.leftOut(samples: removed)
        case .lengthen(let wish):
            let added = scaler.lengthen(samples, count, by: wish)
            guard added > 0 else { return false }
            count += added
            codec.pointee.jitter.putIn(samples: added)
        }
        return true
    }

    /// Silence, which never hurts.
    @_noLocks @_noAllocation
    mutating func pad(_ needed: Int) {
        for index in count..<max(count + needed, count) { samples[index] = 0 }
        count += max(needed, 0)
        isSilent = true
        continuation.reset()
    }

    /// `decoded` samples of real sound, of the packet in `slot` where it is one's own, lie behind the others, the first `skip` of
    /// which are not for playing.
    @_noLocks @_noAllocation
    private mutating func take(_ decoded: Int, slot: Int?, skip: Int, _ codec: UnsafeMutablePointer<ReceiveCodec>) {
        let place = samples + count
        let heard = max(decoded - skip, 0)
        guard heard > 0 else { return }
        if skip > 0 {
            for index in 0..<heard { place[index] = place[index + skip] }
        }
        count += heard
        // After silence there is nothing to join it to.
        if isSilent { fadeIn(place, heard) }
        isSilent = false
        guard continuation.count > 0 else { return }
        codec.pointee.jitter.merged()
        if let slot, codec.pointee.jitter.mayMove(slot, skipped: skip) {
            let moved = continuation.joinInPhase(place, heard)
            count += moved
            if moved > 0 { codec.pointee.jitter.putIn(samples: moved) }
        } else {
            continuation.join(place, heard)
        }
    }

    /// Over 5 ms.
    @_noLocks @_noAllocation
    private func fadeIn(_ place: UnsafeMutablePointer<Int16>, _ heard: Int) {
        for index in 0..<min(heard, 240) { place[index] = Int16(truncatingIfNeeded: Int(place[index]) * index / 240) }
    }

    /// A decoder made `made` samples for lost sound. Where it made none, the continuation does for those to be heard.
    @_noLocks @_noAllocation
    private mutating func mend(
        _ decision: PlayoutDecision, _ made: Int, of wanted: Int, skip: Int, _ codec: UnsafeMutablePointer<ReceiveCodec>
    ) {
        if made > 0 {
            take(made, slot: nil, skip: skip, codec)
        } else {
            goOn(wanted - skip)
        }
        codec.pointee.jitter.carriedOut(decision, samples: made > 0 ? made : wanted)
    }

    @_noLocks @_noAllocation
    private mutating func goOn(_ wanted: Int) {
        guard wanted > 0 else { return }
        continuation.goOn(at: samples + count, wanted)
        count += wanted
        isSilent = false
    }

    /// Comfort noise, where the codec has some.
    @_noLocks @_noAllocation
    private mutating func pause(
        _ decision: PlayoutDecision, _ wanted: Int, _ codec: UnsafeMutablePointer<ReceiveCodec>
    ) {
        let made = codec.pointee.decoder.conceals ? codec.pointee.decoder.conceal(wanted, into: samples + count) : 0
        if made > 0 {
            count += made
            isSilent = false
            continuation.reset()
        } else {
            fallSilent(wanted)
        }
        codec.pointee.jitter.carriedOut(decision, samples: made > 0 ? made : wanted)
    }

    /// Silence, into which what was before fades over 10 ms.
    @_noLocks @_noAllocation
    private mutating func fallSilent(_ wanted: Int) {
        guard !isSilent else { return pad(wanted) }
        let place = samples + count
        goOn(wanted)
        let fade = max(min(wanted, 480), 1)
        for index in 0..<max(wanted, 0) {
            place[index] = Int16(truncatingIfNeeded: Int(place[index]) * max(fade - index, 0) / fade)
        }
        isSilent = true
        continuation.reset()
    }
}
