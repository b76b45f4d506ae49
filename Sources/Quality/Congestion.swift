/// Whether the way to the peer is too narrow for what we send, by round trips that grow and by loss that lasts, and how much
/// of the bit rate to use. Instants are nanoseconds of one clock.
struct Congestion: Sendable, Hashable {
    /// Less than this share of the bit rate does not help where packets get lost but not late.
    static let leastFactorForLoss = 0.75
    static let leastFactor = 0.35
    /// Loss above this share, in two reports, lowers the bit rate.
    static let heavyLoss = 0.15
    /// A round trip that is this much longer than the shortest one of late is a queue, in milliseconds.
    static let queue = 100.0
    /// The shortest round trip is forgotten when none was near it for this time, in nanoseconds.
    static let memory: UInt64 = 60_000_000_000

    /// 0.35...1
    private(set) var factor = 1.0
    /// Packets wait on the way: nothing is to be sent that need not be.
    private(set) var isOn = false
    private var shortest: (trip: Double, at: UInt64)?
    private var waitingReports = 0
    private var heavyReports = 0

    static func == (one: Congestion, other: Congestion) -> Bool {
        (one.factor, one.isOn) == (other.factor, other.isOn)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(factor) }

    mutating func take(loss: Double, roundTrip: Double?, at now: UInt64) {
        follow(roundTrip, at: now)
        heavyReports = loss > Self.heavyLoss ? heavyReports + 1 : 0
        isOn = waitingReports >= 2 || isOn && waitingReports > 0
        if isOn {
            factor = max(Self.leastFactor, factor * 0.8)
        } else if heavyReports >= 2 {
            factor = max(min(factor, Self.leastFactorForLoss), factor * (1 - loss / 2))
        } else {
            // Back in small steps: who takes all at once fills the queue again.
            factor = min(1, factor + 0.05)
        }
    }

    private mutating func follow(_ roundTrip: Double?, at now: UInt64) {
        guard let trip = roundTrip else { return }
        if let known = shortest, now &- known.at < Self.memory, known.trip <= trip {
            if trip <= known.trip * 1.25 + 20 { shortest?.at = now }
            waitingReports = trip > known.trip * 1.5 + Self.queue ? waitingReports + 1 : 0
        } else {
            // A way that has become longer for good is not a queue: it is the shortest of its time.
            shortest = (trip, now)
            waitingReports = 0
        }
    }
}
