import CallSystem
import EventLoop
import MediaDescription
import Testing

@testable import Media

@Suite("Hostile traffic at a running engine", .serialized, .timeLimit(.minutes(2))) struct HostileTrafficTests {
    init() { EventLoop.shared.runInBackground() }

    /// The stranger shares the peer's address, so that in the clear it may even become the source for a while.
    @Test(
        "Mutated RTP and RTCP are survived, and the peer is heard as before when it is over",
        arguments: [(Codec.opus, false), (.opus, true), (.g722, false), (.pcma, true)])
    @DaemonActor func packets(codec: Codec, isKeyed: Bool) async throws {
        let files = SoundFiles()
        files.writeTone("left-in.wav", hertz: 440)
        files.writeTone("right-in.wav", hertz: 1_000)
        let left = try EngineEnd("left", files: files, ports: 44_100...44_149)
        let right = try EngineEnd("right", files: files, ports: 44_150...44_199)
        defer {
            left.engine.shutDown()
            right.engine.shutDown()
        }
        let security = isKeyed ? keying() : (.none, .none)
        left.configure(to: right.local, codec: codec, security: security.left)
        right.configure(to: left.local, codec: codec, security: security.right)
        #expect(await left.activate() == nil)
        #expect(await right.activate() == nil)
        #expect(await wait { left.statistics.received.packets > 10 })

        try await attack(
            left, seed: UInt64(codec.clockRate) + (isKeyed ? 1 : 0), payloadType: codec.staticPayloadType ?? 111)

        let now = left.statistics
        #expect(now.invalid > 100)
        #expect(!isKeyed || left.digits.isEmpty)
        #expect(left.events == ["activated"])
        #expect(await wait { left.statistics.received.packets > now.received.packets + 50 })
        #expect(await wait { (left.statistics.received.levelDbfs ?? -100) > -30 })
        #expect(await wait { (right.statistics.received.levelDbfs ?? -100) > -30 })
        let digits = left.digits
        #expect(await right.sendDigits("9"))
        #expect(await wait { left.digits == digits + "9" })
        await pause(milliseconds: 500)
        left.engine.close(left.call)
        #expect(await wait { left.events.last == "deactivated" })
        let heard = files.read("left-out.wav")
        let last = heard.lastIndex { $0 != 0 } ?? 0
        #expect(last > 48_000)
        #expect(share(of: 1_000, in: heard.prefix(max(0, last - 2_400)).suffix(9_600)) > 0.9)
    }

    @DaemonActor private func attack(_ end: EngineEnd, seed: UInt64, payloadType: UInt8) async throws {
        var packets = HostilePackets(seed: seed)
        let stranger = try UDPSocket(boundTo: try #require(Endpoint(host: "127.0.0.1", port: 0)))
        let rtp = try #require(Endpoint(host: "127.0.0.1", port: end.local.rtpPort))
        let rtcp = try #require(Endpoint(host: "127.0.0.1", port: end.local.rtcpPort))
        for count in 1...4_000 {
            let isReport = count.isMultiple(of: 5)
            let packet =
                isReport
                ? packets.rtcp(about: [0, 1, 0x5EED])
                : packets.rtp(payloadTypes: [payloadType, payloadType, 101, 13, 77])
            packet.withUnsafeBytes { _ = stranger.send($0, to: isReport ? rtcp : rtp) }
            if count.isMultiple(of: 25) { await pause(milliseconds: 10) }
        }
    }
}
