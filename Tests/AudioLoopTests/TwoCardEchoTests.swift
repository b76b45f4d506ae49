import Glibc
import MediaDescription
import Testing

@testable import AudioLoop

@Suite("Echo of a loudspeaker on a card of its own") struct TwoCardEchoTests {
    private static let period = 480

    /// A room with a loudspeaker and a microphone on two cards, and the turns of a loop between them.
    private struct Room: ~Copyable {
        var works = HandsFreeWorks(period: period)
        var clock = PlaybackClock(period: period)
        /// How much faster the loudspeaker's clock runs.
        let partsPerMillion: Double
        /// All that the loudspeaker's card was given.
        var played = [Int16](repeating: 0, count: 720)
        var microphone = 0
        var noise = Words()

        init(partsPerMillion: Double) { self.partsPerMillion = partsPerMillion }

        /// What the loudspeaker has played when the microphone has heard so many samples.
        private func place(_ heard: Int) -> Double { Double(heard) * (1 + partsPerMillion / 1e6) }

        private func sound(at place: Double) -> Double {
            guard place >= 2, Int(place) + 2 < played.count else { return 0 }
            let (index, part) = (Int(place), place - Double(Int(place)))
            let (a, b) = (Double(played[index - 1]), Double(played[index]))
            let (c, d) = (Double(played[index + 1]), Double(played[index + 2]))
            // Catmull-Rom: exact enough for what has nothing above 2 kHz.
            let slope = (c - a) / 2
            let curve = a - 2.5 * b + 2 * c - d / 2
            let bend = (d - a) / 2 + 1.5 * (b - c)
            return b + part * (slope + part * (curve + part * bend))
        }

        /// One turn. Returns the energy of the echo that the microphone had, and of what is left of it.
        mutating func turn(unrest: Int, lowered: Double) -> (echo: Double, left: Double) {
            var captured = [Int16](repeating: 0, count: period)
            for index in 0..<period {
                let now = place(microphone + index)
                let heard = 0.5 * sound(at: now - 150) - 0.2 * sound(at: now - 700) + 0.1 * sound(at: now - 2_000)
                captured[index] = Int16(heard.rounded())
            }
            works.process(&captured, period, from: .speakerphone, to: .speakerphone)
            microphone += period
            let left = (0..<period).reduce(0.0) { $0 + Double(works.output[$1]) * Double(works.output[$1]) }
            let echo = captured.reduce(0.0) { $0 + Double($1) * Double($1) }
            let ahead = Double(played.count) - place(microphone)
            let said = noise.block(period)
            said.withUnsafeBufferPointer { said in
                let handed = clock.follow(said, excess: Int(ahead - 240 - lowered) + unrest)
                works.reference.write(handed, lead: Int(ahead) + unrest)
                played += handed
            }
            return (echo, left)
        }
    }

    /// Noise below 2 kHz that comes and goes as words do, the same in every run.
    private struct Words {
        private var seed: UInt64 = 7
        private var stages = [0.0, 0, 0, 0]
        private var time = 0

        mutating func block(_ count: Int) -> [Int16] {
            (0..<count).map { _ in
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                var value = Double(Int64(bitPattern: seed) >> 40) / 8_388_608
                for index in stages.indices {
                    stages[index] += (value - stages[index]) * 0.15
                    value = stages[index]
                }
                time += 1
                return Int16(value * (time / 12_000 % 4 == 3 ? 300 : 20_000))
            }
        }
    }

    @Test(
        "is gone after three seconds, however the clocks drift and the cards' positions step, and while what lies ahead changes",
        arguments: [0.0, 50, -50, 200, -200])
    func drift(partsPerMillion: Double) {
        var room = Room(partsPerMillion: partsPerMillion)
        var (echo, left) = (0.0, 0.0)
        for turn in 0..<1_000 {
            let said = room.turn(
                unrest: [-6, 6, 0, 3, -3][turn % 5], lowered: turn > 600 ? 48 : 0)
            if turn >= 300 {
                echo += said.echo
                left += said.left
            }
        }
        let decibels = 10 * log10(left / echo)
        #expect(decibels < -30)
        #expect(room.works.reference.alignments == 1)
    }
}
