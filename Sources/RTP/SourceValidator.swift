/// Decides whether packets of one SSRC are a live source's, by their sequence numbers (RFC 3550 §6.2.1 and A.1).
public struct SourceValidator: Hashable, Sendable {
    /// A forward step of this many packets or more is not loss but another sequence.
    public static let maximumDropout = 3_000
    /// A backward step of up to this many packets is reordering.
    public static let maximumMisorder = 100

    public enum Verdict: Hashable, Sendable {
        /// Not yet known to be a source: the packet is not to be played.
        case probation
        /// The next packet, or a later one.
        case valid
        /// A duplicate or a packet overtaken by others: valid, but it does not move the sequence on.
        case reordered
        /// The sequence began anew; what is known of the old one no longer holds.
        case restarted
        /// A large step, for now taken as garbage: `restarted` follows where the next packet confirms it.
        case rejected
    }

    private var highest: SequenceNumber
    private let required: Int
    private var probation: Int
    private var expectedAfterStep: SequenceNumber?

    /// A source whose first packet, not yet judged, has the number `first`.
    ///
    /// `probation` is how many packets in sequence make it valid: 2, or 1 for one whose packets are authenticated.
    public init(first: SequenceNumber, probation: Int = 2) {
        highest = SequenceNumber(rawValue: first.rawValue &- 1)
        required = max(1, probation)
        self.probation = required
    }

    /// Whether enough packets in sequence have come.
    public var isValid: Bool { probation == 0 }

    public mutating func receive(_ number: SequenceNumber) -> Verdict {
        let step = highest.distance(to: number)
        if probation > 0 {
            guard step == 1 else {
                probation = required - 1
                highest = number
                return .probation
            }
            highest = number
            probation -= 1
            return probation == 0 ? .restarted : .probation
        }
        if step > 0, step < Self.maximumDropout {
            highest = number
            expectedAfterStep = nil
            return .valid
        }
        if step <= 0, -step <= Self.maximumMisorder { return .reordered }
        if number == expectedAfterStep {
            expectedAfterStep = nil
            highest = number
            return .restarted
        }
        expectedAfterStep = number.next
        return .rejected
    }
}
