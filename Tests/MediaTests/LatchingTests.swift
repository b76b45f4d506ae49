import MediaDescription
import RTP
import Testing

@testable import Media

@Suite("Whom a stream hears") struct LatchingTests {
    @Test("It latches to the first valid source and sends there; others are not heard")
    func latch() throws {
        let pair = StreamPair()
        pair.leftSeenFrom = try endpoint("203.0.113.5", 31_000)
        pair.run(packets: 5)
        #expect(pair.right.stream.target == pair.leftSeenFrom)
        let heard = pair.right.output.sounds.count
        for sequence in UInt16(1)...20 {
            pair.right.hear(packet(sequence, source: 0x666), from: try endpoint("198.51.100.66"), at: pair.now)
            pair.right.hear(packet(1_010 + sequence, source: 0xAAAA), from: try endpoint("198.51.100.66"), at: pair.now)
        }
        #expect(pair.right.output.sounds.count == heard)
        #expect(pair.right.stream.currentFigures.foreign >= 40)
        #expect(pair.right.stream.target == pair.leftSeenFrom)
    }

    @Test("Not to latch, it sends where signalling says and hears that host alone", arguments: [false, true])
    func asymmetric(isKeyed: Bool) throws {
        let pair = StreamPair(security: isKeyed ? keying() : (.none, .none), isSymmetric: false)
        pair.leftSeenFrom = try endpoint("203.0.113.5", 31_000)
        pair.run(packets: 20)
        #expect(pair.right.output.sounds.isEmpty)
        #expect(pair.right.stream.currentFigures.foreign >= 20)
        #expect(pair.right.stream.target == Endpoint(pair.left.address))
        // Another port of the host is no other host; nor is it one to send to.
        pair.leftSeenFrom = Endpoint(pair.left.address)?.with(port: 31_000)
        pair.run(packets: 20)
        #expect(pair.right.output.sounds.count >= 18)
        #expect(pair.right.stream.target == Endpoint(pair.left.address))
    }

    @Test("One packet from somewhere is no source, nor are many out of sequence")
    func probation() throws {
        let pair = StreamPair()
        pair.right.hear(packet(1, source: 0x666), from: try endpoint("198.51.100.66"), at: pair.now)
        for sequence in stride(from: UInt16(10), to: 1_000, by: 7) {
            pair.right.hear(packet(sequence, source: 0x666), from: try endpoint("198.51.100.66"), at: pair.now)
        }
        #expect(pair.right.stream.target == Endpoint(pair.left.address))
        pair.run(packets: 3)
        #expect(pair.right.output.sounds.count == 2)
    }

    @Test("Keyed, a source must know the key to be latched to")
    func keyedLatch() throws {
        let pair = StreamPair(security: keying())
        for sequence in UInt16(1)...50 {
            pair.right.hear(packet(sequence, source: 0x666), from: try endpoint("198.51.100.66"), at: pair.now)
        }
        #expect(pair.right.stream.target == Endpoint(pair.left.address))
        pair.leftSeenFrom = try endpoint("203.0.113.5", 31_000)
        pair.run(packets: 2)
        #expect(pair.right.stream.target == pair.leftSeenFrom)
    }

