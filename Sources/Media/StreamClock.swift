internal import RTP

/// The RTP clock of the stream we send: it runs on with time, whatever the loop behind it does.
struct StreamClock {
    private(set) var rate: Int
    /// What to add to the loop's timestamps; nil until its first packet.
    private var offset: UInt32?
    /// The last timestamp known to belong to an instant.
    private var reference: (timestamp: UInt32, at: UInt64)
    /// When the loop last told of a packet's time, or we took one ourselves.
    private(set) var lastPacket: UInt64
    /// How long without a packet of the loop before we keep its time ourselves, in nanoseconds.
    private(set) var patience: UInt64 = Self.longPatience

    static let longPatience: UInt64 = 150_000_000
    static let ownPacket: UInt64 = 20_000_000

    init(rate: Int, timestamp: UInt32, at now: UInt64) {
        self.rate = rate
        reference = (timestamp, now)
        lastPacket = now
    }

    /// The timestamp that belongs to `now`.
    func timestamp(at now: UInt64) -> UInt32 {
        let elapsed = now >= reference.at ? now - reference.at : 0
        let (seconds, rest) = elapsed.quotientAndRemainder(dividingBy: 1_000_000_000)
        return reference.timestamp &+ UInt32(truncatingIfNeeded: seconds &* UInt64(rate))
            &+ UInt32(truncatingIfNeeded: rest * UInt64(rate) / 1_000_000_000)
    }

    /// The timestamp on the wire of a packet that the loop counts as `timestamp`.
    mutating func take(_ timestamp: UInt32, at now: UInt64) -> UInt32 {
        let expected = self.timestamp(at: now)
        var offset = self.offset ?? expected &- timestamp
        // A second away from time, the loop counts from somewhere else: what is on the wire stays with time.
        if abs(timestampDistance(from: expected, to: timestamp &+ offset)) > rate { offset = expected &- timestamp }
        self.offset = offset
        reference = (timestamp &+ offset, now)
        lastPacket = now
        patience = Self.longPatience
        return timestamp &+ offset
    }

    /// A packet's time of our own, where no loop gives one.
    mutating func takeOwn(at now: UInt64) -> UInt32 {
        let timestamp = self.timestamp(at: now)
        reference = (timestamp, now)
        lastPacket = now
        patience = Self.ownPacket
        return timestamp
    }

    /// The loop counts anew from its next packet on.
    mutating func unanchor() { offset = nil }

    mutating func changeRate(to rate: Int, at now: UInt64) {
        offset = nil
        guard rate != self.rate else { return }
        // One packet ahead, so that timestamps never go back.
        reference = (timestamp(at: now) &+ UInt32(self.rate / 50), now)
        self.rate = rate
    }
}
