extension ExtendedReportBlock {
    /// Reads the blocks of a packet, what follows its SSRC.
    static func blocks(parsing body: Span<UInt8>) throws(RTCPParseError) -> [ExtendedReportBlock] {
        var blocks: [ExtendedReportBlock] = []
        var position = 0
        while position < body.count {
            guard body.count - position >= 4 else { throw .truncated }
            let end = position + 4 + 4 * Int(body.bigEndian16(at: position + 2))
            guard end <= body.count else { throw .truncated }
            blocks.append(
                Self(
                    type: body[position], specific: body[position + 1],
                    parsing: body.extracting(position + 4..<end)))
            position = end
        }
        return blocks
    }

    /// What is too short for its type is an unknown block.
    private init(type: UInt8, specific: UInt8, parsing content: Span<UInt8>) {
        switch type {
        case 1: self = LossRuns(specific: specific, parsing: content).map(Self.lossRuns) ?? .other(type: type)
        case 7: self = VoIPMetrics(parsing: content).map(Self.voipMetrics) ?? .other(type: type)
        default: self = .other(type: type)
        }
    }
}

extension LossRuns {
    /// nil where it is no block that we can use: thinned, too long, or with fewer packets than it announces.
    fileprivate init?(specific: UInt8, parsing content: Span<UInt8>) {
        guard specific & 0x0F == 0, content.count >= 8 else { return nil }
        let begin = content.bigEndian16(at: 4)
        let count = Int(content.bigEndian16(at: 6) &- begin)
        guard count <= Self.maximumPackets else { return nil }
        var received: [Bool] = []
        received.reserveCapacity(count)
        var position = 8
        while received.count < count, position + 2 <= content.count {
            let chunk = content.bigEndian16(at: position)
            position += 2
            if chunk == 0 { break }
            if chunk & 0x8000 != 0 {
                for bit in 0..<min(15, count - received.count) { received.append(chunk >> UInt16(14 - bit) & 1 != 0) }
            } else {
                let length = min(Int(chunk & 0x3FFF), count - received.count)
                received.append(contentsOf: repeatElement(chunk & 0x4000 != 0, count: length))
            }
        }
        guard received.count == count else { return nil }
        self.init(
            source: content.bigEndian32(at: 0), first: SequenceNumber(rawValue: begin), received: received)
    }
}

extension VoIPMetrics {
    fileprivate init?(parsing content: Span<UInt8>) {
        guard content.count >= 32 else { return nil }
        self.init(source: content.bigEndian32(at: 0))
        lossRate = Double(content[4]) / 256
        discardRate = Double(content[5]) / 256
        burstDensity = Double(content[6]) / 256
        gapDensity = Double(content[7]) / 256
        burstMilliseconds = Int(content.bigEndian16(at: 8))
        gapMilliseconds = Int(content.bigEndian16(at: 10))
        roundTripMilliseconds = Int(content.bigEndian16(at: 12))
        endSystemMilliseconds = Int(content.bigEndian16(at: 14))
        signalLevel = Self.level(content[16])
        noiseLevel = Self.level(content[17])
        residualEchoReturnLoss = content[18] == 127 ? nil : Int(content[18])
        minimumGap = Int(content[19])
        rFactor = content[20] <= 100 ? Int(content[20]) : nil
        mosListening = Self.mos(content[22])
        mosConversational = Self.mos(content[23])
        receiverConfiguration = content[24]
        bufferNominalMilliseconds = Int(content.bigEndian16(at: 26))
        bufferMaximumMilliseconds = Int(content.bigEndian16(at: 28))
        bufferAbsoluteMaximumMilliseconds = Int(content.bigEndian16(at: 30))
    }

    private static func level(_ octet: UInt8) -> Int? { octet == 127 ? nil : Int(Int8(bitPattern: octet)) }

    private static func mos(_ octet: UInt8) -> Double? { (10...50).contains(octet) ? Double(octet) / 10 : nil }
}
