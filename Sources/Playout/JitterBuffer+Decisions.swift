extension JitterBuffer {
    /// Sound is made up for at most this long where nothing comes; then it is silent.
    private static var longestConcealment: Int {
        @_noLocks @_noAllocation get { 5_760 }
    }
    /// When the peer has said that it stops, what has not come so much later is missing by other causes.
    private static var stop: Int {
        @_noLocks @_noAllocation get { 24_000 }
    }
    /// Comfort noise lasts this long after the last packet: a sender that pauses sends one at least every 400 ms.
    private static var longestPause: Int {
        @_noLocks @_noAllocation get { 48_000 }
    }

    /// The peer has said that it stops, to hold us, and where it goes on it will be with something else: what waits is played, and
    /// nothing is made up behind it.
    @_noLocks @_noAllocation
    public mutating func senderStops() { stoppedUntil = clock + Self.stop }

    @_noLocks @_noAllocation
    public mutating func decide(needed: Int, decoded: Int) -> PlayoutDecision {
        guard isAnchored else { return .silence(samples: needed) }
        guard let slot = first() else { return starve(needed) }
        let gap = slots[slot].start - position
        guard slots[slot].start > soundEnd else { return play(slot) }
        guard let lastSequence else { return gap > 0 ? .silence(samples: min(needed, gap)) : play(slot) }
        if slots[slot].sequenceNumber == lastSequence &+ 1 {
            // Nothing is missing: the sender has paused.
            forgiveConcealed()
            return gap > 0 ? pause(before: slot, gap, needed: needed, decoded: decoded) : play(slot)
        }
        return mend(before: slot, needed: needed)
    }

    @_noLocks @_noAllocation
    private func play(_ slot: Int) -> PlayoutDecision {
        .packet(slot: slot, skip: min(max(position - slots[slot].start, 0), slots[slot].duration))
    }

    /// Pauses are where the delay changes unheard.
    @_noLocks @_noAllocation
    private mutating func pause(before slot: Int, _ gap: Int, needed: Int, decoded: Int) -> PlayoutDecision {
        let surplus = surplus(decoded: decoded)
        if surplus < 0 {
            let added = min(-surplus, position - soundEnd)
            position -= added
            putIn(samples: added)
            count(paused: -added)
            return .pause(samples: min(needed, gap + added))
        }
        let cut = arrivals.window.blocks >= 2 ? min(surplus, gap / grid * grid) : 0
        if cut > 0 {
            position += cut
            leftOut(samples: cut)
            count(paused: cut)
        }
        return cut == gap ? play(slot) : .pause(samples: min(needed, gap - cut))
    }

    /// Packets before the one in `slot` are lost.
    @_noLocks @_noAllocation
    private mutating func mend(before slot: Int, needed: Int) -> PlayoutDecision {
        let packet = slots[slot]
        let missing = packet.start - soundEnd
        let repeated = packet.hasRedundancy && missing >= packet.duration ? packet.duration : 0
        let plain = missing - repeated
        let covered = position - soundEnd
        if plain > 0 && position - realEnd < Self.longestConcealment {
            let samples = min(plain, max((covered + needed + 119) / 120 * 120, 120))
            return .conceal(samples: samples, skip: min(covered, samples))
        }
        if plain > 0 {
            // What is left of so long a hole is silent, and the decoder goes on where there is sound again.
            let gap = packet.start - repeated - position
            if gap > 0 { return .silence(samples: min(needed, gap)) }
            soundEnd = packet.start - repeated
        }
        guard repeated > 0 else { return play(slot) }
        return .redundancy(slot: slot, samples: repeated, skip: min(max(position - soundEnd, 0), repeated))
    }

    @_noLocks @_noAllocation
    private func starve(_ needed: Int) -> PlayoutDecision {
        if lastSequence == nil || clock < stoppedUntil { return .silence(samples: needed) }
        let gap = position - realEnd
        if lastEndsTalk { return gap < Self.longestPause ? .pause(samples: needed) : .silence(samples: needed) }
        guard gap < Self.longestConcealment else { return .silence(samples: needed) }
        // The decoder knows better what may have been lost, but then cannot use it any more.
        return decoderConceals && lossiness > 0 && position == soundEnd
            ? .conceal(samples: (needed + 119) / 120 * 120, skip: 0) : .bridge(samples: needed)
    }

    @_noLocks @_noAllocation
    public mutating func carriedOut(_ decision: PlayoutDecision, samples: Int) {
        switch decision {
        case .packet(let slot, let skip): finish(slot, samples, skip: skip)
        case .redundancy(_, _, let skip):
            passed(samples)
            realEnd = soundEnd
            count(heard: max(samples - skip, 0))
            count(recovered: samples > skip ? 1 : 0)
        case .conceal(_, let skip):
            passed(samples)
            lastMadeUp = clock
            countConcealed(max(samples - skip, 0), isLost: !waiting.isEmpty, byDecoder: true)
        case .bridge:
            position += samples
            lastMadeUp = clock
            countConcealed(samples, isLost: false, byDecoder: false)
        case .pause:
            position += samples
            lastMadeUp = clock
            count(paused: samples)
        case .silence:
            position += samples
            lastMadeUp = clock
            count(silent: samples)
        }
    }

    /// The decoder has gone on by `samples`.
    @_noLocks @_noAllocation
    private mutating func passed(_ samples: Int) {
        soundEnd += samples
        position = max(position, soundEnd)
    }

    @_noLocks @_noAllocation
    private mutating func finish(_ slot: Int, _ samples: Int, skip: Int) {
        let packet = slots[slot]
        waiting.remove(slot)
        // One that could not be decoded is as one that did not come.
        guard samples > 0 else { return }
        if let lastSequence {
            let missing = Int(packet.sequenceNumber &- lastSequence &- 1)
            if missing > 0 && missing < 1_000 {
                count(lost: missing)
                learnFate(isLost: true)
            } else if concealedInGap > 0 {
                learnFate(isLost: false)
            }
        }
        let step = Int(packet.sequenceNumber &- (lastSequence ?? packet.sequenceNumber))
        playedBefore = (step > 0 && step < 64 ? playedBefore << UInt64(step) : 0) | 1
        lastSequence = packet.sequenceNumber
        lastEndsTalk = packet.endsTalk
        endGap()
        count(played: skip < samples ? 1 : 0, late: skip < samples ? 0 : 1)
        count(heard: max(samples - skip, 0))
        soundEnd = packet.start + samples
        position = max(position, soundEnd)
        realEnd = soundEnd
    }

    public var isNextReady: Bool {
        @_noLocks @_noAllocation get {
            guard isAnchored, let lastSequence, position == soundEnd else { return false }
            var rest = waiting
            while let slot = rest.popFirst() {
                if slots[slot].start == soundEnd && slots[slot].sequenceNumber == lastSequence &+ 1 { return true }
            }
            return false
        }
    }

    /// The oldest packet. Those that the decoder has passed are given up.
    @_noLocks @_noAllocation
    private mutating func first() -> Int? {
        var oldest: Int?
        var rest = waiting
        while let slot = rest.popFirst() {
            if slots[slot].start < soundEnd && slots[slot].start + slots[slot].duration <= soundEnd {
                waiting.remove(slot)
                count(late: 1)
            } else if let found = oldest {
                if slots[slot].start < slots[found].start { oldest = slot }
            } else {
                oldest = slot
            }
        }
        return oldest
    }
}
