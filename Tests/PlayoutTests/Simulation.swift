import Playout
import Testing

/// A stream and the loop that plays it, on a virtual clock: a sender of 20 ms packets, a network that delays and loses
/// them, and turns of 10 ms. Lengths are in samples at 48 kHz.
struct Simulation: ~Copyable {
    struct Arrival {
        var packet: PlayoutPacket
        /// When it comes.
        var time: Int
        var payload: InlineArray<3, UInt8> = [1, 2, 3]
    }

    /// What was played, in order.
    enum Played: Equatable {
        case packet(UInt16)
        /// The end of a packet whose beginning came too late.
        case rest(UInt16)
        case redundancy(Int)
        case concealed(Int)
        case bridged(Int)
        case pause(Int)
        case silence(Int)
    }

    var buffer: JitterBuffer
    let turn: Int
    var now = 0
    var decoded = 0
    var played: [Played] = []
    var insertions: [Insertion] = []
    /// Stretches of the stream's timeline that were heard, as packets have them: sequence number, from, to.
    var heard: [(packet: UInt16, from: Int, to: Int)] = []
    var leftOut = 0
    var putIn = 0
    /// Samples of the stream, or made up for it, that were played; and the slowest and the fastest pace at which they were.
    private(set) var consumed = 0
    var paces = (least: 1.0, most: 1.0)
    private var offset = 0.0
    /// Packets that came, and those of them that no decoder could read.
    private(set) var inserted = 0
    private(set) var undecodable = 0
    /// Sound that was decoded and then flushed.
    private(set) var flushed = 0
    /// How long each packet waited from its arrival until it was played.
    var waits: [UInt16: Int] = [:]
    private var arrivedAt: [UInt16: Int] = [:]
    private var payload: [UInt8] = [0, 0, 0]
    /// Whether what was played is kept, or only counted.
    var keepsRecord = true
    /// When sound was to be left out, and where.
    private(set) var cares: [(time: Int, care: PlayoutScaling.Care)] = []
    /// Whether the talker pauses.
    var isQuiet = false
    /// Whether the loop leaves out and puts in what it may.
    var scales = true

    init(clockRate: Int = 48_000, turn: Int = 480, limits: JitterLimits = JitterLimits()) {
        buffer = JitterBuffer(clockRate: clockRate, turnSamples: turn, limits: limits)
        self.turn = turn
    }

    /// Runs turns until `end`, giving each what has come by then.
    mutating func run(_ arrivals: [Arrival], until end: Int) {
        let arrivals = arrivals.sorted { $0.time < $1.time }
        var next = 0
        while now < end {
            while next < arrivals.count, arrivals[next].time <= now {
                insert(arrivals[next])
                next += 1
            }
            playTurn()
            now += turn
        }
    }

    private mutating func insert(_ arrival: Arrival) {
        var packet = arrival.packet
        packet.age = now - arrival.time
        for index in 0..<payload.count { payload[index] = arrival.payload[index] }
        let insertion = buffer.insert(packet, payload, payload.count, decoded: decoded)
        inserted += 1
        guard keepsRecord else { return }
        insertions.append(insertion)
        // A duplicate is not when it came.
        if insertion != .duplicate { arrivedAt[packet.sequenceNumber] = arrival.time }
    }

    /// Forgets all sound, as at a hold.
    mutating func flush() {
        flushed += decoded
        decoded = 0
        buffer.reset()
    }

    private mutating func playTurn() {
        let pace = buffer.nextPace(decoded: decoded)
        paces = (min(paces.least, pace), max(paces.most, pace))
        let isPlain = pace == 1 && offset == 0
        let needed = isPlain ? turn : Int(offset + Double(turn) * pace) + JitterBuffer.lookahead
        fill(needed)
        scale(needed)
        // As the loop does: a pace of 1 comes back to a whole sample.
        let end = pace == 1 ? Double(Int(offset + Double(turn) + 0.5)) : offset + Double(turn) * pace
        offset = end - Double(Int(end))
        consumed += Int(end)
        decoded -= Int(end)
        buffer.advance(samples: turn, decoded: decoded)
    }

    private mutating func scale(_ needed: Int) {
        guard scales else { return }
        switch buffer.scaling(decoded: decoded) {
        case .none: return
        case .shorten(let most, let care):
            if keepsRecord { cares.append((now, care)) }
            guard care != .inPauses || isQuiet else { return }
            // A voice whose periods are 6 ms long; the loop changes at most 20 ms at once.
            if decoded < 1_680 && buffer.isNextReady { fill(decoded + 1) }
            let removed = min(most, decoded - 120, 960) / 288 * 288
            guard removed > 0 else { return }
            decoded -= removed
            leftOut += removed
            buffer.leftOut(samples: removed)
            fill(needed)
        case .lengthen(let wish):
            let added = min(max(wish, 288), 960) / 288 * 288
            decoded += added
            putIn += added
            buffer.putIn(samples: added)
        }
    }

