extension JitterBuffer {
    /// Sound is made up for at most this long where nothing comes; then it is silent.
    private static var longestConcealment: Int {
        @_noLocks @_noAllocation get { 5_760 }
    }
    /// Comfort noise lasts this long after the last packet: a sender that pauses sends one at least every 400 ms.
    private static var longestPause: Int {
        @_noLocks @_noAllocation get { 48_000 }
    }

    @_noLocks @_noAllocation
    public mutating func decide(needed: Int, hasRedundancy: Bool) -> PlayoutDecision {
        guard isAnchored else { return .silence(samples: needed) }
        guard let slot = first() else { return starve(needed) }
        if let least = window.minimum, least < 0, lastSequence != nil, position == soundEnd {
            // Packets come too late to be put in order: wait for them by a turn more.
            stretching = turn
            return .conceal(samples: turn)
        }
        let gap = slots[slot].start - position
        guard gap > 0 else {
            position = slots[slot].start
            return .packet(slot: slot)
        }
        guard let lastSequence else { return .silence(samples: min(needed, gap)) }
        if slots[slot].sequenceNumber == lastSequence &+ 1 {
            // Nothing is missing: the sender has paused. A delay that is no longer needed ends here unheard.
            forgiveConcealed()
            let cut = min(surplusTurns() * turn, gap / turn * turn)
            if cut > 0 {
                position += cut
                window.shift(by: -cut)
                lastChange = clock
                count(leftOut: cut)
            }
            return cut == gap ? .packet(slot: slot) : .pause(samples: min(needed, gap - cut))
        }
        let duration = slots[slot].duration
        if hasRedundancy && gap == duration { return .redundancy(slot: slot, samples: gap) }
        if position - soundEnd >= Self.longestConcealment { return .silence(samples: min(needed, gap)) }
        return .conceal(samples: min(needed, hasRedundancy && gap > duration ? gap - duration : gap))
    }

    @_noLocks @_noAllocation
    public mutating func finish(slot: Int, samples: Int) {
        let packet = slots[slot]
        slots[slot].isUsed = false
        if let lastSequence {
            let missing = Int(packet.sequenceNumber &- lastSequence &- 1)
            if missing == 0 { forgiveConcealed() }
            if missing > 0 && missing < 1_000 { count(lost: missing) }
        }
        let step = lastSequence.map { Int(packet.sequenceNumber &- $0) } ?? 0
        playedBefore = (step > 0 && step < 64 ? playedBefore << UInt64(step) : 0) | 1
        lastSequence = packet.sequenceNumber
        lastEndsTalk = packet.endsTalk
        concealedInGap = 0
        position = packet.start + samples
        soundEnd = position
    }

    @_noLocks @_noAllocation
    public mutating func skipped(samples: Int, isLoss: Bool) {
        if stretching > 0 {
            stretching = 0
            window.shift(by: samples / turn * turn)
        } else {
            position += samples
        }
        if isLoss { countConcealed(samples) }
    }

    @_noLocks @_noAllocation
    private func starve(_ needed: Int) -> PlayoutDecision {
        let gap = position - soundEnd
        if lastSequence == nil { return .silence(samples: needed) }
        if lastEndsTalk { return gap < Self.longestPause ? .pause(samples: needed) : .silence(samples: needed) }
        return gap < Self.longestConcealment ? .conceal(samples: needed) : .silence(samples: needed)
    }

    /// The oldest packet. Those whose time has passed are given up.
    @_noLocks @_noAllocation
    private mutating func first() -> Int? {
        var oldest: Int?
        for index in 0..<Self.slotCount where slots[index].isUsed {
            if slots[index].start < soundEnd && slots[index].start + slots[index].duration <= position {
                slots[index].isUsed = false
                count(late: 1)
            } else if let found = oldest {
                if slots[index].start < slots[found].start { oldest = index }
            } else {
                oldest = index
            }
        }
        return oldest
    }
}

extension JitterBuffer {
    @_noLocks @_noAllocation
    public mutating func excess(decoded: Int) -> Int {
        guard isAnchored, window.blocks >= 2, clock - lastChange >= 4_800 else { return 0 }
        let phase = phase(decoded: decoded)
        let turns = surplusTurns()
        return turns > 0 || phase >= 240 ? turns * turn + phase : 0
    }

    /// Turns by which the delay is longer than it need be: one is given up only where all packets came earlier than that,
    /// by a little more than the clocks may slip.
    @_noLocks @_noAllocation
    private func surplusTurns() -> Int {
        guard window.blocks >= 2, let least = window.minimum else { return 0 }
        return max(least - minimumSlack - 144, 0) / turn
    }

    @_noLocks @_noAllocation
    public mutating func leftOut(samples: Int, decoded: Int) {
        // `decoded` is what is left: the phase before was that much longer.
        let phase = (phase(decoded: decoded) + samples) % turn
        let remaining = phase - samples
        let turns = remaining >= 0 ? 0 : -((-remaining + turn - 1) / turn)
        window.shift(by: turns * turn)
        lastChange = clock
        count(leftOut: samples)
    }

    /// How long a packet that came in time waits beyond whole turns: delay that serves nothing.
    @_noLocks @_noAllocation
    private func phase(decoded: Int) -> Int {
        let ahead = (newestStart - (position - decoded)) % turn
        return ahead >= 0 ? ahead : ahead + turn
    }
}
