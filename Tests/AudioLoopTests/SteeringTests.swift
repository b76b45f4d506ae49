@testable import AudioLoop
import Codecs
import MediaDescription
import Testing

@Suite("An encoder steered by what the peer reports") struct SteeringTests {
    /// Something that takes all the bits that an encoder has.
    private let noise: [Int16] = {
        var state: UInt32 = 1
        return (0..<400_000).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return Int16(truncatingIfNeeded: Int(state >> 16) - 32_768) / 4
        }
    }()

    private func octets(_ peer: Peer, from: Int) -> Int { peer.payloads(from: from).reduce(0) { $0 + $1.count } }

    @Test("sends at the new bit rate from the next packet on, and never above its settings")
    func bitRate() throws {
        let bench = LoopBench(capture: noise)
        let peer = try Peer(.opus, opus: OpusSettings(bitRate: 48_000))
        bench.enter(peer)
        bench.turn(200, peer)
        let full = octets(peer, from: 0)
        peer.call.steer(expectedLossPercent: 5, bitRate: 12_000)
        bench.turn(200, peer)
        #expect(octets(peer, from: 100) < full / 2)
        peer.call.steer(expectedLossPercent: 5, bitRate: 510_000)
        bench.turn(200, peer)
        #expect((full * 8 / 10...full * 12 / 10).contains(octets(peer, from: 200)))
    }

    @Test("goes on with a new codec at that one's bit rate")
    func renewed() throws {
        let bench = LoopBench(capture: noise)
        let peer = try Peer(.opus, opus: OpusSettings(bitRate: 12_000))
        bench.enter(peer)
        bench.turn(100, peer)
        let low = octets(peer, from: 0)
        var configuration = peer.call.configuration
        configuration.opus.bitRate = 64_000
        try peer.call.update(configuration)
        bench.turn(100, peer)
        #expect(octets(peer, from: 50) > low * 2)
    }
}
