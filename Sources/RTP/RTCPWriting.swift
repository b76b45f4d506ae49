extension RTCPPacket {
    /// Appends the packet as it goes on the wire: at most 31 blocks, names or sources of it.
    public func append(to datagram: inout [UInt8]) {
        let start = datagram.count
        switch self {
        case .senderReport(let source, let sender, let blocks):
            Self.begin(&datagram, type: 200, count: blocks.count)
            datagram.append(bigEndian: source)
            datagram.append(bigEndian: UInt32(sender.ntp.rawValue >> 32))
            datagram.append(bigEndian: UInt32(truncatingIfNeeded: sender.ntp.rawValue))
            datagram.append(bigEndian: sender.timestamp)
            datagram.append(bigEndian: sender.packets)
            datagram.append(bigEndian: sender.octets)
            for block in blocks.prefix(31) { block.append(to: &datagram) }
        case .receiverReport(let source, let blocks):
            Self.begin(&datagram, type: 201, count: blocks.count)
            datagram.append(bigEndian: source)
            for block in blocks.prefix(31) { block.append(to: &datagram) }
        case .sourceDescription(let names):
            Self.begin(&datagram, type: 202, count: names.count)
            for name in names.prefix(31) {
                datagram.append(bigEndian: name.source)
                datagram.append(1)
                datagram.append(UInt8(min(255, name.name.count)))
                datagram.append(contentsOf: name.name.prefix(255))
                datagram.append(0)
                while (datagram.count - start) % 4 != 0 { datagram.append(0) }
            }
        case .goodbye(let sources):
            Self.begin(&datagram, type: 203, count: sources.count)
            for source in sources.prefix(31) { datagram.append(bigEndian: source) }
        case .extendedReport(let source, let blocks):
            Self.begin(&datagram, type: 207, count: 0)
            datagram.append(bigEndian: source)
            for block in blocks.prefix(31) { block.append(to: &datagram) }
        case .other(let type):
            Self.begin(&datagram, type: type, count: 0)
        }
        let words = UInt16(clamping: (datagram.count - start) / 4 - 1)
        datagram[start + 2] = UInt8(words >> 8)
        datagram[start + 3] = UInt8(truncatingIfNeeded: words)
    }

    private static func begin(_ datagram: inout [UInt8], type: UInt8, count: Int) {
        datagram.append(0x80 | UInt8(min(31, count)))
        datagram.append(type)
        datagram.append(bigEndian: UInt16(0))
    }
}

extension ReportBlock {
    func append(to datagram: inout [UInt8]) {
        datagram.append(bigEndian: source)
        let lost = UInt32(truncatingIfNeeded: min(max(cumulativeLost, -0x80_0000), 0x7F_FFFF)) & 0xFF_FFFF
        datagram.append(bigEndian: UInt32(fractionLost) << 24 | lost)
        datagram.append(bigEndian: extendedHighest)
        datagram.append(bigEndian: jitter)
        datagram.append(bigEndian: lastSenderReport)
        datagram.append(bigEndian: delaySinceLastSenderReport)
    }
}
