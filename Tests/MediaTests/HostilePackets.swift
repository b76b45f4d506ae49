/// RTP and RTCP packets that are right but for a few octets, the same ones in every run.
struct HostilePackets {
    private var random: SplitMix
    private var sequence: UInt16 = 1
    private var timestamp: UInt32 = 1
    private var source: UInt32 = 0x5EED

    init(seed: UInt64) { random = SplitMix(state: seed) }

    /// A packet for the RTP port.
    mutating func rtp(payloadTypes: [UInt8]) -> [UInt8] {
        // Consecutive ones of one source prove it, so that what follows is decoded and played.
        switch Int.random(in: 0..<40, using: &random) {
        case 0: source = random.next32()
        case 1: sequence = UInt16.random(in: 0...UInt16.max, using: &random)
        case 2: timestamp = random.next32()
        default: break
        }
        sequence &+= 1
        timestamp &+= 960
        let csrcs = Int.random(in: 0..<8, using: &random) == 0 ? Int.random(in: 0...15, using: &random) : 0
        let hasExtension = Int.random(in: 0..<8, using: &random) == 0
        let isPadded = Int.random(in: 0..<8, using: &random) == 0
        var packet: [UInt8] = [0x80 | (isPadded ? 0x20 : 0) | (hasExtension ? 0x10 : 0) | UInt8(csrcs)]
        let type = payloadTypes.randomElement(using: &random) ?? 0
        packet.append(type | (Int.random(in: 0..<8, using: &random) == 0 ? 0x80 : 0))
        packet += octets(sequence) + octets(timestamp) + octets(source)
        packet += garbage(csrcs * 4)
        if hasExtension {
            let words = UInt16.random(in: 0...4, using: &random)
            packet += octets(0xBEDE as UInt16) + octets(words) + garbage(Int(words) * 4)
        }
        packet += garbage(type == 101 ? 4 : Int.random(in: 0...400, using: &random))
        if isPadded { packet.append(UInt8.random(in: 0...40, using: &random)) }
        return mutate(packet)
    }

    /// A compound packet for the RTCP port, of reports on `sources`.
    mutating func rtcp(about sources: [UInt32]) -> [UInt8] {
        var packet: [UInt8] = []
        for _ in 0...Int.random(in: 0...3, using: &random) {
            let kind = UInt8.random(in: 198...208, using: &random)
            let count = Int.random(in: 0...3, using: &random)
            var body = octets(source)
            if kind == 200 { body += garbage(20) }
            for _ in 0..<count {
                body += octets(sources.randomElement(using: &random) ?? source)
                if kind == 200 || kind == 201 { body += garbage(20) }
                if kind == 202 { body += [1, 3, 0x61, 0x62, 0x63, 0, 0, 0] }
            }
            packet += [0x80 | UInt8(count), kind] + octets(UInt16(body.count / 4)) + body
        }
        return mutate(packet)
    }

    private mutating func garbage(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private func octets(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private mutating func mutate(_ octets: [UInt8]) -> [UInt8] {
        var octets = octets
        for _ in 0..<max(0, Int.random(in: -4...3, using: &random)) where !octets.isEmpty {
            let index = Int.random(in: 0..<octets.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: octets[index] = UInt8.random(in: 0...255, using: &random)
            case 1: octets.remove(at: index)
            case 2: octets.removeSubrange(index...)
            default: octets.insert(contentsOf: repeatElement(0xFF, count: 2_500), at: index)
            }
        }
        return octets
    }
}

extension SplitMix {
    fileprivate mutating func next32() -> UInt32 { UInt32(truncatingIfNeeded: next()) }
}
