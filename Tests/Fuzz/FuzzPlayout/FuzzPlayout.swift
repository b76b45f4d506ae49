import Playout

/// A stream at the jitter buffer, and the turns that play it. Each record is a kind, then what belongs to it: a packet with
/// any sequence number, timestamp, age and duration, the next packet of the last kind, or turns.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(bytes: UnsafeBufferPointer(start: start, count: count))
    var player = FuzzPlayer(
        clockRate: input.next() & 1 == 0 ? 48_000 : 8_000, turn: [240, 480, 512, 960][input.next() & 3])
    var packet = PlayoutPacket(sequenceNumber: 0, timestamp: 0, duration: 960)
    while !input.isEmpty {
        let kind = input.next()
        switch kind & 3 {
        case 0:
            packet.sequenceNumber = UInt16(input.next() << 8 | input.next())
            packet.timestamp = UInt32(input.next() << 24 | input.next() << 16 | input.next() << 8 | input.next())
            packet.age = input.next() * 4
            packet.duration = 120 * (1 + input.next() % 48)
        case 1:
            packet.sequenceNumber &+= UInt16(1 + (kind >> 5))
            packet.timestamp &+= UInt32(packet.duration * (1 + (kind >> 5)) / player.unit)
        default:
            for _ in 0...(kind >> 3) { player.turn() }
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
    private var buffer: JitterBuffer
    private let turnSamples: Int
    let unit: Int
    private var decoded = 0

    init(clockRate: Int, turn: Int) {
        buffer = JitterBuffer(clockRate: clockRate, turnSamples: turn, decoderConceals: clockRate == 48_000)
        turnSamples = turn
        unit = 48_000 / clockRate
    }

    mutating func insert(_ packet: PlayoutPacket) {
        let payload: [UInt8] = [UInt8(packet.duration / 120)]
        _ = buffer.insert(packet, payload, payload.count, decoded: decoded)
    }

    mutating func turn() {
        fill(turnSamples)
        switch buffer.scaling(decoded: decoded) {
        case .none: break
        case .shorten(let most, _):
            let removed = min(most, decoded)
            precondition(most > 0, "nothing is to be left out")
            decoded -= removed
            buffer.leftOut(samples: removed)
            fill(turnSamples)
        case .lengthen(let wish):
            precondition(wish > 0, "nothing is to be put in")
            decoded += min(wish, 960)
            buffer.putIn(samples: min(wish, 960))
        }
        decoded -= turnSamples
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

    private func carryOut(_ decision: PlayoutDecision) -> (made: Int, skip: Int) {
        switch decision {
        case .packet(let slot, let skip):
            let payload = buffer.payload(in: slot)
            precondition(payload.count == 1, "a slot without its packet")
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
