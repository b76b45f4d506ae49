import RTP
import Testing

private func redundant(
    _ blocks: [(type: UInt8, offset: UInt32, bytes: [UInt8])], type: UInt8 = 96, _ primary: [UInt8]
) -> [UInt8] {
    var payload: [UInt8] = []
    for block in blocks {
        let word = UInt32(0x80 | block.type) << 24 | block.offset << 10 | UInt32(block.bytes.count)
        for shift in [24, 16, 8, 0] as [UInt32] { payload.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
    payload.append(type)
    for block in blocks { payload += block.bytes }
    return payload + primary
}

private func read(_ payload: [UInt8]) throws(RedundancyError) -> RedundantPayload {
    try RedundantPayload(parsing: payload.span)
}

@Suite("Redundant payloads (RFC 2198)") struct RedundancyTests {
    @Test("Blocks lie where their headers say")
    func blocks() throws {
        let payload = redundant([(96, 1_920, [1, 2, 3]), (97, 0x3FFF, []), (96, 960, [4])], type: 98, [5, 6])
        let found = try read(payload)
        #expect(found.earlier.map(\.payloadType) == [96, 97, 96])
        #expect(found.earlier.map(\.offset) == [1_920, 0x3FFF, 960])
        #expect(found.earlier.map { Array(payload[$0.bytes]) } == [[1, 2, 3], [], [4]])
        #expect(found.primaryType == 98)
        #expect(Array(payload[found.primary]) == [5, 6])
    }

    @Test("A payload that ends too early, or never comes to its own sound, is refused")
    func hostile() {
        let whole = redundant([(96, 960, [1, 2, 3]), (96, 480, [4, 5])], [])
        for count in 0..<whole.count {
            #expect(throws: RedundancyError.truncated, "\(count)") { try read(Array(whole.prefix(count))) }
        }
        #expect(throws: Never.self) { try read(whole) }
        #expect(throws: RedundancyError.tooManyBlocks) {
            try read([UInt8](repeating: 0x80, count: 4 * (RedundantPayload.maximumBlocks + 1)))
        }
        let most = redundant([(type: UInt8, offset: UInt32, bytes: [UInt8])](repeating: (96, 960, [1]), count: 8), [9])
        #expect((try? read(most))?.earlier.count == 8)
    }

    @Test(
        "What is sent again is found again, with its number and time",
        arguments: [[1], [3], [4], [2, 4], [1, 2, 3, 8]])
    func roundTrip(distances: [Int]) throws {
        var sender = RedundancySender()
        var receiver = RedundancyReceiver()
        // Every second packet is lost, from the wrap of both counters on.
        for index in 0..<40 {
            let number = SequenceNumber(rawValue: UInt16(truncatingIfNeeded: 0xFFF0 + index))
            let timestamp = UInt32.max - 5_000 &+ UInt32(index) &* 960
            let sound: [UInt8] = [UInt8(index), 7, UInt8(index)]
            var packet: [UInt8] = []
            let copies = sender.append(
                sound.span, payloadType: 111, timestamp: timestamp, duration: 960, distances: distances, to: &packet)
            sender.remember(sound.span, timestamp: timestamp)
            #expect(copies == distances.count { $0 <= index })
            guard index % 2 == 0 else { continue }
            guard copies > 0 else {
                receiver.note(timestamp: timestamp)
                continue
            }
            let payload = try read(packet)
            #expect(Array(packet[payload.primary]) == sound)
            let found = receiver.take(
                payload, number: number, timestamp: timestamp, payloadType: 111, duration: 960)
            let missing = distances.filter { $0 % 2 == 1 && $0 <= index }.sorted(by: >)
            let news = missing.filter { distance in
                // Not brought by an earlier packet already.
                !distances.contains { $0 % 2 == 1 && $0 < distance }
            }
            #expect(found.map { Int($0.sequenceNumber.distance(to: number)) } == news)
            for block in found {
                let earlier = UInt8(index - block.sequenceNumber.distance(to: number))
                #expect(Array(packet[block.bytes]) == [earlier, 7, earlier])
            }
        }
    }

    @Test("Before a pause nothing is sent again, for its number would be guessed wrong")
    func pause() {
        var sender = RedundancySender()
        sender.remember([1].span, timestamp: 0)
        var packet: [UInt8] = []
        let afterPause = sender.append(
            [2].span, payloadType: 96, timestamp: 9_600, duration: 960, distances: [1, 2, 3], to: &packet)
        #expect(afterPause == 0 && packet.isEmpty)
        sender.forget()
        #expect(
            sender.append([2].span, payloadType: 96, timestamp: 960, duration: 960, distances: [1], to: &packet) == 0)
    }

    @Test("Nothing grows beyond a packet of Ethernet, nor beyond what the fields hold")
    func sizes() {
        var sender = RedundancySender()
        let large = [UInt8](repeating: 1, count: 600)
        for index in 0..<4 { sender.remember(large.span, timestamp: UInt32(index) * 960) }
        sender.remember([UInt8](repeating: 1, count: 1_024).span, timestamp: 4 * 960)
        var packet: [UInt8] = []
        let tooLarge = sender.append(
            large.span, payloadType: 96, timestamp: 5 * 960, duration: 960, distances: [1, 2, 3], to: &packet)
        #expect(tooLarge == 0)
        let one = sender.append(
            [1].span, payloadType: 96, timestamp: 5 * 960, duration: 960, distances: [1, 2, 3], to: &packet)
        #expect(one == 1 && packet.count <= RedundancySender.maximumSize)
        packet = []
        // 120 ms three packets back: more than 14 bits of timestamp.
        sender.remember([1].span, timestamp: 0)
        let far = sender.append(
            [1].span, payloadType: 96, timestamp: 17_280, duration: 5_760, distances: [3], to: &packet)
        #expect(far == 0)
        #expect(
            sender.append([1].span, payloadType: 96, timestamp: 0, duration: .max, distances: [8], to: &packet) == 0)
    }

    @Test("Blocks of another codec, of no whole number of packets back, or known already are left out")
    func leftOut() throws {
        var receiver = RedundancyReceiver()
        let payload = try read(
            redundant([(96, 2_880, [1]), (97, 1_920, [2]), (96, 1_000, [3]), (96, 960, [4]), (96, 0, [5])], [6]))
        func take(_ number: UInt16, _ timestamp: UInt32) -> [UInt16] {
            receiver.take(
                payload, number: SequenceNumber(rawValue: number), timestamp: timestamp, payloadType: 96, duration: 960
            ).map(\.sequenceNumber.rawValue)
        }
        #expect(take(100, 96_000) == [97, 99])
        #expect(take(100, 96_000) == [])
        #expect(take(101, 96_960) == [98])
        #expect(
            receiver.take(
                payload, number: SequenceNumber(rawValue: 1), timestamp: 0, payloadType: 96, duration: 0
            ).isEmpty)
    }
}
