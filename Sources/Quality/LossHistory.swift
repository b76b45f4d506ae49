/// Which of the last packets came, where the receiver says so packet by packet: what this network really does, instead of
/// what a model makes of it.
public struct LossHistory: Sendable {
    /// Packets that are remembered: 20 s of packets of 20 ms.
    static let memory = 1_000
    /// Packets that say how it is now.
    static let recent = 250
    /// Fewer losses than this are chance.
    static let leastLosses = 2
    /// How many packets of which nothing is known but what the model says are counted as well: few losses are no pattern, and
    /// what has happened once in 20 s is not what will happen in the next.
    static let modelled = 500

    private var came: [Bool] = []

    public init() {}

    /// Takes what came of the packets since the last report.
    public mutating func take(_ pattern: [Bool]) {
        came.append(contentsOf: pattern.suffix(Self.memory))
        if came.count > Self.memory { came.removeFirst(came.count - Self.memory) }
    }

    /// What a way of sending would have left of these losses: in all that is remembered, or of late where that was worse;
    /// nil where they are too few to tell.
    ///
    /// - Parameters:
    ///   - distances: how many packets back the copies lie.
    ///   - corrected: whether each packet also mends the one before it.
    ///   - expected: what the model says of that way.
    func residue(distances: [Int], corrected: Bool, expected: Residue) -> Residue? {
        guard came.count >= Self.recent / 2, came.count(where: { !$0 }) >= Self.leastLosses else { return nil }
        let whole = residue(of: came[...], distances, corrected, expected)
        let late = came.suffix(Self.recent)
        guard late.count(where: { !$0 }) >= Self.leastLosses else { return whole }
        let now = residue(of: late, distances, corrected, expected)
        return whole.impairment >= now.impairment ? whole : now
    }

    private func residue(
        of part: ArraySlice<Bool>, _ distances: [Int], _ corrected: Bool, _ expected: Residue
    ) -> Residue {
        let reach = (distances.max() ?? 0) + (corrected ? 1 : 0)
        let known = part.startIndex..<max(part.endIndex - reach, part.startIndex)
        func isThere(_ index: Int) -> Bool { part[index] || distances.contains { part[index + $0] } }
        var (missing, mended) = (0, 0)
        for index in known where !isThere(index) {
            if corrected && isThere(index + 1) { mended += 1 } else { missing += 1 }
        }
        let modelled = Double(Self.modelled)
        let count = Double(known.count) + modelled
        return Residue(
            missing: (Double(missing) + modelled * expected.missing) / count,
            mended: (Double(mended) + modelled * expected.mended) / count)
    }
}

/// What is not heard as it was said.
struct Residue: Sendable, Hashable {
    /// Share of the packets that the decoder has to make up, 0...1.
    var missing: Double
    /// Share of the packets that come at the lower rate of the codec's correction, 0...1.
    var mended: Double

    /// By how much it lowers the mean opinion score: measured with PESQ (ITU-T P.862.2) on what libopus 1.3 makes of gaps.
    var impairment: Double {
        // What is mended sounds nearly as it was said.
        let spoilt = missing + 0.07 * mended
        // The first per cent costs more than the tenth: half a point, and 2.2 by then. Where the score can fall no further,
        // less of what is said is understood.
        return 3.6 * spoilt / (spoilt + 0.06) + 3 * spoilt
    }
}
