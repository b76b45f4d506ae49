import Playout

/// A stream and the loop that plays it, on a virtual clock: a sender of 20 ms packets, a network that delays and loses
/// them, and turns of 10 ms. Lengths are in samples at 48 kHz.
struct Simulation: ~Copyable {
    struct Arrival {
        var packet: PlayoutPacket
        /// When it comes.
        var time: Int
        var payload: [UInt8] = [1, 2, 3]
    }

    /// What was played, in order.
    enum Played: Equatable {
        case packet(UInt16)
        case redundancy(Int)
        case concealed(Int)
        case pause(Int)
        case silence(Int)
    }

    var buffer: JitterBuffer
    let turn: Int
    var hasRedundancy = false
    var now = 0
    var decoded = 0
    var played: [Played] = []
    var insertions: [Insertion] = []
    /// How long each packet waited from its arrival until it was played.
    var waits: [UInt16: Int] = [:]
    private var arrivedAt: [UInt16: Int] = [:]
    /// Whether the loop leaves out what it may.
    var shortens = true

    init(clockRate: Int = 48_000, turn: Int = 480, limits: JitterLimits = JitterLimits()) {
        buffer = JitterBuffer(clockRate: clockRate, turnSamples: turn, limits: limits)
        self.turn = turn
    }

    /// Runs turns until `end`, giving each what has come by then.
    mutating func run(_ arrivals: [Arrival], until end: Int) {
        var left = arrivals.sorted { $0.time < $1.time }[...]
        while now < end {
            while let next = left.first, next.time <= now {
                left.removeFirst()
                var packet = next.packet
                packet.age = now - next.time
                let insertion = buffer.insert(packet, next.payload, next.payload.count, decoded: decoded)
                insertions.append(insertion)
                arrivedAt[packet.sequenceNumber] = next.time
            }
            playTurn()
            now += turn
        }
    }

    private mutating func playTurn() {
        fill()
        let excess = buffer.excess(decoded: decoded)
        if shortens && excess >= 120 {
            let removed = min(excess, decoded - 120, 480)
            if removed >= 120 {
                decoded -= removed
                buffer.leftOut(samples: removed, decoded: decoded)
                fill()
            }
        }
        decoded -= turn
        buffer.advance(samples: turn, decoded: decoded)
    }

    private mutating func fill() {
        while decoded < turn {
            let made: Int
            switch buffer.decide(needed: turn - decoded, hasRedundancy: hasRedundancy) {
            case .packet(let slot):
                let sequence = sequenceNumber(in: slot)
                waits[sequence] = now + decoded - (arrivedAt[sequence] ?? 0)
                played.append(.packet(sequence))
                made = 960
                buffer.finish(slot: slot, samples: made)
            case .redundancy(_, let samples):
                played.append(.redundancy(samples))
                made = samples
                buffer.skipped(samples: made, isLoss: true)
            case .conceal(let samples):
                made = (samples + 119) / 120 * 120
                add(.concealed(made))
                buffer.skipped(samples: made, isLoss: true)
            case .pause(let samples):
                made = samples
                add(.pause(made))
                buffer.skipped(samples: made, isLoss: false)
            case .silence(let samples):
                made = samples
                add(.silence(made))
                buffer.skipped(samples: made, isLoss: false)
            }
            decoded += made
        }
    }

    /// The test's packets carry their sequence number.
    private func sequenceNumber(in slot: Int) -> UInt16 {
        let payload = buffer.payload(in: slot)
        guard payload.count >= 2 else { return 0 }
        return UInt16(payload.bytes[0]) << 8 | UInt16(payload.bytes[1])
    }

    /// Made-up sound of the same kind is one entry.
    private mutating func add(_ made: Played) {
        switch (played.last, made) {
        case (.concealed(let before)?, .concealed(let more)): played[played.count - 1] = .concealed(before + more)
        case (.pause(let before)?, .pause(let more)): played[played.count - 1] = .pause(before + more)
        case (.silence(let before)?, .silence(let more)): played[played.count - 1] = .silence(before + more)
        default: played.append(made)
        }
    }

    var packetsPlayed: [UInt16] {
        played.compactMap { if case .packet(let sequence) = $0 { sequence } else { nil } }
    }

    var concealed: Int {
        played.reduce(0) { if case .concealed(let samples) = $1 { $0 + samples } else { $0 } }
    }
}

/// A stream of 20 ms packets, the first of which is sent at `start`.
func stream(
    _ count: Int, from first: UInt16 = 1_000, timestamp: UInt32 = 50_000, unit: Int = 1, start: Int = 100,
    epoch: UInt32 = 0, delay: (Int) -> Int? = { _ in 0 }
) -> [Simulation.Arrival] {
    (0..<count).compactMap { index in
        guard let delay = delay(index) else { return nil }
        let sequence = first &+ UInt16(truncatingIfNeeded: index)
        return Simulation.Arrival(
            packet: PlayoutPacket(
                sequenceNumber: sequence, timestamp: timestamp &+ UInt32(truncatingIfNeeded: index * 960 / unit),
                epoch: epoch, duration: 960),
            time: start + index * 960 + delay, payload: [UInt8(sequence >> 8), UInt8(truncatingIfNeeded: sequence)])
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