    private mutating func fill(_ wanted: Int) {
        var decisions = 0
        while decoded < wanted {
            decisions += 1
            // Not by `#expect`: millions of those cost more than what they look at.
            guard decisions <= 64 else {
                Issue.record("the turn at \(now) is not fed")
                return decoded = wanted
            }
            let needed = wanted - decoded
            let decision = buffer.decide(needed: needed, decoded: decoded)
            var made = 0
            switch decision {
            case .packet(let slot, let skip):
                let (sequence, duration) = content(of: slot)
                made = duration
                if made == 0 { undecodable += 1 }
                if skip < made && keepsRecord {
                    waits[sequence] = now + decoded - (arrivedAt[sequence] ?? 0)
                    played.append(skip == 0 ? .packet(sequence) : .rest(sequence))
                    heard.append((sequence, skip, made))
                }
                decoded += max(made - skip, 0)
            case .redundancy(_, let samples, let skip):
                made = samples
                if skip < made && keepsRecord { played.append(.redundancy(made - skip)) }
                decoded += max(made - skip, 0)
            case .conceal(let samples, let skip):
                made = (samples + 119) / 120 * 120
                if made > skip { add(.concealed(made - skip)) }
                decoded += max(made - skip, 0)
            case .bridge(let samples): (made, decoded) = (samples, decoded + samples); add(.bridged(samples))
            case .pause(let samples): (made, decoded) = (samples, decoded + samples); add(.pause(samples))
            case .silence(let samples): (made, decoded) = (samples, decoded + samples); add(.silence(samples))
            }
            buffer.carriedOut(decision, samples: made)
        }
    }

    /// The test's packets carry their sequence number, and their duration in units of 2.5 ms.
    private func content(of slot: Int) -> (sequence: UInt16, duration: Int) {
        let payload = buffer.payload(in: slot)
        guard payload.count >= 3 else { return (0, 960) }
        return (UInt16(payload.bytes[0]) << 8 | UInt16(payload.bytes[1]), Int(payload.bytes[2]) * 120)
    }

    /// Made-up sound of the same kind is one entry.
    private mutating func add(_ made: Played) {
        guard keepsRecord else { return }
        switch (played.last, made) {
        case (.concealed(let before)?, .concealed(let more)): played[played.count - 1] = .concealed(before + more)
        case (.bridged(let before)?, .bridged(let more)): played[played.count - 1] = .bridged(before + more)
        case (.pause(let before)?, .pause(let more)): played[played.count - 1] = .pause(before + more)
        case (.silence(let before)?, .silence(let more)): played[played.count - 1] = .silence(before + more)
        default: played.append(made)
        }
    }

    /// Those that were heard, whole or in part.
    var packetsPlayed: [UInt16] {
        played.compactMap { entry in
            switch entry {
            case .packet(let sequence), .rest(let sequence): sequence
            default: nil
            }
        }
    }

    /// What was made up, for what was lost or late.
    var concealed: Int {
        played.reduce(0) { sum, entry in
            switch entry {
            case .concealed(let samples), .bridged(let samples): sum + samples
            default: sum
            }
        }
    }

    /// The longest any of these packets waited.
    func longestWait(_ packets: Range<UInt16>) -> Int? { packets.compactMap { waits[$0] }.max() }
}

/// A stream of packets of `duration`, the first of which is sent at `start`.
func stream(
    _ count: Int, from first: UInt16 = 1_000, timestamp: UInt32 = 50_000, unit: Int = 1, start: Int = 100,
    epoch: UInt32 = 0, duration: Int = 960, hasRedundancy: Bool = false, delay: (Int) -> Int? = { _ in 0 }
) -> [Simulation.Arrival] {
    (0..<count).compactMap { index in
        guard let delay = delay(index) else { return nil }
        let sequence = first &+ UInt16(truncatingIfNeeded: index)
        return Simulation.Arrival(
            packet: PlayoutPacket(
                sequenceNumber: sequence,
                timestamp: timestamp &+ UInt32(truncatingIfNeeded: index * duration / unit), epoch: epoch,
                duration: duration, hasRedundancy: hasRedundancy), time: start + index * duration + delay,
            payload: [UInt8(sequence >> 8), UInt8(truncatingIfNeeded: sequence), UInt8(duration / 120)])
    }
}

/// Random numbers that are the same in every run.
struct Dice {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed &* 2 &+ 1 }
    /// 0..<bound.
    mutating func roll(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
}
