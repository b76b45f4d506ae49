extension JitterBuffer {
    @_noLocks @_noAllocation
    public mutating func insert(
        _ packet: PlayoutPacket, _ payload: UnsafePointer<UInt8>, _ count: Int, decoded: Int
    ) -> Insertion {
        guard count > 0, count <= Self.slotBytes, packet.duration > 0 else { return .offTimeline }
        guard isAnchored, packet.epoch == epoch else {
            return anchor(packet, payload, count, decoded: decoded)
        }
        let start = lastExtended + Int(Int32(bitPattern: packet.timestamp &- lastTimestamp)) * unit
        // After a second of nothing there is nothing to go on from.
        if position - soundEnd > 48_000, let lastSequence, isEmpty {
            if packet.sequenceNumber == lastSequence &+ 1 { forgiveConcealed() }
            return anchor(packet, payload, count, decoded: decoded)
        }
        let slack = slack(of: start, age: packet.age, decoded: decoded)
        let fastest = min(max(window.maximum ?? 0, learntSpread), maximumDelay)
        // Behind what can be waited for, or further ahead than the network could have become faster.
        let isTooLate = start < position && !canRewind(to: start, fastest: fastest)
        if isTooLate && position - start < 48_000 {
            if wasPlayed(packet.sequenceNumber) {
                self.count(duplicates: 1)
                return .duplicate
            }
            noteLate(slack)
        }
        if isTooLate || slack > fastest + 12_000 {
            return insertOffTimeline(packet, payload, count, isLate: isTooLate, decoded: decoded)
        }
        for index in 0..<Self.slotCount where slots[index].isUsed && slots[index].start == start {
            self.count(duplicates: 1)
            return .duplicate
        }
        offTimelineCount = 0
        guard let slot = freeSlot() else { return anchor(packet, payload, count, decoded: decoded) }
        if start < position {
            // The next sound, late: what was made up meanwhile has lengthened the delay.
            let change = position - start
            position = start
            window.shift(by: change / turn * turn)
        }
        window.add(self.slack(of: start, age: packet.age, decoded: decoded))
        fill(slot, packet, payload, count, start: start)
        return .queued
    }

    /// How long before its turn a packet comes that begins at `start`, in whole turns and its age.
    @_noLocks @_noAllocation
    func slack(of start: Int, age: Int, decoded: Int) -> Int {
        let ahead = start - (position - decoded)
        let turns = ahead >= 0 ? ahead / turn : -((-ahead + turn - 1) / turn)
        return turns * turn + min(max(age, 0), 48_000)
    }

    /// Whether playing can go on at `start`, which is before `position`: only over sound that was made up, and only as
    /// far as the longest delay allows.
    @_noLocks @_noAllocation
    private func canRewind(to start: Int, fastest: Int) -> Bool {
        start >= soundEnd && max(fastest, 0) + (position - start) <= maximumDelay
    }

    @_noLocks @_noAllocation
    private func wasPlayed(_ sequenceNumber: UInt16) -> Bool {
        guard let lastSequence else { return false }
        let distance = lastSequence &- sequenceNumber
        return distance < 64 && playedBefore & (1 << UInt64(distance)) != 0
    }

    /// A packet came after its follower was played. One may be chance; where another follows within four seconds, the
    /// network mixes packets up, and the delay must grow to allow for it.
    @_noLocks @_noAllocation
    private mutating func noteLate(_ slack: Int) {
        let isAgain = if let lateAt { clock - lateAt < 192_000 && clock != lateAt } else { false }
        lateAt = clock
        let fastest = max(window.maximum ?? 0, 0)
        if isAgain && slack < 0 && fastest - slack <= maximumDelay { window.add(slack) }
    }

    @_noLocks @_noAllocation
    private mutating func insertOffTimeline(
        _ packet: PlayoutPacket, _ payload: UnsafePointer<UInt8>, _ count: Int, isLate: Bool, decoded: Int
    ) -> Insertion {
        if offTimelineCount == 0 { offTimelineSince = clock }
        offTimelineCount += 1
        // A burst after a stall is late all at once; a timeline that has moved stays so.
        if offTimelineCount >= 4 && clock - offTimelineSince >= 1_920 {
            return anchor(packet, payload, count, decoded: decoded)
        }
        if isLate { self.count(late: 1) }
        return isLate ? .late : .offTimeline
    }

    /// Begins the timeline with this packet: it is played as soon as the spread of delays allows.
    @_noLocks @_noAllocation
    private mutating func anchor(
        _ packet: PlayoutPacket, _ payload: UnsafePointer<UInt8>, _ count: Int, decoded: Int
    ) -> Insertion {
        removeAll()
        learnSpread()
        window.clear()
        (isAnchored, epoch) = (true, packet.epoch)
        (offTimelineCount, concealedInGap, stretching) = (0, 0, 0)
        lastSequence = nil
        playedBefore = 0
        lastEndsTalk = false
        lastChange = clock
        let start = 1 << 40  // far from 0, so that nothing before it is negative
        let wanted = max(learntSpread + 96, minimumSlack) - min(max(packet.age, 0), turn)
        let head = max((wanted + turn - 1) / turn * turn, 0)
        position = min(start, start - head + decoded)
        soundEnd = position
        window.add(slack(of: start, age: packet.age, decoded: decoded))
        fill(0, packet, payload, count, start: start)
        self.count(anchorings: 1)
        return .anchored
    }

    private var isEmpty: Bool {
        @_noLocks @_noAllocation get {
            for index in 0..<Self.slotCount where slots[index].isUsed { return false }
            return true
        }
    }

    @_noLocks @_noAllocation
    private func freeSlot() -> Int? {
        for index in 0..<Self.slotCount where !slots[index].isUsed { return index }
        return nil
    }

    @_noLocks @_noAllocation
    private mutating func fill(
        _ slot: Int, _ packet: PlayoutPacket, _ payload: UnsafePointer<UInt8>, _ count: Int, start: Int
    ) {
        (lastTimestamp, lastExtended) = (packet.timestamp, start)
        newestStart = start
        slots[slot].isUsed = true
        slots[slot].endsTalk = packet.endsTalk
        slots[slot].sequenceNumber = packet.sequenceNumber
        slots[slot].start = start
        slots[slot].duration = packet.duration
        slots[slot].count = count
        let bytes = payloads + slot * Self.slotBytes
        for index in 0..<count { bytes[index] = payload[index] }
    }
}
