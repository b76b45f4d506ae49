/// In which turns our packets are full: best in those in which the peer's, where they last as long as ours, are decoded.
///
/// The two halves of libopus share code and tables, which the processor's caches have forgotten a turn later: to fetch them
/// twice is a tenth of all that a call needs of it.
///
/// Where sending begins while the peer is heard, the first packet begins in the turn that suits. Where the peer is heard
/// later, a turn of the microphone is left out once, in the middle of a pause of the talk, as discontinuous transmission leaves out
/// many. Once, since a peer that does the same moves against us.
struct PacketPhase: BitwiseCopyable {
    /// Turns since a packet was decoded, and from the one before to that.
    private var sinceDecoded = PacketPhase.never
    private var interval = 0
    /// Packets in a row that were full in another turn than the peer's were decoded.
    private var apart = 0
    /// Turns to be left out, so that they are not.
    private var surplus = 0
    private var mayLeaveOut = false
    /// Turns in a row that were quiet.
    private var quiet = 0

    private static var never: Int {
        @_noLocks @_noAllocation get { 1_000 }
    }
    /// Packets, two seconds of 20 ms: what the network does in between is no reason.
    private static var patience: Int {
        @_noLocks @_noAllocation get { 100 }
    }
    /// Samples of quiet before what is left out, and the most of that: 100 ms and 10.
    private static var leastQuiet: Int {
        @_noLocks @_noAllocation get { 4_800 }
    }
    private static var mostLeftOut: Int {
        @_noLocks @_noAllocation get { 480 }
    }

    @_noLocks @_noAllocation
    init() {}

    /// A turn begins.
    @_noLocks @_noAllocation
    mutating func begin() { sinceDecoded = min(sinceDecoded + 1, Self.never) }

    /// A packet of the peer is decoded in this turn.
    @_noLocks @_noAllocation
    mutating func decoded() {
        guard sinceDecoded > 0 else { return }
        (interval, sinceDecoded) = (sinceDecoded, 0)
    }

    /// Sending begins in this turn. Returns how many turns of the first packet are to be taken as past.
    ///
    /// - Parameter turns: of one packet.
    @_noLocks @_noAllocation
    mutating func start(turns: Int) -> Int {
        (apart, surplus, quiet) = (0, 0, 0)
        let isKnown = isSteady(turns)
        mayLeaveOut = !isKnown
        return isKnown ? (sinceDecoded + turns - 1) % turns : 0
    }

    /// A turn ends in which a packet of ours, of so many turns, was full.
    @_noLocks @_noAllocation
    mutating func full(turns: Int) {
        guard isSteady(turns), sinceDecoded > 0 else {
            apart = 0
            return
        }
        apart = surplus == turns - sinceDecoded ? apart + 1 : 1
        surplus = turns - sinceDecoded
    }

    /// Whether a turn is to be left out as soon as one is quiet enough.
    @_noLocks @_noAllocation
    func isWaiting(turn: Int) -> Bool {
        mayLeaveOut && apart >= Self.patience && surplus * turn <= Self.mostLeftOut
    }

    /// Takes whether the turn that begins a packet, or one before it, is quiet. Returns whether it is to be left out.
    @_noLocks @_noAllocation
    mutating func leavesOut(isQuiet: Bool, beginsPacket: Bool, turn: Int) -> Bool {
        quiet = isQuiet ? quiet + 1 : 0
        guard beginsPacket, quiet * turn > Self.leastQuiet else { return false }
        surplus -= 1
        if surplus == 0 { mayLeaveOut = false }
        return true
    }

    /// The peer's packets come as often as ours.
    @_noLocks @_noAllocation
    private func isSteady(_ turns: Int) -> Bool { turns > 1 && interval == turns && sinceDecoded <= turns }
}
