/// Recognises keys in RFC 4733 events. An event is known by its timestamp: start and end may be missing, and packets
/// may come twice or out of order. Instants are nanoseconds of one clock.
public struct DigitReceiver: Sendable {
    public struct Digit: Hashable, Sendable {
        public var digit: Character
        public var milliseconds: Int

        public init(digit: Character, milliseconds: Int) {
            self.digit = digit
            self.milliseconds = milliseconds
        }
    }

    /// A key of which nothing has come for this long was let go.
    public static let patience: UInt64 = 150_000_000

    private struct Event: Sendable {
        var code: UInt8
        /// Of its present segment.
        var timestamp: UInt32
        var duration: UInt16
        /// Length of its full segments.
        var before: UInt64
        var heard: UInt64
        var isOver: Bool
    }

    private var clockRate: Int
    private var eventRate: Int
    private var current: Event?
    /// Timestamps go on as they like: what lies before the last key's is not for that from before it.
    private var hasNewClock = false

    /// Rates are those of `DigitSender`.
    public init(clockRate: Int, eventRate: Int? = nil) {
        self.clockRate = max(1, clockRate)
        self.eventRate = max(1, eventRate ?? clockRate)
    }

    /// The sender goes on in another clock, or begins anew. Its last key is still known by its timestamp: one that is down
    /// stays so, and what is repeated of one that is over is no second one.
    public mutating func changeClock(to clockRate: Int, eventRate: Int? = nil) {
        let former = UInt64(self.eventRate)
        (self.clockRate, self.eventRate) = (max(1, clockRate), max(1, eventRate ?? clockRate))
        guard let event = current else { return }
        let new = UInt64(self.eventRate)
        current?.duration = UInt16(clamping: UInt64(event.duration) * new / former)
        current?.before = event.before * new / former
        hasNewClock = true
    }

    /// When `expire` is to be called; nil while no key is down.
    public var deadline: UInt64? {
        guard let current, !current.isOver else { return nil }
        return current.heard &+ Self.patience
    }

    /// Takes an event packet. Returns the keys that it shows to have been let go, in order: at most two.
    public mutating func receive(_ event: TelephoneEvent, timestamp: UInt32, at now: UInt64) -> [Digit] {
        var ended: [Digit] = []
        guard TelephoneEvent.digit(for: event.code) != nil else { return ended }
        if var known = current {
            let step = timestampDistance(from: known.timestamp, to: timestamp)
            if step == 0 {
                guard !known.isOver, event.code == known.code else { return ended }
                known.duration = max(known.duration, event.duration)
                known.heard = now
                return update(known, end: event.end)
            }
            // A little in the past: a packet of an event that is done. Much: the sender's clock has jumped.
            if step < 0, step > -5 * clockRate, !hasNewClock { return ended }
            // The next segment (RFC 4733 §2.5.1.3), whether or not the last packet of this one has come.
            if !known.isOver, event.code == known.code, step == 0xFFFF * max(1, clockRate / eventRate) {
                known.before += 0xFFFF
                (known.timestamp, known.duration, known.heard) = (timestamp, event.duration, now)
                return update(known, end: event.end)
            }
            if let digit = finish() { ended.append(digit) }
        }
        hasNewClock = false
        let new = Event(
            code: event.code, timestamp: timestamp, duration: event.duration, before: 0, heard: now, isOver: false)
        return ended + update(new, end: event.end)
    }

    /// Takes the passage of time: the key that was let go without an end packet.
    public mutating func expire(at now: UInt64) -> Digit? {
        guard let deadline, deadline <= now else { return nil }
        return finish()
    }

    private mutating func update(_ event: Event, end: Bool) -> [Digit] {
        current = event
        guard end, let digit = finish() else { return [] }
        return [digit]
    }

    private mutating func finish() -> Digit? {
        guard let event = current, !event.isOver, let digit = TelephoneEvent.digit(for: event.code) else { return nil }
        current?.isOver = true
        let units = event.before + UInt64(event.duration)
        return Digit(digit: digit, milliseconds: Int(units * 1_000 / UInt64(eventRate)))
    }
}
