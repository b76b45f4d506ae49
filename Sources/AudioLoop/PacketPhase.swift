/// In which turns our packets are full: best in those in which the peer's, where they last as long as ours, are decoded.
///
/// The two halves of libopus share code and tables, which the processor's caches have forgotten a turn later: to fetch them
/// twice is a tenth of all that a call needs of it.
///
/// Where sending begins while the peer is heard, the first packet begins in the turn that suits. Where the peer is heard
/// later it stays as it came: to move would leave sound out, and of two ends that do so on a short way only one can gain, as a
/// packet and its answer are one turn apart.
struct PacketPhase: BitwiseCopyable {
    /// Turns since a packet was decoded, and from the one before to that.
    private var sinceDecoded = PacketPhase.never
    private var interval = 0

    private static var never: Int {
        @_noLocks @_noAllocation get { 1_000 }
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
    func start(turns: Int) -> Int { isSteady(turns) ? (sinceDecoded + turns - 1) % turns : 0 }

    /// The peer's packets come as often as ours.
    @_noLocks @_noAllocation
    private func isSteady(_ turns: Int) -> Bool { turns > 1 && interval == turns && sinceDecoded <= turns }
}
