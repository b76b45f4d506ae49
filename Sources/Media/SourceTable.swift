internal import RTP

/// Who is the source of the stream that we hear: latches to the first that proves itself one (symmetric RTP, RFC 4961),
/// and to another only after a new offer, a change of SSRC or a silence. Instants are nanoseconds of one clock.
struct SourceTable {
    /// A source unheard for this long gives its place to another address.
    static let silence: UInt64 = 2_000_000_000
    /// Candidates that are watched at once; the one heard longest ago makes room.
    static let maximumCandidates = 4

    struct Source {
        let ssrc: UInt32
        let endpoint: Endpoint
        fileprivate(set) var validator: SourceValidator
        var statistics: ReceptionStatistics
        fileprivate(set) var heard: UInt64
    }

    enum Verdict: Hashable {
        /// Not the stream's source, or not yet.
        case foreign
        /// A packet of the stream that is to be left out: a wild sequence number.
        case rejected
        /// The source's packet; `isNewest` is false for duplicates and overtaken ones.
        case valid(isNewest: Bool)
        /// The first packet of a new source or a new sequence.
        case began
    }

    /// The stream's source; nil before one has proved itself.
    var current: Source?
    private var candidates: [Source] = []
    private var formerLost = 0

    init() {}

    /// Packets of the present and of all former sources that never came.
    var lost: Int { formerLost + max(0, current?.statistics.lost ?? 0) }

    /// Whether a packet is worth a look: cheap, and before it is authenticated, so that a copy from elsewhere does not
    /// use up the place of the original in the replay window.
    func admits(ssrc: UInt32, from endpoint: Endpoint, signalled: Endpoint?, isKeyed: Bool, at now: UInt64) -> Bool {
        guard let known = current?.endpoint, known != endpoint, let heard = current?.heard else { return true }
        if now &- heard >= Self.silence { return true }
        guard ssrc != current?.ssrc else { return false }
        return isKeyed || endpoint == signalled || endpoint.hasSameHost(as: known)
    }

    func isCurrent(ssrc: UInt32, endpoint: Endpoint) -> Bool {
        current?.ssrc == ssrc && current?.endpoint == endpoint
    }

    /// Judges an admitted packet, authenticated where the stream is keyed.
    mutating func receive(
        _ header: RTPHeader, from endpoint: Endpoint, isKeyed: Bool, clockRate: Int, at now: UInt64
    ) -> Verdict {
        // In place: the source is 200 bytes, and this is every packet.
        if isCurrent(ssrc: header.source, endpoint: endpoint),
            let verdict = current?.validator.receive(header.sequenceNumber)
        {
            current?.heard = now
            switch verdict {
            case .valid: return .valid(isNewest: true)
            case .reordered: return .valid(isNewest: false)
            case .rejected, .probation: return .rejected
            case .restarted:
                current?.statistics.restart(at: header.sequenceNumber)
                return .began
            }
        }
        let known = candidates.firstIndex { $0.ssrc == header.source && $0.endpoint == endpoint }
        var source =
            known.map { candidates.remove(at: $0) }
            ?? Source(
                ssrc: header.source, endpoint: endpoint,
                validator: SourceValidator(first: header.sequenceNumber, probation: isKeyed ? 1 : 2),
                statistics: ReceptionStatistics(first: header.sequenceNumber, clockRate: clockRate), heard: now)
        source.heard = now
        guard source.validator.receive(header.sequenceNumber) == .restarted else {
            if candidates.count == Self.maximumCandidates { candidates.removeFirst() }
            candidates.append(source)
            return .foreign
        }
        source.statistics = ReceptionStatistics(first: header.sequenceNumber, clockRate: clockRate)
        forget()
        current = source
        return .began
    }

    /// Lets the first that proves itself be the source again.
    mutating func forget() {
        formerLost = lost
        current = nil
        candidates = []
    }
}
