/// The last events, numbered from 1, so that a client can ask for what it missed.
public struct EventLog<Event: Sendable>: Sendable {
    /// One event and its number.
    public struct Entry: Sendable {
        public var sequence: Int
        public var event: Event

        public init(sequence: Int, event: Event) {
            self.sequence = sequence
            self.event = event
        }
    }

    /// What a client missed.
    public struct Replay: Sendable {
        public var entries: [Entry]
        /// Whether events are missing that are no longer kept, or that another run of the daemon had.
        public var gap: Bool
    }

    /// The name of this run of the daemon: numbers of another run mean nothing here.
    public let instance: String
    /// How many events are kept.
    public let capacity: Int
    /// The number of the latest event; 0 before the first.
    public private(set) var sequence = 0
    /// A ring: the event numbered n is at (n - 1) mod capacity.
    private var kept: [Event] = []

    public init(instance: String, capacity: Int = 1_024) {
        self.instance = instance
        self.capacity = max(1, capacity)
    }

    /// Numbers and keeps `event`; the oldest one goes where the log is full. Returns the number.
    @discardableResult
    public mutating func append(_ event: Event) -> Int {
        if kept.count < capacity { kept.append(event) } else { kept[sequence % capacity] = event }
        sequence += 1
        return sequence
    }

    /// The events after the one that `instance` numbered `sequence`, oldest first.
    ///
    /// With another instance's name, or a number that was never given, all that is kept, as a gap.
    public func replay(since sequence: Int, instance: String) -> Replay {
        let oldest = self.sequence - kept.count + 1
        guard instance == self.instance, sequence >= 0, sequence <= self.sequence else {
            return Replay(entries: entries(from: oldest), gap: true)
        }
        return Replay(entries: entries(from: max(oldest, sequence + 1)), gap: sequence + 1 < oldest)
    }

    private func entries(from first: Int) -> [Entry] {
        guard first <= sequence else { return [] }
        return (first...sequence).map { Entry(sequence: $0, event: kept[($0 - 1) % capacity]) }
    }
}
