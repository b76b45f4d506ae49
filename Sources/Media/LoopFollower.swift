/// Says when the network thread is to go where the audio loop is.
///
/// What the loop hands over it has in its caches, and to wake another processor for it takes longer than to send it. The loop
/// comes first there, but needs the processor for a small part of its time only. It is free to move: it is followed after
/// a second. There is one for all streams, as all are on one thread: where sound comes from two places it stays where it is.
struct LoopFollower {
    private var processor: Int32 = -1
    private var candidate: Int32 = -1
    private var seen = 0
    /// Packets in a row that the loop made in one place.
    static let patience = 50

    /// Takes where the loop has made a packet, negative for unknown. Returns the processor to go to; nil: stay.
    mutating func take(_ current: Int32) -> Int32? {
        guard current >= 0, current != processor else {
            seen = 0
            return nil
        }
        seen = current == candidate ? seen + 1 : 1
        candidate = current
        guard seen >= Self.patience else { return nil }
        processor = current
        seen = 0
        return current
    }
}
