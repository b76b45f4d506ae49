import CallSystem
import EventLoop
import RTP
import SoundDevices
import Testing

@testable import Media

@Suite("Ports and addresses") struct PortTests {
    @Test(
        "RTP has even ports whose neighbours are in the range",
        arguments: [
            (16_384...16_389, [16_384, 16_386, 16_388]), (16_385...16_389, [16_386, 16_388]), (4_000...4_000, []),
            (4_001...4_002, []), (65_534...65_535, [65_534]), (0...3, [2]),
        ] as [(ClosedRange<UInt16>, [UInt16])])
    func range(range: ClosedRange<UInt16>, expected: [UInt16]) {
        #expect(PortAllocator(range: range, random: 7).rtpPorts == expected)
    }

    @Test("Ports are given out in turn, from a random one on; each is tried once")
    func turns() {
        var allocator = PortAllocator(range: 100...105, random: 1)
        let given = (0..<4).map { _ in allocator.allocate { $0 } }
        #expect(given == [102, 104, 100, 102])
        var tried: [UInt16] = []
        let none = allocator.allocate { port -> UInt16? in
            tried.append(port)
            return nil
        }
        #expect(none == nil && tried.sorted() == [100, 102, 104])
    }

    @Test("A pair of sockets holds both ports, and gives them back", arguments: ["127.0.0.1", "::", "0.0.0.0"])
    func sockets(host: String) throws {
        let local = try #require(Endpoint(host: host, port: 0))
        var allocator = PortAllocator(range: 42_000...42_200, random: UInt64.random(in: 0...1_000))
        var pair = allocator.allocate { try? MediaSockets(host: local, rtpPort: $0) }
        guard let port = pair?.ports.rtpPort else {
            Issue.record("no pair was opened")
            return
        }
        #expect(pair?.ports.rtcpPort == port + 1 && port % 2 == 0)
        #expect(throws: SocketError.self) { _ = try MediaSockets(host: local, rtpPort: port) }
        pair = nil
        _ = try MediaSockets(host: local, rtpPort: port)
    }

    @Test(
        "Addresses are numbers only", arguments: ["127.0.0.1", "::1", "2001:db8::5", "fe80::1%lo", "255.255.255.255"])
    func addresses(host: String) throws {
        let endpoint = try #require(Endpoint(host: host, port: 5_060))
        #expect(Endpoint(host: endpoint.host, port: 5_060) == endpoint)
        #expect(endpoint.isReachable)
    }

    @Test(
        "What is none is refused",
        arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "[::1]", "::1%", "fe80::1%nosuchlink"])
    func noAddress(host: String) { #expect(Endpoint(host: host, port: 1) == nil) }

    @Test("An IPv4 address and its mapped form are one")
    func mapped() throws {
        #expect(Endpoint(host: "::ffff:192.0.2.1", port: 9) == Endpoint(host: "192.0.2.1", port: 9))
        let endpoint = try #require(Endpoint(host: "::ffff:192.0.2.1", port: 9))
        #expect("\(endpoint)" == "192.0.2.1:9")
    }
}

@Suite("When the audio session is open") struct SessionPolicyTests {
    private func at(_ milliseconds: UInt64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test("It lingers 2 s after the last sound, and 10 s with nothing but held calls")
    func lingers() {
        var policy = SessionPolicy(now: at(0))
        #expect(decide(&policy, .init(activeCalls: 1), 1_000) == .open)
        #expect(decide(&policy, .init(heldCalls: 1), 5_000) == .close(at: at(15_000)))
        #expect(decide(&policy, .init(heldCalls: 1), 9_000) == .close(at: at(15_000)))
        #expect(decide(&policy, .init(activeCalls: 1), 12_000) == .open)
        #expect(decide(&policy, .init(), 20_000) == .close(at: at(22_000)))
        #expect(decide(&policy, .init(hasTone: true), 21_000) == .open)
        #expect(decide(&policy, .init(), 21_500) == .close(at: at(23_500)))
    }

    @Test("A held call that ends after the 2 s closes it at once")
    func heldCallEnds() {
        var policy = SessionPolicy(now: at(0))
        _ = decide(&policy, .init(activeCalls: 1), 0)
        _ = decide(&policy, .init(heldCalls: 1), 1_000)
        #expect(decide(&policy, .init(), 8_000) == .close(at: at(3_000)))
    }

    private func decide(
        _ policy: inout SessionPolicy, _ need: SessionPolicy.Need, _ milliseconds: UInt64
    ) -> SessionPolicy.Decision { policy.update(need, at: at(milliseconds)) }

    @Test("Devices are tried again after 250 ms, twice as long each time, at most 10 s")
    func backOff() {
        var backOff = DeviceBackOff()
        let delays = (0..<8).map { _ in backOff.next() }
        #expect(delays.prefix(3) == [.milliseconds(250), .milliseconds(500), .seconds(1)])
        #expect(delays.suffix(2) == [.seconds(10), .seconds(10)])
    }
}

@Suite("Device pairs") struct DevicePairTests {
    @Test("One list is for both directions, two lists are combined, an empty one is silence")
    func pairs() throws {
        let one = DeviceName.alsa("one")
        let two = DeviceName.alsa("two")
        let same = MediaConfiguration(capture: [one, two], playback: [one, two])
        #expect(same.devicePairs == [DevicePair(capture: one, playback: one), DevicePair(capture: two, playback: two)])
        let apart = MediaConfiguration(capture: [one, two], playback: [two])
        #expect(
            apart.devicePairs == [DevicePair(capture: one, playback: two), DevicePair(capture: two, playback: two)])
        #expect(MediaConfiguration().devicePairs == [DevicePair()])
        #expect(MediaConfiguration(playback: [two]).devicePairs == [DevicePair(capture: nil, playback: two)])
    }

