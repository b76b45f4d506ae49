import Playout

/// A stream at the jitter buffer, and the turns that play it. Each record is a kind, then what belongs to it: a packet with
/// any sequence number, timestamp, age and duration, the next packet of the last kind, turns, or a stretch of a stream that
/// a clock and a network send.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(bytes: UnsafeBufferPointer(start: start, count: count))
    var player = FuzzPlayer(
        clockRate: input.next() & 1 == 0 ? 48_000 : 8_000, turn: FuzzPlayer.turns[input.next() & 3])
    var packet = PlayoutPacket(sequenceNumber: 0, timestamp: 0, duration: 960)
    while !input.isEmpty && player.turnsLeft > 0 {
        let kind = input.next()
        switch kind & 3 {
        case 0:
            packet.sequenceNumber = UInt16(input.next() << 8 | input.next())
            packet.timestamp = UInt32(input.next() << 24 | input.next() << 16 | input.next() << 8 | input.next())
            packet.age = input.next() * 4
            packet.duration = 120 * (1 + input.next() % 48)
            packet.isRecovered = kind & 32 != 0
            if kind & 64 != 0 { player.replace(turn: FuzzPlayer.turns[kind >> 7]) }
        case 1:
            packet.sequenceNumber &+= UInt16(1 + (kind >> 5))
            packet.timestamp &+= UInt32(packet.duration * (1 + (kind >> 5)) / player.unit)
        case 2:
            for _ in 0...(kind >> 3) { player.turn() }
            continue
        default:
            player.play(&packet, count: 1 + input.next(), drift: kind >> 5, network: input.next())
            continue
        }
        packet.epoch = kind & 4 == 0 ? packet.epoch : packet.epoch &+ 1
        packet.endsTalk = kind & 8 != 0
        packet.hasRedundancy = kind & 16 != 0
        player.insert(packet)
    }
    player.finish()
    return 0
}

private struct FuzzInput {
    let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isEmpty: Bool { position >= bytes.count }

    /// The next byte, 0 after the last.
    mutating func next() -> Int {
        guard !isEmpty else { return 0 }
        position += 1
        return Int(bytes[position - 1])
    }
}

/// Plays as the loop does, and stops the fuzzer where the buffer breaks a promise.
private struct FuzzPlayer: ~Copyable {
    static let turns = [240, 480, 512, 960]

    private var buffer: JitterBuffer
    private let clockRate: Int
    private var turnSamples: Int
    let unit: Int
    private var decoded = 0
    /// Where between two samples the next one is.
    private var offset = 0.0
    /// What an input may take: the fuzzer learns more from many short ones than from a few that play for minutes.
    private(set) var turnsLeft = 2_000

    init(clockRate: Int, turn: Int) {
        buffer = JitterBuffer(clockRate: clockRate, turnSamples: turn, decoderConceals: clockRate == 48_000)
        self.clockRate = clockRate
        turnSamples = turn
        unit = 48_000 / clockRate
    }

    mutating func insert(_ packet: PlayoutPacket) {
        let length = UInt8(packet.duration / 120)
        withUnsafePointer(to: length) { _ = buffer.insert(packet, $0, 1, decoded: decoded) }
    }

    /// Another codec takes over what was learnt, then another loop the codec; and the stream is held.
    mutating func replace(turn: Int) {
        var next = JitterBuffer(clockRate: clockRate, turnSamples: turnSamples, decoderConceals: clockRate == 48_000)
        next.learn(buffer.arrivals, buffer.senderClock)
        buffer = next
        turnSamples = turn
        buffer.setTurn(samples: turn)
        (decoded, offset) = (0, 0)
        buffer.reset()
    }

