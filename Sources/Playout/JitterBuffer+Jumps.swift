/// What a packet's timestamp says beside its number.
enum StreamCourse: BitwiseCopyable {
    /// They agree, or the difference is a pause of the sender, or the network's.
    case steady
    /// The timestamps go on elsewhere: the packet's sound begins here.
    case jumped(to: Int)
    /// The packet was sent before they jumped: its sound begins here.
    case former(at: Int)
    /// They do, after a pause: nothing is left to go on from.
    case begunAnew
}

/// Where timestamps stood on the timeline before they jumped.
struct FormerCourse: BitwiseCopyable {
    var timestamp: UInt32
    var extended: Int
    /// The number of the packet that jumped.
    var end: UInt16
}

/// Timestamps that jump while the numbers go on say that nothing is missing. Gateways, mixers and PBXs do so when they put
/// another call's sound through. A pause (RFC 7587 §3.1.3, or a gateway's silence suppression) keeps the numbers in order as
/// well, and lets the timestamps go ahead; but what comes after it comes at its time. What comes long before, at the time
/// when the next packet was due, has jumped.
///
/// A jump may be one packet's, broken or forged; and a packet that was overtaken at one has the timestamps of before. So the
/// course before a jump is remembered: a packet of a number before it that fits there is taken from there.
extension JitterBuffer {
    /// A network that becomes faster by so much does not do so just while the sender pauses: 60 ms. Were it so all the same, no
    /// more would happen than that the pause is shorter by what it has become faster.
    private static var leastJump: Int {
        @_noLocks @_noAllocation get { 2_880 }
    }
    /// What is said after a pause is waited for no longer than this beyond its time: 150 ms.
    private static var longestWait: Int {
        @_noLocks @_noAllocation get { 7_200 }
    }
    /// Further ahead than a network could have become faster within a talk: 250 ms.
    private static var mostGained: Int {
        @_noLocks @_noAllocation get { 12_000 }
    }
    /// Packets that may have been lost just where the timestamps jumped. More of them say too little of what was between.
    private static var mostMissing: Int {
        @_noLocks @_noAllocation get { 8 }
    }
    /// A packet that follows on what was before may be later by so much than most are: one of 20 ms.
    private static var leniency: Int {
        @_noLocks @_noAllocation get { 960 }
    }

    /// - Parameters:
    ///   - start: where its sound begins by its timestamp.
    ///   - arrival: when it came, by our clock.
    @_noLocks @_noAllocation
    func course(of packet: PlayoutPacket, start: Int, arrival: Int) -> StreamCourse {
        guard let step = step(of: packet), step <= Self.mostMissing + 1 else { return .steady }
        guard step > 0 else { return formerCourse(of: packet, step: step, start: start) }
        guard let least = arrivals.least, let wanted = wantedTransit() else { return .steady }
        let next = place(afterNewest: step)
        let early = least - (arrival - start)
        // Sound that begins before that of the packet before it has ended never does so by the network.
        let isBack = start < newestEnd
        guard isBack || (start > next && early > Self.leastJump) else { return .steady }
        if arrival - next <= wanted + Self.leniency { return .jumped(to: next) }
        guard isBack || early > Self.longestWait else { return .steady }
        return waiting.isEmpty ? .begunAnew : .jumped(to: arrival - wanted)
    }

    @_noLocks @_noAllocation
    private func formerCourse(of packet: PlayoutPacket, step: Int, start: Int) -> StreamCourse {
        guard let former, former.end &- packet.sequenceNumber < 64 else { return .steady }
        let before = former.extended + Int(Int32(bitPattern: packet.timestamp &- former.timestamp)) * unit
        let due = place(afterNewest: step)
        return (before - due).magnitude < (start - due).magnitude ? .former(at: before) : .steady
    }

    /// The timestamps jump with this packet.
    @_noLocks @_noAllocation
    mutating func noteJump(of packet: PlayoutPacket) {
        former = FormerCourse(timestamp: lastTimestamp, extended: lastExtended, end: packet.sequenceNumber)
    }

    /// How many numbers the packet comes after the newest, negative before it; nil where there is none.
    @_noLocks @_noAllocation
    func step(of packet: PlayoutPacket) -> Int? {
        guard let newestSequence else { return nil }
        return Int(Int16(bitPattern: packet.sequenceNumber &- newestSequence))
    }

    /// Where the sound of the packet of so many numbers after the newest begins, if all between are as long as that.
    @_noLocks @_noAllocation
    private func place(afterNewest step: Int) -> Int { newestEnd + (step - 1) * newestDuration }

    /// Whether the packet is further ahead than the network could have become faster.
    @_noLocks @_noAllocation
    func isTooEarly(_ packet: PlayoutPacket, start: Int, transit: Int) -> Bool {
        let least = arrivals.least ?? (wantedTransit() ?? transit) - maximumDelay
        guard let step = step(of: packet) else { return transit < least - Self.mostGained }
        if step > 0 {
            let isExplained = start <= place(afterNewest: step)
            return transit < least - (isExplained ? Self.mostGained : Self.longestWait)
        }
        // One of before a jump back, which comes after it.
        if step < 0 && step > -64 && start >= newestEnd { return true }
        return transit < least - (start < newestEnd ? Self.mostGained : Self.longestWait)
    }
}
