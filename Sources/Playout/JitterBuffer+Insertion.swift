extension JitterBuffer {
    /// A beginning that comes later than its fastest packets by so much is not played from its first word.
    private static var mostReplayed: Int {
        @_noLocks @_noAllocation get { 4_800 }
    }

    @_noLocks @_noAllocation
    public mutating func insert(
        _ packet: PlayoutPacket, _ payload: UnsafePointer<UInt8>, _ count: Int, decoded: Int
    ) -> Insertion {
        guard count > 0, count <= Self.slotBytes, packet.duration > 0 else {
            self.count(strays: 1)
            return .offTimeline
        }
        guard isAnchored, packet.epoch == epoch else {
            return anchor(packet, payload, count, decoded: decoded)
        }
        var start = lastExtended + Int(Int32(bitPattern: packet.timestamp &- lastTimestamp)) * unit
        // After a second of nothing there is nothing to go on from.
        if position - soundEnd > 48_000, let lastSequence, waiting.isEmpty {
            if packet.sequenceNumber == lastSequence &+ 1 { forgiveConcealed() }
            countOutage(from: lastSequence, to: packet.sequenceNumber)
            return anchor(packet, payload, count, decoded: decoded)
        }
        let arrival = clock - min(max(packet.age, 0), 48_000)
        switch course(of: packet, start: start, arrival: arrival) {
        case .steady: break
        case .jumped(let place):
            // Nothing is missing: what waits is played, and the decoder goes on.
            self.count(anchorings: 1)
            senderClock.restart()
            noteJump(of: packet)
            start = place
        case .former(let place):
            // What has come since the jump may be nobody's: no measure of the sender's clock.
            senderClock.restart()
            start = place
        case .begunAnew:
            if packet.sequenceNumber == (lastSequence ?? packet.sequenceNumber) &+ 1 { forgiveConcealed() }
            return anchor(packet, payload, count, decoded: decoded)
        }
        let transit = arrival - start
        let isLate = isTooLate(start, packet.duration, transit)
        if isLate && position - start < 48_000 {
            if wasPlayed(packet.sequenceNumber) {
                self.count(duplicates: 1)
                return .duplicate
            }
            noteOutOfOrder(packet, transit)
            if start >= realEnd { learnFate(isLost: false) }
        }
        if isLate || isTooEarly(packet, start: start, transit: transit) {
            return insertOffTimeline(packet, payload, count, isLate: isLate, decoded: decoded)
        }
        guard !isWaiting(start) else {
            self.count(duplicates: 1)
            return .duplicate
        }
        offTimelineCount = 0
        guard let slot = waiting.firstFree(isShort: count <= Self.shortSlotBytes) else {
            return anchor(packet, payload, count, decoded: decoded)
        }
        learn(packet, start: start, transit: transit)
        fill(slot, packet, payload, count, start: start)
        goBack(to: start, for: packet, decoded: decoded)
        if lastSequence == nil { leaveBehind(before: start, age: packet.age, decoded: decoded) }
        // What came as a copy would have waited longer.
        if !packet.isRecovered { noteWait(of: start, age: packet.age, decoded: decoded) }
        return .queued
    }

    /// Where the timeline begins anew after a second of nothing, what should have come in between, by the numbers, was
    /// lost. Where it goes on, since a packet waits, that is counted when it is played.
    @_noLocks @_noAllocation
    private mutating func countOutage(from last: UInt16, to sequenceNumber: UInt16) {
        let missing = Int(sequenceNumber &- last &- 1)
        // More is another sequence, or an old packet.
        if missing < 3_000 { self.count(lost: missing) }
    }

    /// Whether the packet is of no use: it is behind where the decoder has come, or later than can be waited for.
    @_noLocks @_noAllocation
    private func isTooLate(_ start: Int, _ duration: Int, _ transit: Int) -> Bool {
        if start < soundEnd { return true }
        guard start + duration <= position, let least = arrivals.least else { return false }
        return transit > least + maximumDelay || position - start > 5_760 + maximumDelay
    }

    /// Tells the estimator how long the packet took.
    @_noLocks @_noAllocation
    private mutating func learn(_ packet: PlayoutPacket, start: Int, transit: Int) {
        guard !packet.isRecovered else {
            arrivals.addRecovered(transit: transit)
            // Its number is no gap any more.
            if packet.sequenceNumber == (newestSequence ?? packet.sequenceNumber) &+ 1 {
                setNewest(packet, start: start)
            }
            return
        }
        senderClock.add(transit: transit)
        guard let step = step(of: packet) else {
            arrivals.add(transit: transit, duration: packet.duration)
            setNewest(packet, start: start)
            return
        }
        guard step > 0 else { return noteOutOfOrder(packet, transit) }
        // What it repeats has come with it.
        if step > 1 && packet.hasRedundancy { arrivals.addRecovered(transit: transit + packet.duration) }
        arrivals.add(transit: transit, duration: packet.duration)
        setNewest(packet, start: start)
    }

    @_noLocks @_noAllocation
    private mutating func setNewest(_ packet: PlayoutPacket, start: Int) {
        newestSequence = packet.sequenceNumber
        newestEnd = start + packet.duration
    }

    @_noLocks @_noAllocation
    private mutating func noteOutOfOrder(_ packet: PlayoutPacket, _ transit: Int) {
        let isBehind = step(of: packet).map { $0 < 0 } ?? false
        guard packet.isRecovered || isBehind else { return }
        if !packet.isRecovered { count(reordered: 1) }
        arrivals.addRecovered(transit: transit)
    }

    /// Where sound was bridged for this packet, or for the one that it repeats, and the delay is to be longer, playing goes
    /// on there: what was bridged has lengthened it.
    @_noLocks @_noAllocation
    private mutating func goBack(to start: Int, for packet: PlayoutPacket, decoded: Int) {
        let isNext = packet.sequenceNumber == (lastSequence ?? packet.sequenceNumber &- 1) &+ 1
        let place = max(packet.hasRedundancy && !isNext ? start - packet.duration : start, soundEnd)
        guard place < position, let wanted = wantedTransit() else { return }
        let back = position - place
        // A delay that is not too long (see `surplus`) must be taken: else all that comes after would be too late as well.
        if allowedTransit(decoded: decoded) + back < wanted + grid + Self.margin { position = place }
    }

    @_noLocks @_noAllocation
    private func wasPlayed(_ sequenceNumber: UInt16) -> Bool {
        guard let lastSequence else { return false }
        let distance = lastSequence &- sequenceNumber
        return distance < 64 && playedBefore & (1 << UInt64(distance)) != 0
    }

    @_noLocks @_noAllocation
    private mutating func insertOffTimeline(
        _ packet: PlayoutPacket, _ payload: UnsafePointer<UInt8>, _ count: Int, isLate: Bool, decoded: Int
    ) -> Insertion {
        if offTimelineCount == 0 { offTimelineSince = clock }
        offTimelineCount += 1
        // A burst after a stall is late all at once; a timeline that has moved stays so.
        if offTimelineCount >= 3 && clock - offTimelineSince >= 4_800 {
            return anchor(packet, payload, count, decoded: decoded)
        }
        self.count(late: isLate ? 1 : 0, strays: isLate ? 0 : 1)
        return isLate ? .late : .offTimeline
    }

    /// Begins the timeline with this packet: it is played as soon as the spread of delays allows.
    @_noLocks @_noAllocation
    private mutating func anchor(
        _ packet: PlayoutPacket, _ payload: UnsafePointer<UInt8>, _ count: Int, decoded: Int
    ) -> Insertion {
        self.count(flushed: waiting.count)
        waiting = SlotSet()
        arrivals.restart()
        if packet.epoch == epoch { senderClock.restart() } else { senderClock.forget() }
        pace = 1
        (isAnchored, epoch) = (true, packet.epoch)
        offTimelineCount = 0
        former = nil
        endGap()
        lastSequence = nil
        playedBefore = 0
        lastEndsTalk = false
        lastChange = clock
        setDuration(packet.duration)
        let start = 1 << 40  // far from 0, so that nothing before it is negative
        let age = min(max(packet.age, 0), turn)
        begin(before: start, age: age, decoded: decoded)
        arrivals.add(transit: clock - age - start, duration: packet.duration)
        senderClock.add(transit: clock - age - start)
        setNewest(packet, start: start)
        fill(0, packet, payload, count, start: start)
        self.count(anchorings: 1)
        noteWait(of: start, age: age, decoded: decoded)
        return .anchored
    }

    /// Goes to where the packet at `start` is played as soon as the spread of delays allows.
    @_noLocks @_noAllocation
    private mutating func begin(before start: Int, age: Int, decoded: Int) {
        let unluckiest = isPaced ? turn - 1 + Self.lookahead : turn - grid
        let wanted = min(max(arrivals.spread ?? 240, minimumDelay), maximumDelay) + 96 + unluckiest - age
        let head = max((wanted + turn - 1) / turn * turn, 0)
        position = min(start, start - head + decoded)
        (soundEnd, realEnd) = (position, position)
    }

    /// What the network held back and brings all at once is no beginning: as long as nothing of a timeline has been heard,
    /// what is older than can be caught up with unheard is left behind.
    @_noLocks @_noAllocation
    private mutating func leaveBehind(before start: Int, age: Int, decoded: Int) {
        guard surplus(decoded: decoded) >= Self.mostReplayed else { return }
        var rest = waiting
        while let slot = rest.popFirst() {
            guard slots[slot].start < start else { continue }
            waiting.remove(slot)
            count(late: 1)
        }
        begin(before: start, age: min(max(age, 0), turn), decoded: decoded)
    }

    /// Whether a packet that begins at `start` has come and is to be played.
    @_noLocks @_noAllocation
    private func isWaiting(_ start: Int) -> Bool {
        var rest = waiting
        while let slot = rest.popFirst() {
            if slots[slot].start == start { return true }
        }
        return false
    }

    @_noLocks @_noAllocation
    private mutating func fill(
        _ slot: Int, _ packet: PlayoutPacket, _ payload: UnsafePointer<UInt8>, _ count: Int, start: Int
    ) {
        (lastTimestamp, lastExtended) = (packet.timestamp, start)
        newestStart = start
        setDuration(packet.duration)
        waiting.insert(slot)
        slots[slot].endsTalk = packet.endsTalk
        slots[slot].hasRedundancy = packet.hasRedundancy
        slots[slot].sequenceNumber = packet.sequenceNumber
        slots[slot].start = start
        slots[slot].duration = packet.duration
        slots[slot].count = count
        let bytes = place(of: slot)
        for index in 0..<count { bytes[index] = payload[index] }
    }
}
