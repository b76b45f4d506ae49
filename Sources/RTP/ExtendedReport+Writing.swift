extension ExtendedReportBlock {
    /// Appends the block as it goes on the wire; one that we do not know as an empty block of its type.
    func append(to datagram: inout [UInt8]) {
        let start = datagram.count
        switch self {
        case .lossRuns(let runs):
            datagram.append(1)
            datagram.append(0)
            datagram.append(bigEndian: UInt16(0))
            runs.append(to: &datagram)
        case .voipMetrics(let metrics):
            datagram.append(7)
            datagram.append(0)
            datagram.append(bigEndian: UInt16(0))
            metrics.append(to: &datagram)
        case .other(let type):
            datagram.append(type)
            datagram.append(0)
            datagram.append(bigEndian: UInt16(0))
        }
        let words = UInt16(clamping: (datagram.count - start) / 4 - 1)
        datagram[start + 2] = UInt8(words >> 8)
        datagram[start + 3] = UInt8(truncatingIfNeeded: words)
    }
}

extension LossRuns {
    fileprivate func append(to datagram: inout [UInt8]) {
        datagram.append(bigEndian: source)
        datagram.append(bigEndian: first.rawValue)
        datagram.append(bigEndian: first.rawValue &+ UInt16(received.count))
        var chunks = 0
        var position = 0
        while position < received.count {
            let value = received[position]
            let run = received[position...].prefix { $0 == value }.count
            if run > 15 {
                datagram.append(bigEndian: UInt16(value ? 0x4000 : 0) | UInt16(min(run, 0x3FFF)))
                position += min(run, 0x3FFF)
            } else {
                var chunk: UInt16 = 0x8000
                for bit in 0..<15 where position + bit < received.count && received[position + bit] {
                    chunk |= 1 << UInt16(14 - bit)
                }
                datagram.append(bigEndian: chunk)
                position += 15
            }
            chunks += 1
        }
        if chunks % 2 != 0 { datagram.append(bigEndian: UInt16(0)) }
    }
}

extension VoIPMetrics {
    fileprivate func append(to datagram: inout [UInt8]) {
        datagram.append(bigEndian: source)
        for share in [lossRate, discardRate, burstDensity, gapDensity] {
            datagram.append(UInt8(min(max(share * 256, 0), 255)))
        }
        datagram.append(bigEndian: UInt16(clamping: burstMilliseconds))
        datagram.append(bigEndian: UInt16(clamping: gapMilliseconds))
        datagram.append(bigEndian: UInt16(clamping: roundTripMilliseconds))
        datagram.append(bigEndian: UInt16(clamping: endSystemMilliseconds))
        datagram.append(Self.level(signalLevel))
        datagram.append(Self.level(noiseLevel))
        datagram.append(residualEchoReturnLoss.map { UInt8(min(max($0, 0), 126)) } ?? 127)
        datagram.append(UInt8(min(max(minimumGap, 1), 255)))
        datagram.append(rFactor.map { UInt8(min(max($0, 0), 100)) } ?? 127)
        datagram.append(127)
        datagram.append(Self.mos(mosListening))
        datagram.append(Self.mos(mosConversational))
        datagram.append(receiverConfiguration)
        datagram.append(0)
        datagram.append(bigEndian: UInt16(clamping: bufferNominalMilliseconds))
        datagram.append(bigEndian: UInt16(clamping: bufferMaximumMilliseconds))
        datagram.append(bigEndian: UInt16(clamping: bufferAbsoluteMaximumMilliseconds))
    }

    private static func level(_ value: Int?) -> UInt8 {
        value.map { UInt8(bitPattern: Int8(min(max($0, -128), 126))) } ?? 127
    }

    private static func mos(_ value: Double?) -> UInt8 {
        value.map { UInt8((min(max($0, 1), 5) * 10).rounded()) } ?? 127
    }
}
