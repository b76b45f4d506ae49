import Testing

@testable import AudioLoop

@Suite("What lies ahead of the loudspeaker") struct FillControlTests {
    /// Turns of 10 ms: a second has a hundred.
    private struct Bench {
        var control = FillControl(turn: 480, start: 480, least: 96)
        /// Samples that were handed over less than usual.
        var fewer = 0.0
        /// The largest change of a single turn.
        var steepest = 0.0
        /// Of the loudspeaker.
        var isQuiet = true
        /// Turns whose sound was ready after the loudspeaker had played all that lay ahead.
        var dry = 0

        mutating func turn(_ count: Int, delay: (Int) -> Int) {
            for index in 0..<count {
                let delay = delay(index)
                if delay > Int(control.target) { dry += 1 }
                let step = control.makeTurn(delay: delay, isQuiet: isQuiet)
                fewer += step
                steepest = max(steepest, abs(step))
            }
        }
    }

    @Test("It stays for three seconds, and then comes down to what is needed, by a ten-thousandth of the sound")
    func lowering() {
        var bench = Bench(isQuiet: false)
        bench.turn(299) { _ in 10 }
        #expect(bench.control.target == 480)
        bench.turn(700) { _ in 10 }
        #expect(abs(bench.control.target - 446.4) < 1e-6)
        // Of 8 samples each, the class of 10 ends at 16; 192 are the margin.
        bench.turn(5_000) { _ in 10 }
        #expect(bench.control.target == 208)
        #expect(abs(bench.fewer - 272) < 1e-6)
        #expect(bench.steepest <= 0.048 + 1e-9)
        bench.turn(100_000) { _ in 10 }
        #expect(bench.control.target == 208 && bench.dry == 0)
    }

    @Test("In a pause it comes down within half a second, and goes up within as little")
    func pause() {
        var bench = Bench()
        bench.turn(299 + 46) { _ in 10 }
        #expect(bench.control.target == 208)
        #expect(bench.steepest <= 6)
        bench.turn(1) { _ in 170 }
        bench.turn(30) { _ in 10 }
        #expect(bench.control.target == 362 && bench.dry == 0)
    }

    @Test("Under sound it goes up by a thousandth, for what is needed is needed")
    func raising() {
        var bench = Bench()
        bench.turn(2_000) { _ in 10 }
        bench.isQuiet = false
        bench.turn(1) { _ in 170 }
        #expect(abs(bench.control.target - 208.48) < 1e-6)
        bench.turn(400) { _ in 10 }
        #expect(bench.control.target == 362)
    }

    @Test("999 of 1,000 turns decide, so that one in 2,000 is nothing to it and one in 500 is")
    func quantile() {
        var bench = Bench()
        bench.turn(3_000) { $0 % 2_000 == 1_999 ? 60 : 10 }
        #expect(bench.control.target == 208)
        bench = Bench()
        bench.turn(3_000) { $0 % 500 == 499 ? 100 : 10 }
        #expect(bench.control.target == 104 + 192)
    }

    @Test("A near miss raises it for two minutes, and then it comes down by a twentieth of a millisecond a second")
    func nearMiss() {
        var bench = Bench()
        bench.turn(2_000) { _ in 10 }
        #expect(bench.control.target == 208)
        bench.turn(1) { _ in 176 }
        bench.turn(200) { _ in 10 }
        #expect(bench.control.target == 368)
        bench.turn(11_799) { _ in 10 }
        #expect(bench.control.target == 368)
        bench.turn(2_000) { _ in 10 }
        #expect(bench.control.target > 319 && bench.control.target < 321)
        bench.turn(5_000) { _ in 10 }
        #expect(bench.control.target == 208 && bench.dry == 0)
    }

