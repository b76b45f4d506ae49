import MediaDescription
import Playout
import Quality
import Testing

@testable import AudioLoop
@testable import Media

@Suite("What is heard over a network") struct CallSoundTests {
    private static let voice = Voice.say(seconds: 40)

    /// A call of 40 s in which both ends talk; what is asked of is what the right end heard.
    private func call(
        _ network: Network, back: Network = Network(seed: 77), left: VirtualEnd.Wishes = .init(),
        right: VirtualEnd.Wishes = .init(), seconds: Double = 40
    ) throws -> VirtualCall {
        var (toRight, toLeft) = (network, back)
        let call = try VirtualCall(
            Self.voice, Self.voice, left: left, right: right, toRight: { toRight.pass(at: $0) },
            toLeft: { toLeft.pass(at: $0) })
        call.run(seconds: seconds)
        return call
    }

    /// Share of the sound that was made up from the tenth second on.
    private func missing(_ call: VirtualCall, after start: Double = 10, _ rest: Double = 30) -> Double {
        let before = call.right.call.statistics.playout
        call.run(seconds: rest)
        let after = call.right.call.statistics.playout
        return Double(after.concealed - before.concealed) / (rest * 48_000)
    }

    @Test("On a quiet network nothing is made up, nothing sent twice, and no more waits than a turn")
    func quiet() throws {
        for phase in stride(from: 0, to: 10, by: 2) as StrideTo<UInt64> {
            var right = VirtualEnd.Wishes()
            right.phase = phase * 1_000_000 + 300_000
            let call = try call(Network(), right: right, seconds: 20)
            let playout = call.right.call.statistics.playout
            #expect(playout.concealed == 0 && playout.late == 0 && playout.putIn == 0)
            // Of a network that is not known yet the buffer waits a turn to see.
            #expect(playout.leftOut <= 480)
            #expect(call.left.stream.figures.sentRedundant == 0)
            #expect(playout.buffered <= 960)
            // Behind the loudspeaker's turn of 10 ms waits what is left of a packet.
            let payload = Double(call.trafficToRight.octets * 8) / 20
            #expect(payload < 30_000)
        }
    }

    @Test(
        "What gets lost is sent in time once more, and heard",
        arguments: [
            (.chance(0.01), 0.001, 62_000.0), (.chance(0.05), 0.006, 62_000), (.chance(0.1), 0.012, 62_000),
            (.chance(0.2), 0.06, 90_000), (.bursts(0.05, run: 3), 0.02, 62_000), (.bursts(0.2, run: 4), 0.1, 90_000),
            (.patches(0.2, run: 10, lost: 0.5), 0.03, 90_000), (.periodic(3, every: 100), 0.002, 62_000),
        ] as [(Network.Loss, Double, Double)])
    func recovery(loss: Network.Loss, most: Double, bitRate: Double) throws {
        let call = try call(Network(loss, seed: 5), seconds: 10)
        let left = missing(call)
        #expect(left < most, "\(left) is missing")
        let sent = call.trafficToRight
        #expect(Double(sent.octets * 8) / (Double(sent.packets) * 0.02) < bitRate)
    }

    @Test("Copies and their headers stay within the peer's bandwidth", arguments: [30_000, 36_000, 48_000])
    func bandwidth(total: Int) throws {
        var wishes = VirtualEnd.Wishes()
        wishes.totalBitRate = total
        let call = try call(Network(.bursts(0.1, run: 3), seed: 6), left: wishes, right: wishes, seconds: 10)
        let before = call.trafficToRight
        call.run(seconds: 30)
        let after = call.trafficToRight
        #expect(call.left.stream.figures.sentRedundant > 500)
        let bitRate = Double(after.octets - before.octets) * 8 / (Double(after.packets - before.packets) * 0.02)
        #expect(bitRate <= Double(total), "\(bitRate)")
    }

    @Test("Where the peer takes no redundancy the codec corrects", arguments: [0.03, 0.1])
    func correction(loss: Double) throws {
        var wishes = VirtualEnd.Wishes()
        wishes.redundancy = .off
        let call = try call(Network(.chance(loss), seed: 9), left: wishes, right: wishes, seconds: 10)
        #expect(missing(call) < loss * 0.35)
        #expect(call.left.stream.control.plan.expectedLossPercent == SendControl.correctedLoss)
        #expect(call.right.call.statistics.playout.recovered > 0)
    }

    @Test(
        "A sender's clock that drifts is followed: the delay stays, and no sound is cut",
        arguments: [-500.0, -60, 60, 500])
    func drift(partsPerMillion: Double) throws {
        var left = VirtualEnd.Wishes()
        left.partsPerMillion = partsPerMillion
        let call = try call(Network(seed: 3), left: left, seconds: 30)
        let before = call.right.call.statistics.playout
        var waits: [Double] = []
        for _ in 0..<60 {
            call.run(seconds: 1)
            waits.append(Double(call.right.call.statistics.playout.buffered) / 48)
        }
        let after = call.right.call.statistics.playout
        #expect(after.concealed == before.concealed && after.late == 0)
        #expect(after.leftOut == before.leftOut && after.putIn == before.putIn)
        let known = call.right.call.slot.pointer.pointee.receiving.codec.pointee.jitter.senderClock.partsPerMillion
        #expect(abs(known - partsPerMillion) < max(10, abs(partsPerMillion) * 0.05))
    }
}
