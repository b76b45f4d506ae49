internal import RTP

/// Closes the gaps that keypad events and comfort noise leave in the sequence numbers of sound: for the jitter buffer, a
/// packet that carried something else is not a packet that was lost.
struct EventGaps {
    /// Events remembered one by one, for packets that they overtook; and packets that may have overtaken one.
    private static let memory = 64
    /// Packets after which one of them is forgotten: nothing is overtaken by more, and half a round of numbers later it would
    /// look as if it were to come.
    private static let longest = 1_000
    private var total: UInt16 = 0
    private var recent: [SequenceNumber] = []
    /// Of the packets of sound; nil before the first.
    private var newest: SequenceNumber?

    /// Counts a packet that carried no sound. Sound that has overtaken it has its number, with the gap, and what
    /// follows goes on from there: were the event still counted, numbers would be given twice.
    mutating func count(_ number: SequenceNumber) {
        if let newest, 1...Self.memory ~= number.distance(to: newest) { return }
        guard !recent.contains(number) else { return }
        if recent.count == Self.memory { recent.removeFirst() }
        recent.append(number)
        total &+= 1
    }

    /// What the number of a packet of sound would be, had no event been sent.
    mutating func number(withoutEvents number: SequenceNumber) -> UInt16 {
        if newest.map({ number.isNewer(than: $0) }) ?? true {
            newest = number
            recent.removeAll { $0.distance(to: number) > Self.longest }
        }
        let later = recent.count { $0.isNewer(than: number) }
        return number.rawValue &- total &+ UInt16(later)
    }
}