    @Test("Little less waits for a pause, in which it is there at once; twice as much does not")
    func waiting() {
        var bench = Bench()
        bench.turn(2_000) { _ in 10 }
        bench.turn(1) { _ in 176 }
        bench.turn(12_000) { _ in 10 }
        #expect(bench.control.target == 368)
        // It decays by 24 samples in ten seconds.
        bench.isQuiet = false
        bench.turn(1_900) { _ in 10 }
        #expect(bench.control.target == 368)
        var pause = bench
        pause.isQuiet = true
        pause.turn(10) { _ in 10 }
        #expect(pause.control.target < 368 - 45)
        bench.turn(1_000) { _ in 10 }
        #expect(bench.control.target < 368 - 24 && bench.steepest <= 6)
    }

    @Test("What recurs is remembered for longer each time, so that it costs ever fewer xruns")
    func recurring() {
        var bench = Bench()
        var dry: [Int] = []
        // Every 300 s a turn that comes 5 ms late, for an hour.
        for _ in 0..<12 {
            bench.turn(29_999) { _ in 10 }
            let before = bench.dry
            bench.turn(1) { _ in 240 }
            if bench.dry > before { bench.control.ranDry(delay: 240) }
            dry.append(bench.dry)
        }
        #expect(dry.prefix(3) == [1, 2, 2])
        #expect(bench.dry == 2, "\(dry)")
        #expect(bench.control.target == 432)
    }

    @Test("After it ran dry it lies higher at once; a standstill that nothing could have covered changes nothing")
    func ranDry() {
        var bench = Bench()
        bench.turn(2_000) { _ in 10 }
        _ = bench.control.makeTurn(delay: 200, isQuiet: false)
        bench.control.ranDry(delay: 200)
        #expect(bench.control.target == 392)
        bench = Bench()
        bench.turn(2_000) { _ in 10 }
        // 80 ms, and the turns that make up for it.
        for delay in stride(from: 3_840, through: 0, by: -480) {
            _ = bench.control.makeTurn(delay: delay, isQuiet: true)
        }
        bench.control.ranDry(delay: 3_840)
        bench.turn(1_000) { _ in 10 }
        #expect(bench.control.target == 208)
    }

    @Test("Where the machine is slow it lies higher than it began, two periods at most")
    func slow() {
        var bench = Bench()
        bench.turn(3_000) { $0 % 10 == 0 ? 450 : 300 }
        #expect(bench.control.target >= 642 && bench.control.target <= 648)
        bench.turn(3_000) { _ in 2_000 }
        #expect(bench.control.target <= 960)
    }

    @Test("It begins with what was learnt before, within its bounds, and goes on learning")
    func learnt() {
        var control = FillControl(turn: 480, start: 480, least: 96, learnt: 150)
        #expect(control.target == 150)
        for _ in 0..<1_000 { _ = control.makeTurn(delay: 10, isQuiet: true) }
        #expect(control.target == 208)
        for _ in 0..<3_000 { _ = control.makeTurn(delay: 300, isQuiet: true) }
        #expect(control.target >= 396)
        #expect(FillControl(turn: 480, start: 480, least: 96, learnt: 1).target == 96)
        #expect(FillControl(turn: 480, start: 480, least: 96, learnt: 9_999).target == 960)
    }

    @Test("What was learnt belongs to the devices and the period, and does not grow without end")
    func memory() {
        let learnt = LearntFill()
        #expect(learnt.samples(for: "a", period: 480) == nil)
        learnt.note(120, for: "a", period: 480)
        learnt.note(130, for: "a", period: 240)
        learnt.note(140, for: "a", period: 240)
        #expect(learnt.samples(for: "a", period: 480) == 120 && learnt.samples(for: "a", period: 240) == 140)
        for number in 0..<1_000 { learnt.note(100, for: "\(number)", period: 480) }
        #expect(learnt.samples(for: "999", period: 480) == nil && learnt.samples(for: "a", period: 480) == 120)
    }
}

extension FillControl {
    /// A turn as the loop makes it.
    fileprivate mutating func makeTurn(delay: Int, isQuiet: Bool) -> Double {
        take(delay: delay) ? move(isQuiet: isQuiet) : 0
    }
}
