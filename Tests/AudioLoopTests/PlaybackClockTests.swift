import Testing

@testable import AudioLoop

@Suite("Playback clock") struct PlaybackClockTests {
    /// A loudspeaker whose clock runs slower than the loop by so much, seen as the loop sees it.
    final class Loudspeaker {
        var clock = PlaybackClock(period: 480)
        var fill = 0.0
        /// What is to lie ahead.
        var target = 0.0
        var heard: [Int16] = []
        var said = 0
        private var sound: [Int16] = []
        /// A sixty-fourth of it may be left out or added, which is more than clocks differ by in a turn.
        private static let silence = [Int16](repeating: 0, count: 24)

        var isCorrecting: Bool { clock.isCorrecting }
        var partsPerMillion: Double { clock.partsPerMillion }

        /// - Parameter isHeard: what is played is kept; else 24 samples of silence stand for a turn's, so that an hour is soon
        ///   over: to the clock it is the same how many samples have one more or less among them.
        func turn(partsPerMillion: Double, unrest: Int = 0, fewer: Double = 0, isHeard: Bool = true) {
            let excess = Int(fill - target) + unrest
            target -= fewer
            if isHeard { sound = (said..<said + 480).map { Signals.wave(440, at: $0, peak: 10_000) } }
            said += 480
            let given = isHeard ? sound : Self.silence
            let more = given.withUnsafeBufferPointer { given in
                let handed = clock.follow(given, excess: excess, fewer: fewer)
                if isHeard { heard += handed }
                return handed.count - given.count
            }
            fill += Double(more) + 480 * partsPerMillion / 1e6
        }
    }

    @Test("Where both are one clock every sample is handed on as it is, however the position jumps")
    func oneClock() {
        let loudspeaker = Loudspeaker()
        for turn in 0..<1_000 { loudspeaker.turn(partsPerMillion: 0, unrest: [-40, 40, 0, 12, -12][turn % 5]) }
        #expect(!loudspeaker.isCorrecting)
        #expect(loudspeaker.heard == (0..<480_000).map { Signals.wave(440, at: $0, peak: 10_000) })
    }

    @Test("A slower and a faster loudspeaker never get late or run dry, and nothing clicks", arguments: [500.0, -500])
    func drift(partsPerMillion: Double) {
        let loudspeaker = Loudspeaker()
        for _ in 0..<1_200 {
            loudspeaker.turn(partsPerMillion: partsPerMillion)
            #expect(abs(loudspeaker.fill) < 120)
        }
        #expect(loudspeaker.isCorrecting)
        #expect(abs(loudspeaker.partsPerMillion - partsPerMillion) < 60)
        // 440 Hz at this peak climb by 576 a sample at most.
        #expect(Signals.steepest(loudspeaker.heard) < 585)
    }

    @Test("What is to lie ahead changes without a click, is there, and is not taken for drift", arguments: [1.0, -1])
    func moved(direction: Double) {
        let loudspeaker = Loudspeaker()
        for _ in 0..<800 {
            loudspeaker.turn(partsPerMillion: 0, fewer: 0.48 * direction)
            #expect(abs(loudspeaker.fill - loudspeaker.target) < 24)
            #expect(abs(loudspeaker.partsPerMillion) < 40)
        }
        for _ in 0..<3_000 { loudspeaker.turn(partsPerMillion: 0) }
        #expect(!loudspeaker.isCorrecting)
        #expect(abs(loudspeaker.fill + 384 * direction) < 24)
        #expect(Signals.steepest(loudspeaker.heard) < 585)
    }

    @Test("Sound is left alone again when the clocks have long agreed")
    func calm() {
        let loudspeaker = Loudspeaker()
        loudspeaker.fill = 60
        var turns = 0
        while !loudspeaker.isCorrecting, turns < 200 {
            loudspeaker.turn(partsPerMillion: 0)
            turns += 1
        }
        #expect(loudspeaker.isCorrecting)
        while loudspeaker.isCorrecting, turns < 9_000 {
            loudspeaker.turn(partsPerMillion: 0)
            turns += 1
        }
        #expect(!loudspeaker.isCorrecting)
        // The last samples that waited in the resampler are more ahead again.
        #expect(abs(loudspeaker.fill) < 24)
        #expect(Signals.steepest(loudspeaker.heard) < 585)
    }
}