    /// The next `count` packets and the turns that belong to them.
    ///
    /// - Parameters:
    ///   - drift: what the sender's clock is off, in 125 parts per million.
    ///   - network: what jitter it has, how long it stalls, and how many packets it loses.
    mutating func play(_ packet: inout PlayoutPacket, count: Int, drift: Int, network: Int) {
        let (jitter, stalled, lost) = ((network & 15) * 32, (network >> 4 & 3) * 8, network >> 6)
        var chance = UInt32(network)
        var due = 0.0
        var held: [PlayoutPacket] = []
        for index in 0..<count where turnsLeft > 0 {
            packet.sequenceNumber &+= 1
            packet.timestamp &+= UInt32(packet.duration / unit)
            chance = chance &* 1_664_525 &+ 1_013_904_223
            packet.age = Int(chance >> 24) * jitter / 256
            if Int(chance >> 16 & 31) >= lost { held.append(packet) }
            if index % 64 >= stalled {
                for packet in held { insert(packet) }
                held = []
            }
            due += Double(packet.duration) * (1 + Double(drift - 4) * 125e-6)
            while due >= Double(turnSamples) && turnsLeft > 0 {
                turn()
                due -= Double(turnSamples)
            }
        }
    }

    mutating func turn() {
        turnsLeft -= 1
        let pace = buffer.nextPace(decoded: decoded)
        precondition(pace > 0.99 && pace < 1.01, "a pace of \(pace)")
        let end = offset + Double(turnSamples) * pace
        let needed = pace == 1 && offset == 0 ? turnSamples : Int(end) + JitterBuffer.lookahead
        fill(needed)
        switch buffer.scaling(decoded: decoded) {
        case .none: break
        case .shorten(let most, _):
            precondition(most > 0, "nothing is to be left out")
            while decoded < 1_680 && buffer.isNextReady { fill(decoded + 1) }
            let removed = min(most, decoded)
            decoded -= removed
            buffer.leftOut(samples: removed)
            fill(needed)
        case .lengthen(let wish):
            precondition(wish > 0, "nothing is to be put in")
            decoded += min(wish, 960)
            buffer.putIn(samples: min(wish, 960))
        }
        offset = pace == 1 ? 0 : end - Double(Int(end))
        decoded -= Int(end)
        buffer.advance(samples: turnSamples, decoded: decoded)
    }

    private mutating func fill(_ wanted: Int) {
        var decisions = 0
        while decoded < wanted {
            decisions += 1
            precondition(decisions <= 256, "the turn is not fed")
            let decision = buffer.decide(needed: wanted - decoded, decoded: decoded)
            let (made, skip) = carryOut(decision)
            precondition(made >= 0 && skip >= 0 && skip <= made, "\(decision)")
            decoded += made - skip
            buffer.carriedOut(decision, samples: made)
        }
    }

    private mutating func carryOut(_ decision: PlayoutDecision) -> (made: Int, skip: Int) {
        switch decision {
        case .packet(let slot, let skip):
            let payload = buffer.payload(in: slot)
            precondition(payload.count == 1, "a slot without its packet")
            if buffer.mayMove(slot, skipped: skip) {
                decoded += 288
                buffer.putIn(samples: 288)
            }
            return (Int(payload.bytes[0]) * 120, skip)
        case .redundancy(_, let samples, let skip): return (samples, skip)
        case .conceal(let samples, let skip): return ((samples + 119) / 120 * 120, skip)
        case .bridge(let samples), .pause(let samples), .silence(let samples):
            precondition(samples > 0, "\(decision) takes no time")
            return (samples, 0)
        }
    }

    /// A well-behaved stream is played whatever was before it.
    consuming func finish() {
        let before = buffer.counters.played
        var turns = 0
        for index in 0..<150 {
            let packet = PlayoutPacket(
                sequenceNumber: UInt16(index), timestamp: UInt32(index * 960 / unit), epoch: .max, duration: 960)
            insert(packet)
            while turns * turnSamples < (index + 1) * 960 {
                turn()
                turns += 1
            }
        }
        // All but those that wait where a long delay was learnt.
        precondition(buffer.counters.played - before >= 120, "a new stream is not played")
    }
}