    @Test("Mutations of everything that a call sends are survived, and the call goes on", arguments: [false, true])
    func mutations(isKeyed: Bool) throws {
        let pair = StreamPair(security: isKeyed ? keying() : (.none, .none))
        pair.left.stream.sendDigits("15", request: 1, at: pair.now)
        pair.run(packets: 100)
        let samples = pair.left.output.sent
        let from = try #require(Endpoint(pair.left.address))
        var random = SplitMix(state: 3)
        for round in 0..<10_000 {
            let sample = samples[round % samples.count]
            var bytes = sample.bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<min(bytes.count, 40), using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0...bytes.count / 4, using: &random))
            pair.now += 1_000_000
            pair.right.hear(bytes, from: from, on: sample.socket, at: pair.now)
            if pair.right.stream.deadline <= pair.now { pair.right.stream.tick(at: pair.now) }
        }
        let heard = pair.right.output.sounds.count
        pair.run(packets: 20)
        #expect(pair.right.output.sounds.count >= heard + 15)
    }

    @Test("Comfort noise and events between packets of sound are no loss, neither in figures nor for the jitter buffer")
    func otherPayloads() {
        let pair = StreamPair()
        pair.run(packets: 5)
        pair.network = { bytes in
            guard bytes.count > 150, bytes[3] % 3 == 0 else { return bytes }
            var changed = bytes
            changed[1] = 13
            return changed
        }
        pair.run(packets: 30)
        pair.network = { $0 }
        pair.left.stream.sendDigits("1", request: 1, at: pair.now)
        pair.run(packets: 20)
        let numbers = pair.right.output.sounds.map(\.sequenceNumber)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
        #expect(pair.right.stream.currentFigures.lost == 0 && pair.right.stream.currentFigures.invalid == 0)
    }

    @Test("A new source at another port of the same host takes over")
    func samePort() throws {
        let pair = StreamPair()
        pair.run(packets: 20)
        let elsewhere = try endpoint("192.0.2.1", 4_444)
        for sequence in UInt16(1)...3 {
            pair.right.hear(packet(sequence, source: 0x777), from: elsewhere, at: pair.now)
        }
        #expect(pair.right.stream.target == elsewhere)
    }

    @Test("Keyed, what the network doubles is counted as such, and is no error")
    func doubled() {
        let pair = StreamPair(security: keying())
        pair.run(packets: 10)
        guard let from = Endpoint(pair.left.address) else { return }
        for datagram in pair.left.output.sent where datagram.socket == .rtp {
            pair.right.hear(datagram.bytes, from: from, at: pair.now)
        }
        #expect(pair.right.output.sounds.count == 10)
        #expect(pair.right.stream.currentFigures.replayed == 10)
        #expect(pair.right.stream.currentFigures.invalid == 0)
    }

    @Test("A peer with the key cannot make us keep counters for ever more sources")
    func manySources() {
        var sender = KeyedSession(.send)
        guard case .srtp(let key, _) = keying().left else { return }
        let pair = StreamPair(security: keying())
        guard let from = Endpoint(pair.left.address) else { return }
        var epochs: [Int] = []
        // Each sender of so many is a session of its own, as ours refuses them as well.
        for source in UInt32(1)...200 {
            if source % 50 == 1 {
                sender.set(nil)
                sender.set(key)
            }
            var buffer = PacketBuffer()
            buffer.bytes = packet(1, source: source)
            guard let count = buffer.protect(with: &sender, isRTCP: false) else { continue }
            pair.right.hear(Array(buffer.bytes.prefix(count)), from: from, at: pair.now)
            epochs.append(pair.right.stream.currentFigures.epochs)
        }
        #expect(epochs.count == 200)
        #expect(epochs.last == KeyedSession.maximumSources)
    }

    @Test("Two that chose the same number part, once")
    func collision() {
        let pair = StreamPair()
        guard let from = Endpoint(pair.left.address) else { return }
        for sequence in UInt16(1)...4 { pair.right.hear(packet(sequence, source: 0xBBBB), from: from, at: pair.now) }
        let changed = pair.right.stream.source
        #expect(changed != 0xBBBB)
        // Who knows the old number hears that it is no more (RFC 3550 §8.2).
        let left = pair.right.output.sent.compactMap { try? RTCPCompound(parsing: $0.bytes.span) }.flatMap(\.packets)
        #expect(left.contains(.goodbye(sources: [0xBBBB])))
        for sequence in UInt16(1)...4 { pair.right.hear(packet(sequence, source: changed), from: from, at: pair.now) }
        #expect(pair.right.stream.source == changed)
    }

    @Test("Another source of the same address takes over at once, and playout begins anew")
    func sourceChange() throws {
        let pair = StreamPair()
        pair.run(packets: 20)
        let heard = pair.right.output.sounds.count
        for sequence in UInt16(12_676)..<12_686 {
            pair.right.hear(
                packet(sequence, source: 0x777, timestamp: UInt32(sequence) * 160),
                from: try #require(Endpoint(pair.left.address)),
                at: pair.now)
        }
        #expect(pair.right.output.sounds.count == heard + 9)
        #expect(pair.right.output.sounds.last?.epoch == 2)
    }

    @Test("After two seconds of silence another address may take over")
    func silence() throws {
        let pair = StreamPair()
        pair.run(packets: 20)
        let elsewhere = try endpoint("203.0.113.9", 9_000)
        pair.now += 1_900_000_000
        pair.right.hear(packet(1, source: 0x777), from: elsewhere, at: pair.now)
        pair.right.hear(packet(2, source: 0x777), from: elsewhere, at: pair.now)
        #expect(pair.right.stream.target == Endpoint(pair.left.address))
        pair.now += 200_000_000
        pair.right.hear(packet(3, source: 0x777), from: elsewhere, at: pair.now)
        pair.right.hear(packet(4, source: 0x777), from: elsewhere, at: pair.now)
        #expect(pair.right.stream.target == elsewhere)
    }

    @Test("An offer with another address ends the latch, one with the same keeps it")
    func reoffer() throws {
        let pair = StreamPair()
        pair.leftSeenFrom = try endpoint("203.0.113.5", 31_000)
        pair.run(packets: 5)
        pair.right.stream.configure(pair.parameters(to: pair.left, direction: .sendonly), at: pair.now)
        #expect(pair.right.stream.target == pair.leftSeenFrom)
        var moved = pair.parameters(to: pair.left)
        moved.remoteRTP = MediaAddress(host: "192.0.2.77", port: 5_000)
        pair.right.stream.configure(moved, at: pair.now)
        #expect(pair.right.stream.target == Endpoint(host: "192.0.2.77", port: 5_000))
    }

    @Test("A jump of the timestamps and a sequence that begins anew are survived within a few packets")
    func jumps() {
        let pair = StreamPair()
        pair.run(packets: 20)
        var heard = pair.right.output.sounds.count
        pair.network = { bytes in
            guard var packet = try? RTPPacket(parsing: bytes.span).header, bytes.count > 100 else { return bytes }
            packet.timestamp &+= 10_000_000
            packet.sequenceNumber.rawValue &+= 30_000
            var moved: [UInt8] = []
            packet.append(to: &moved)
            return moved + bytes.dropFirst(12)
        }
        pair.run(packets: 10)
        #expect(pair.right.output.sounds.count == heard + 9)
        #expect(pair.right.output.sounds.last?.epoch == 2)
        #expect(pair.right.stream.currentFigures.outOfWindow == 1 && pair.right.stream.currentFigures.foreign == 1)
        heard = pair.right.output.sounds.count
        pair.network = { bytes in
            guard var packet = try? RTPPacket(parsing: bytes.span).header, bytes.count > 100 else { return bytes }
            packet.timestamp &-= 10_000_000
            packet.sequenceNumber.rawValue &+= 30_000
            var moved: [UInt8] = []
            packet.append(to: &moved)
            return moved + bytes.dropFirst(12)
        }
        pair.run(packets: 10)
        // The jitter buffer follows timestamps by itself.
        #expect(pair.right.output.sounds.count == heard + 10)
        #expect(pair.right.output.sounds.last?.epoch == 2)
        #expect(pair.right.stream.currentFigures.jitter < 0.001)
    }

    @Test("Malformed and unknown packets are counted, empty ones and comfort noise are nothing")
    func malformed() throws {
        let pair = StreamPair()
        pair.run(packets: 5)
        let from = try #require(Endpoint(pair.left.address))
        let before = pair.right.stream.currentFigures.invalid
        pair.right.hear([1, 2, 3, 4, 5, 6, 7, 8, 9], from: from, at: pair.now)
        pair.right.hear(Array(packet(9, source: 1).prefix(11)), from: from, at: pair.now)
        pair.right.hear(packet(1_005, source: 0xAAAA, payloadType: 99), from: from, at: pair.now)
        pair.right.hear([0x80, 201, 0, 9, 0, 0, 0, 1], from: try endpoint("192.0.2.1", 4_001), on: .rtcp, at: pair.now)
        #expect(pair.right.stream.currentFigures.invalid == before + 4)
        pair.right.hear([], from: from, at: pair.now)
        pair.right.hear(packet(1_005, source: 0xAAAA, payloadType: 13), from: from, at: pair.now)
        #expect(pair.right.stream.currentFigures.invalid == before + 4)
    }
}
