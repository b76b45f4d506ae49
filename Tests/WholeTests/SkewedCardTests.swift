import ControlProtocol
import Glibc
import SoundMeters
import Testing

extension Whole {
    @Suite("Cards whose clocks do not agree", .serialized, .timeLimit(.minutes(4))) struct SkewedCardTests {
        /// An endpoint's microphone, and its loudspeaker on another card.
        private struct Desk {
            let microphone: VirtualCard
            let loudspeaker: VirtualCard
            /// The other one's tone.
            let hears: Double
            /// How much faster the loudspeaker's clock runs, in parts per million.
            let fast: Double

            init(says tone: Double, hears: Double, fast: Double) throws {
                microphone = try VirtualCard(tone: tone, seconds: 150)
                loudspeaker = try VirtualCard(tone: nil, seconds: 150, partsPerMillion: fast)
                self.hears = hears
                self.fast = fast
            }

            var sound: Sound { VirtualCard.sound(microphone: microphone, loudspeaker: loudspeaker) }

            /// Whether `endpoint`, whose cards these are, knows what the clocks are apart.
            func isKnown(by endpoint: Endpoint) throws -> Bool {
                // It says how much faster the loop, which the microphone's card turns, is.
                let drift = try endpoint.control.request("stats.get")["loop"]?["playbackDriftPpm"]?.double ?? 0
                return abs(drift + fast) < 100
            }

            /// What was played from `start` on is the tone all the time, by the clock of who says it.
            func expectWhole(from start: Int) {
                let meter = ToneMeter(loudspeaker.past(from: start), hertz: hears)
                // A card that plays faster is given more samples of each wave, and less may lie ahead in the end than at first.
                #expect(abs(meter.pitch / hears - 1 / (1 + fast / 1e6)) < 300e-6, "\(meter), \(fast)")
                // A cent and a half is corrected at most, and a tenth of a thousandth taken out of what lies ahead.
                #expect(meter.pitches.lowest > hears * (1 - 1_150e-6), "\(meter)")
                #expect(meter.pitches.highest < hears * (1 + 1_150e-6), "\(meter)")
                #expect(meter.peaks.most < meter.peaks.least * 1.02, "\(meter)")
                // A break of a wave leaves more than the codec does.
                #expect(meter.residual < -30, "\(meter)")
            }
        }

        /// What the lateness of a busy machine has done to the sound of an endpoint.
        private struct Trouble {
            let counts: [JSONValue?]
            let fill: Double

            init(of endpoint: Endpoint) throws {
                let figures = try endpoint.control.request("stats.get")
                let call = figures["calls"]?.array?.first
                counts = [
                    figures["loop"]?["xruns"], call?["received"]?["concealedMs"], call?["playout"]?["acceleratedMs"],
                    call?["playout"]?["expandedMs"],
                ]
                fill = figures["loop"]?["playbackFillMs"]?.double ?? 0
            }

            /// Whether none has come since `before`. That less lies ahead is no trouble.
            func isNone(since before: Trouble) -> Bool { counts == before.counts && fill < before.fill + 0.2 }
        }

        /// A loudspeaker that ran dry did so because the loop was later than what lay ahead, and not for its clock.
        private func expectInTime(_ endpoint: Endpoint) throws {
            guard let xrun = try endpoint.control.request("stats.get")["loop"]?["lastXrun"],
                xrun["device"] == "playback"
            else { return }
            #expect(xrun["cause"] != "card", "\(endpoint.name)")
            let (late, ahead) = (xrun["lateMs"]?.double ?? 0, xrun["aheadMs"]?.double ?? 0)
            // 2.5 ms may be missing until the drift is known.
            #expect(late > ahead - 2.5, "\(endpoint.name)")
        }

        @Test(
            "A loudspeaker half a thousandth fast and one as slow play the tone whole and at its pitch",
            .enabled(if: VirtualCard.isAvailable))
        func drift() throws {
            let alice = try Desk(says: 440, hears: 1_030, fast: 500)
            let bob = try Desk(says: 1_030, hears: 440, fast: -500)
            let pair = try CallPair(sounds: (alice.sound, bob.sound))
            let ends = [(pair.alice, alice), (pair.bob, bob)]
            try pair.connect(expecting: ends.map { ($0.0, $0.1.hears) })
            for (endpoint, desk) in ends {
                _ = try eventually("\(endpoint.name) knows the drift", within: 30) {
                    try desk.isKnown(by: endpoint) ? true : nil
                }
            }
            // A busy machine may be late at any time, and what it does to the sound says nothing of the clocks: another try.
            for _ in 0..<3 {
                let before = try ends.map { try Trouble(of: $0.0) }
                let starts = ends.map { $0.1.loudspeaker.position }
                usleep(10_000_000)
                let since = try ends.map { try Trouble(of: $0.0) }
                for (endpoint, desk) in ends {
                    #expect(try desk.isKnown(by: endpoint), "\(endpoint.name)")
                    try expectInTime(endpoint)
                }
                guard zip(since, before).allSatisfy({ $0.isNone(since: $1) }) else { continue }
                for ((_, desk), start) in zip(ends, starts) { desk.expectWhole(from: start) }
                break
            }
            try pair.alice.act("call.end")
        }
    }
}
