/// Sends keys as RFC 4733 events in place of sound: asked once for each packet's time, it says what goes out in it.
public struct DigitSender: Sendable {
    public enum Packet: Hashable, Sendable {
        /// No event: what the encoder made goes out.
        case sound
        /// An event goes out instead, under this timestamp and marker (RFC 4733 §2.5.1.2).
        case event(TelephoneEvent, timestamp: UInt32, marker: Bool)
    }

    /// How long a key is down and up, and how long a `,` waits, in milliseconds.
    public struct Timing: Hashable, Sendable {
        public var on = 100
        public var gap = 100
        public var pause = 2_000

        public init(on: Int = 100, gap: Int = 100, pause: Int = 2_000) {
            self.on = on
            self.gap = gap
            self.pause = pause
        }
    }

    private enum State: Hashable, Sendable {
        case idle
        /// `start` is the timestamp of the event's present segment, `before` the length of those that are full. Its own
        /// length counts from `origin`, which is `start` but where the clock has changed since.
        case down(code: UInt8, start: UInt32, origin: UInt32, before: UInt32, isFirst: Bool)
        /// The end packet has left, and is to leave again.
        case repeating(TelephoneEvent, start: UInt32, times: Int)
        case waiting(until: UInt32)
    }

    private let timing: Timing
    private var clockRate: UInt32
    /// Ticks of the sound's clock in one of the events'.
    private var ticks: UInt32
    private var queue: [Character] = []
    private var state = State.idle
    /// The last packet of a segment that is full, and how often it is to leave again.
    private var segmentEnd: (event: TelephoneEvent, start: UInt32, times: Int)?

    /// - Parameters:
    ///   - clockRate: the sound's, in Hz, in which timestamps are.
    ///   - eventRate: the events', in which their durations are; nil: the same, as it should be (RFC 4733 §2.1). Some peers
    ///     name 8 kHz beside Opus.
    public init(clockRate: Int, eventRate: Int? = nil, timing: Timing = Timing()) {
        self.clockRate = UInt32(clamping: clockRate)
        ticks = Self.ticks(clockRate, eventRate)
        self.timing = timing
    }

    private static func ticks(_ clockRate: Int, _ eventRate: Int?) -> UInt32 {
        UInt32(clamping: max(1, clockRate / max(1, eventRate ?? clockRate)))
    }

    /// The sound goes on in another clock, or the events do, at the instant that was `old` in the clock until now and
    /// is `new` in this one. A key that is down stays so for its time, under its timestamp, by which the other side
    /// knows it; its length is in the new unit.
    public mutating func changeClock(to clockRate: Int, eventRate: Int? = nil, from old: UInt32, at new: UInt32) {
        let former = (clockRate: self.clockRate, ticks: ticks)
        segmentEnd = nil
        self.clockRate = UInt32(clamping: clockRate)
        ticks = Self.ticks(clockRate, eventRate)
        func scaled(_ length: UInt32) -> UInt32 {
            UInt32(clamping: UInt64(length) * UInt64(self.clockRate) / UInt64(max(1, former.clockRate)))
        }
        switch state {
        case .idle: break
        case .down(let code, let start, let origin, let before, let isFirst):
            state = .down(
                code: code, start: start, origin: new &- scaled(old &- origin), before: scaled(before),
                isFirst: isFirst)
        case .repeating(var event, let start, let times):
            let length = scaled(UInt32(clamping: UInt64(event.duration) * UInt64(former.ticks)))
            event.duration = UInt16(clamping: max(1, length / ticks))
            state = .repeating(event, start: start, times: times)
        case .waiting(let until):
            state = .waiting(until: new &+ scaled(UInt32(clamping: timestampDistance(from: old, to: until))))
        }
    }

    /// Adds keys; characters that are neither keys nor `,` are left out.
    public mutating func enqueue(_ digits: String) {
        queue += digits.filter { $0 == "," || TelephoneEvent.code(for: $0) != nil }
    }

    /// Whether all that was enqueued has left, the last end packet included. The gap after the last key is not waited
    /// for.
    public var isFinished: Bool {
        guard queue.isEmpty else { return false }
        switch state {
        case .idle, .waiting: return true
        case .down, .repeating: return false
        }
    }

    /// Drops what is not yet begun. A key that is down is let go with the next packet, and its end is sent.
    public mutating func cancel() {
        queue = []
        if case .down(let code, let start, let origin, let before, let isFirst) = state {
            let enough = max(before, units(timing.on))
            state = isFirst ? .idle : .down(code: code, start: start, origin: origin, before: enough, isFirst: false)
        }
    }

    /// What goes out in the packet whose sound begins at `timestamp` and lasts `duration`, both in units of the clock.
    public mutating func next(timestamp: UInt32, duration: UInt32) -> Packet {
        if case .waiting(let until) = state, timestampDistance(from: until, to: timestamp) >= 0 { state = .idle }
        if state == .idle { begin(at: timestamp) }
        switch state {
        case .idle, .waiting:
            return .sound
        case .repeating(let event, let start, let times):
            state = times > 1 ? .repeating(event, start: start, times: times - 1) : gap(after: timestamp &+ duration)
            return .event(event, timestamp: start, marker: false)
        case .down(let code, let start, let origin, let before, let isFirst):
            if let end = segmentEnd {
                segmentEnd = end.times > 1 ? (end.event, end.start, end.times - 1) : nil
                return .event(end.event, timestamp: end.start, marker: false)
            }
            return hold(
                code, start: start, origin: origin, before: before, isFirst: isFirst,
                length: timestamp &- origin &+ max(1, duration))
        }
    }

    private mutating func begin(at timestamp: UInt32) {
        guard !queue.isEmpty else { return }
        let digit = queue.removeFirst()
        if let code = TelephoneEvent.code(for: digit) {
            state = .down(code: code, start: timestamp, origin: timestamp, before: 0, isFirst: true)
        } else {
            state = .waiting(until: timestamp &+ units(timing.pause))
        }
    }

    private mutating func hold(
        _ code: UInt8, start: UInt32, origin: UInt32, before: UInt32, isFirst: Bool, length: UInt32
    ) -> Packet {
        // Beyond 16 bits the event goes on as a new segment, that begins where this one ends (RFC 4733 §2.5.1.3).
        let longest = 0xFFFF &* ticks
        if length > longest {
            state = .down(
                code: code, start: start &+ longest, origin: origin &+ longest, before: before &+ longest,
                isFirst: false)
            // Three times in all, as the end of a key (RFC 4733 §2.5.1.4).
            let event = TelephoneEvent(code: code, end: false, duration: 0xFFFF)
            segmentEnd = (event, start, 2)
            return .event(event, timestamp: start, marker: isFirst)
        }
        let isOver = before &+ length >= units(timing.on)
        let event = TelephoneEvent(code: code, end: isOver, duration: UInt16(max(1, length / ticks)))
        state =
            isOver
            ? .repeating(event, start: start, times: 2)
            : .down(code: code, start: start, origin: origin, before: before, isFirst: false)
        return .event(event, timestamp: start, marker: isFirst)
    }

    private func gap(after timestamp: UInt32) -> State { .waiting(until: timestamp &+ units(timing.gap)) }

    private func units(_ milliseconds: Int) -> UInt32 {
        UInt32(clamping: Int64(milliseconds) * Int64(clockRate) / 1_000)
    }
}
