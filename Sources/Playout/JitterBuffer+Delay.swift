extension JitterBuffer {
    /// Delay beyond what is needed is given up only where it is more than the clocks may slip meanwhile.
    static var margin: Int {
        @_noLocks @_noAllocation get { 96 }
    }
    /// Clocks that drift apart are followed before the first packet comes too late for it.
    private static var headroom: Int {
        @_noLocks @_noAllocation get { 48 }
    }
    /// A delay is shortened when it has been too long for so long: what goes up and down with the network is left alone.
    private static var patience: Int {
        @_noLocks @_noAllocation get { 96_000 }
    }
    /// Until then it waits for a pause, in which nobody hears it: 10 s. One cut within a word spoils more than a delay does, and many
    /// small ones more than a large one.
    private static var pausePatience: Int {
        @_noLocks @_noAllocation get { 480_000 }
    }
    /// Less is left to the pace.
    private static var leastShortened: Int {
        @_noLocks @_noAllocation get { 240 }
    }
    /// A delay too long by so much is shortened in the first pause, and where none comes, sooner and faster.
    private static var urgency: Int {
        @_noLocks @_noAllocation get { 3_840 }
    }
    /// It waits for a pause for so long: 5 s.
    private static var forbearance: Int {
        @_noLocks @_noAllocation get { 240_000 }
    }

    /// The transit that a packet may have now and still come in time. Turns begin on a grid against packets; where turns
    /// and packets have no common length, this is what the unluckiest packet may have.
    @_noLocks @_noAllocation
    func allowedTransit(decoded: Int) -> Int { clock + decoded - position - phase(decoded: decoded) - (turn - grid) }

    /// How much longer than it need be a packet waits that comes just before its turn.
    @_noLocks @_noAllocation
    func phase(decoded: Int) -> Int {
        let ahead = (newestStart - position + decoded) % grid
        return ahead >= 0 ? ahead : ahead + grid
    }

    /// The transit that is to be allowed for, within the limits.
    @_noLocks @_noAllocation
    func wantedTransit() -> Int? {
        guard let target = arrivals.target, let least = arrivals.least else { return nil }
        return min(max(target, least + minimumDelay), least + maximumDelay)
    }

    /// What the delay is longer than needed, in whole steps of the grid; negative where it is too short.
    @_noLocks @_noAllocation
    func surplus(decoded: Int) -> Int {
        guard let wanted = wantedTransit() else { return 0 }
        let spare = allowedTransit(decoded: decoded) - wanted
        // Rounded up: a delay too short by a sample is too short.
        if spare < Self.headroom { return -((Self.headroom - spare + grid - 1) / grid) * grid }
        return max(spare - Self.margin, 0) / grid * grid
    }

    @_noLocks @_noAllocation
    public mutating func scaling(decoded: Int) -> PlayoutScaling {
        guard isAnchored, lastSequence != nil, !lastEndsTalk, position == soundEnd, clock - lastMadeUp >= 960 else {
            return .none
        }
        let surplus = surplus(decoded: decoded)
        let phase = phase(decoded: decoded)
        if surplus < 0 {
            lastNeeded = clock
            return clock - lastChange >= 2_880 ? .lengthen(by: -surplus - phase) : .none
        }
        // What the pace takes care of is no more than needed.
        let excess = isPaced ? pacedSurplus(decoded: decoded) : surplus + phase
        let isUrgent = excess >= Self.urgency
        if excess < Self.leastShortened { lastNeeded = clock }
        guard excess >= Self.leastShortened, arrivals.window.blocks >= 2 else { return .none }
        return shortening(by: excess, isUrgent: isUrgent)
    }

    @_noLocks @_noAllocation
    private func shortening(by excess: Int, isUrgent: Bool) -> PlayoutScaling {
        let (time, since) = (clock - lastNeeded, clock - lastChange)
        if isUrgent && time >= Self.forbearance && since >= 1_440 { return .shorten(by: excess, .urgent) }
        if time >= Self.pausePatience && since >= 4_800 { return .shorten(by: excess, .unheard) }
        return (isUrgent || time >= Self.patience) && since >= 960 ? .shorten(by: excess, .inPauses) : .none
    }

    /// Whether the packet in `slot`, of which `skipped` samples were not for playing, may be moved up by less than a period: where
    /// it was late and its time bridged, so that the delay has grown. Where one before it was lost, the delay is to stay.
    @_noLocks @_noAllocation
    public func mayMove(_ slot: Int, skipped: Int) -> Bool {
        guard skipped == 0, concealedInGap > 0, let lastSequence else { return false }
        return slots[slot].sequenceNumber == lastSequence &+ 1
    }
}
