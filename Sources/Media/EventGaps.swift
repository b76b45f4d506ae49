internal import RTP

/// Closes the gaps that keypad events and comfort noise leave in the sequence numbers of sound: for the jitter buffer, a
/// packet that carried something else is not a packet that was lost.
struct EventGaps {
    /// Events remembered one by one, for packets that they overtook.
    private static let memory = 64
    private var total: UInt16 = 0
    private var recent: [SequenceNumber] = []

    /// Counts a packet that carried no sound.
    mutating func count(_ number: SequenceNumber) {
        guard !recent.contains(number) else { return }
        if recent.count == Self.memory { recent.removeFirst() }
        recent.append(number)
        total &+= 1
    }

    /// What the number would be, had no event been sent.
    func number(withoutEvents number: SequenceNumber) -> UInt16 {
        let later = recent.count { $0.isNewer(than: number) }
        return number.rawValue &- total &+ UInt16(later)
    }
}