    @Test("Files are the same loudspeaker where they record to the same file")
    func same() {
        let call = DeviceName.file(input: "a", output: "out")
        #expect(DeviceName.file(input: nil, output: "out").playsOnSame(as: call))
        #expect(!DeviceName.file(input: "a", output: nil).playsOnSame(as: DeviceName.file(input: "a", output: nil)))
        #expect(!DeviceName.alsa("x").playsOnSame(as: nil))
        #expect(DeviceName.alsa("x").playsOnSame(as: .alsa("x")))
    }
}

@Suite("The clock of what we send") struct StreamClockTests {
    @Test("It follows the loop, and time where there is no loop")
    func follows() {
        var clock = StreamClock(rate: 48_000, timestamp: 0xFFFF_FFF0, at: 0)
        #expect(clock.take(0, at: 0) == 0xFFFF_FFF0)
        #expect(clock.take(960, at: 21_000_000) == 944)
        #expect(clock.takeOwn(at: 1_021_000_000) == 944 + 48_000)
        // The loop goes on as if it had not been away: a second's difference is within its right.
        #expect(clock.take(48_960, at: 1_041_000_000) == 48_944)
    }

    @Test("A loop that counts from elsewhere does not move what is on the wire", arguments: [0, 0x8000_0000, 77])
    func jump(elsewhere: UInt32) {
        var clock = StreamClock(rate: 8_000, timestamp: 1_000, at: 0)
        _ = clock.take(5_000_000, at: 0)
        #expect(clock.take(elsewhere, at: 20_000_000) == 1_160)
        #expect(clock.take(elsewhere &+ 160, at: 40_000_000) == 1_320)
    }
}

@Suite("Events among the packets of sound") struct EventGapsTests {
    private func number(_ raw: UInt16) -> SequenceNumber { SequenceNumber(rawValue: raw) }

    @Test("Sound's numbers are without gaps where events were, also for overtaken packets and across the wrap")
    func gaps() {
        var gaps = EventGaps()
        #expect(gaps.number(withoutEvents: number(65_534)) == 65_534)
        for event: UInt16 in [65_535, 0, 1, 1] { gaps.count(number(event)) }
        #expect(gaps.number(withoutEvents: number(2)) == 65_535)
        #expect(gaps.number(withoutEvents: number(65_534)) == 65_534)
        #expect(gaps.number(withoutEvents: number(3)) == 0)
    }

    @Test("Events of long ago change no number, also when the numbers have gone round")
    func longAgo() {
        var gaps = EventGaps()
        var before = gaps.number(withoutEvents: number(99))
        for event: UInt16 in 100..<148 { gaps.count(number(event)) }
        for raw in 148..<200_000 {
            let next = gaps.number(withoutEvents: number(UInt16(truncatingIfNeeded: raw)))
            guard next == before &+ 1 else {
                Issue.record("packet \(raw) follows on \(before) as \(next)")
                return
            }
            before = next
        }
    }

    @Test("No number is given twice where sound has overtaken events", arguments: 1...3 as ClosedRange<UInt16>)
    func overtaken(events: UInt16) {
        var gaps = EventGaps()
        let first: UInt16 = 65_534
        // One event in its place, and some that come after the sound that follows them.
        gaps.count(number(first &- 1))
        let before = gaps.number(withoutEvents: number(first))
        let next = first &+ events &+ 1
        let overtaking = gaps.number(withoutEvents: number(next))
        #expect(overtaking == before &+ events &+ 1)
        for late in 1...events { gaps.count(number(first &+ late)) }
        #expect(gaps.number(withoutEvents: number(next &+ 1)) == overtaking &+ 1)
        #expect(gaps.number(withoutEvents: number(first)) == before)
        // Those that come in their place count as before.
        gaps.count(number(next &+ 2))
        #expect(gaps.number(withoutEvents: number(next &+ 3)) == overtaking &+ 2)
    }
}
