extension JitterBuffer {
    /// Samples that whoever plays at another pace looks ahead.
    public static var lookahead: Int {
        @_noLocks @_noAllocation get { 17 }
    }
    /// What is to be left beyond what is needed: drift is never known to the last sample.
    private static var reserve: Int {
        @_noLocks @_noAllocation get { 96 }
    }
    /// A delay that is too long becomes right within about so long: 15 s.
    private static var patience: Double {
        @_noLocks @_noAllocation get { 720_000 }
    }
    /// One that is too short does sooner: 5 s.
    private static var haste: Double {
        @_noLocks @_noAllocation get { 240_000 }
    }
    /// Beside the drift itself at most so much: half a cent, which nobody hears.
    private static var mostCorrected: Double {
        @_noLocks @_noAllocation get { 0.0003 }
    }
    /// A cent and a half in all.
    private static var most: Double {
        @_noLocks @_noAllocation get { 0.001 }
    }
    /// From one turn of 10 ms to the next the pace changes by at most so much.
    private static var mostChanged: Double {
        @_noLocks @_noAllocation get { 1e-5 }
    }
    /// What little of a turn each packet waits in vain is left out sample by sample, down to this.
    private static var leastPhase: Int {
        @_noLocks @_noAllocation get { 2 * lookahead }
    }

    /// Whether the sender's clock is known to differ from ours. Then packets and turns have no common measure, and each packet
    /// waits as long as the unluckiest has to: so the delay stays the same.
    var isPaced: Bool {
        @_noLocks @_noAllocation get { senderClock.isKnown }
    }

    /// What the delay is longer than needed, for packets that come at any time of a turn.
    @_noLocks @_noAllocation
    func pacedSurplus(decoded: Int) -> Int {
        guard let wanted = wantedTransit() else { return 0 }
        return clock + decoded - position - (turn - 1) - Self.lookahead - Self.reserve - wanted
    }

    @_noLocks @_noAllocation
    public mutating func nextPace(decoded: Int) -> Double {
        let wanted = wantedPace(decoded: decoded)
        let most = Self.mostChanged * Double(turn) / 480
        pace += min(max(wanted - pace, -most), most)
        return pace
    }

    @_noLocks @_noAllocation
    private func wantedPace(decoded: Int) -> Double {
        guard isAnchored, lastSequence != nil else { return 1 + senderClock.partsPerMillion / 1e6 }
        // While nothing comes there is nothing to go by.
        guard position == soundEnd, arrivals.window.blocks >= 2 else { return pace }
        guard isPaced else {
            let isIdle = surplus(decoded: decoded) == 0 && phase(decoded: decoded) > Self.leastPhase
            return isIdle && arrivals.window.blocks >= 4 ? 1 + Self.mostCorrected : 1
        }
        let drift = senderClock.drift
        let surplus = Double(pacedSurplus(decoded: decoded))
        let correction = surplus / (surplus < 0 ? Self.haste : Self.patience)
        // Packets that come ever earlier against our turns need an ever longer delay, until they come with the turn before:
        // to be there first, sound is played the slower the faster it comes.
        let least = -Self.mostCorrected - max(drift, 0)
        return 1 + min(max(drift + min(max(correction, least), Self.mostCorrected), -Self.most), Self.most)
    }
}
