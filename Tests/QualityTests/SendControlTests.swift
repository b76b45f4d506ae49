import MediaDescription
import Quality
import Testing

/// A sender and the peer's reports, every five seconds on a virtual clock.
private struct Link {
    var control: SendControl
    var seconds = 0

    init(_ limits: SendControl.Limits = SendControl.Limits(redundancy: .auto)) { control = SendControl(limits) }

    @discardableResult
    mutating func report(lost: Double, roundTrip: Double? = 40, pattern: [Bool]? = nil) -> SendControl.Plan {
        seconds += 5
        control.take(
            SendControl.Report(sent: 250, lost: lost, roundTrip: roundTrip, pattern: pattern),
            at: UInt64(seconds) * 1_000_000_000)
        return control.plan
    }

    @discardableResult
    mutating func run(_ source: inout LossSource, reports: Int, roundTrip: Double = 40) -> [SendControl.Plan] {
        (0..<reports).map { _ in
            let pattern = source.next(250)
            return report(lost: pattern.lost, roundTrip: roundTrip, pattern: pattern)
        }
    }
}

@Suite("Sending by the peer's reports") struct SendControlTests {
    @Test("Without loss nothing changes")
    func quiet() {
        var link = Link()
        let first = link.control.plan
        #expect(first == SendControl.Plan(expectedLossPercent: 0, bitRate: 28_000, distances: []))
        for _ in 0..<100 {
            let plan = link.report(lost: 0)
            #expect(plan == first)
        }
    }

    @Test("Where no redundancy is taken, the codec corrects as long as packets get lost", arguments: [0.01, 0.03, 0.2])
    func correction(loss: Double) {
        var link = Link(SendControl.Limits())
        var source = LossSource(loss: loss)
        let plans = link.run(&source, reports: 40)
        #expect(plans[6...].allSatisfy { $0.expectedLossPercent == SendControl.correctedLoss && $0.distances.isEmpty })
        var quiet = LossSource(loss: 0)
        let after = link.run(&quiet, reports: 20)
        #expect(after.last?.expectedLossPercent == 0)
    }

    @Test("Switched off by either end, or without the bits for it, the codec corrects nothing")
    func noCorrection() {
        var off = Link(.init(inBandFEC: false))
        var narrow = Link(.init(bitRate: 16_000))
        for _ in 0..<10 {
            #expect(off.report(lost: 0.1).expectedLossPercent == 0)
            #expect(narrow.report(lost: 0.1).expectedLossPercent == 0)
        }
    }

    @Test("Loss that wavers does not make the sender waver", arguments: [RedundancyPolicy.off, .auto])
    func steadiness(policy: RedundancyPolicy) {
        var link = Link(SendControl.Limits(redundancy: policy))
        for _ in 0..<10 { link.report(lost: 0.1) }
        var changes = 0
        var last = link.control.plan
        for index in 0..<200 {
            let plan = link.report(lost: index % 2 == 0 ? 0.085 : 0.105)
            if plan != last { changes += 1 }
            last = plan
        }
        #expect(changes <= 1)
    }

    @Test("A packet now and then needs nothing", arguments: [0.0002, 0.0005])
    func chance(loss: Double) {
        var link = Link()
        var source = LossSource(loss: loss)
        let plans = link.run(&source, reports: 100)
        #expect(plans.count { !$0.distances.isEmpty || $0.expectedLossPercent > 0 } <= 10)
    }

    @Test("Loss by chance is met by a copy in the next packet; more of it by more", arguments: [0.01, 0.03, 0.1, 0.2])
    func byChance(loss: Double) throws {
        var link = Link()
        var source = LossSource(loss: loss, seed: 3)
        link.run(&source, reports: 40)
        let plan = link.control.plan
        #expect(!plan.distances.isEmpty)
        if loss <= 0.03 {
            #expect(plan.distances.count == 1)
        } else {
            #expect(plan.distances.count == 2 || plan.expectedLossPercent > 0)
        }
    }

    @Test(
        "Loss by chance makes the receiver wait for the next packet only, whatever two losses in a row may look like",
        arguments: [0.02, 0.03])
    func noPattern(loss: Double) {
        var (waits, changes, reports) = (0, 0, 0)
        for seed in 1...20 {
            var link = Link()
            var source = LossSource(loss: loss, seed: UInt64(seed))
            let plans = link.run(&source, reports: 24)
            waits += plans.count { $0.distances.last ?? 0 > 1 }
            changes += zip(plans, plans.dropFirst()).count { $0.distances != $1.distances }
            reports += plans.count
        }
        #expect(Double(waits) < 0.25 * Double(reports))
        // In two minutes each, beside the first copy.
        #expect(changes < 20)
    }

    @Test(
        "Loss in a row is met by copies from beyond it, after the first reports",
        arguments: [(0.05, 3.0), (0.2, 4), (0.1, 2), (0.3, 8)])
    func bursts(loss: Double, run: Double) throws {
        var link = Link()
        var source = LossSource(loss: loss, run: run, seed: 5)
        let plans = link.run(&source, reports: 30)
        #expect(plans[4...].allSatisfy { !$0.distances.isEmpty })
        let distances = try #require(plans.last).distances
        // Within what a receiver will wait for, and past the typical stretch of loss.
        #expect(distances.allSatisfy { (1...4).contains($0) })
        #expect(distances.last ?? 0 >= 2)
        var check = LossSource(loss: loss, run: run, seed: 99)
        let pattern = check.next(50_000)
        let left = (0..<pattern.count - 4).count { index in
            !pattern[index] && distances.allSatisfy { !pattern[index + $0] }
        }
        #expect(Double(left) / Double(pattern.count) < pattern.lost * 0.85)
    }

    @Test("It ends a while after the loss")
    func ends() {
        var link = Link()
        var source = LossSource(loss: 0.2, run: 4)
        link.run(&source, reports: 10)
        #expect(!link.control.plan.distances.isEmpty)
        var quiet = LossSource(loss: 0)
        let after = link.run(&quiet, reports: 20)
        #expect(!after[0].distances.isEmpty)
        #expect(after[15...].allSatisfy { $0.distances.isEmpty })
        #expect(after.last?.bitRate == 28_000)
    }

    @Test("`on` sends it always, `off` never")
    func policy() {
        var (always, never) = (Link(.init(redundancy: .on)), Link(.init(redundancy: .off)))
        #expect(always.control.plan.distances == [1])
        var source = LossSource(loss: 0.2, run: 4)
        let off = never.run(&source, reports: 10)
        #expect(off.allSatisfy { $0.distances.isEmpty })
        let on = (0..<10).map { _ in always.report(lost: 0).distances }
        #expect(on.allSatisfy { $0 == [1] })
    }

    @Test(
        "Sound, copies and their headers stay within what the peer allows",
        arguments: [30_000, 42_000, 64_000], [10, 20, 40])
    func limits(total: Int, packet: Int) {
        var source = LossSource(loss: 0.2, run: 4)
        var link = Link(.init(bitRate: 28_000, totalBitRate: total, redundancy: .auto, packetMilliseconds: packet))
        for plan in link.run(&source, reports: 20) {
            let copies = plan.distances.count
            // RFC 2198 §3: four octets for each copy, one for the sound itself.
            let headers = copies > 0 ? Double(4 * copies + 1) * 8_000 / Double(packet) : 0
            #expect(Double(plan.bitRate * (1 + copies)) + headers <= Double(total))
        }
        #expect(!link.control.plan.distances.isEmpty)
    }

    @Test("Below what an encoder needs there are no copies")
    func tightLimits() {
        var source = LossSource(loss: 0.2, run: 4)
        var narrow = Link(.init(bitRate: 28_000, totalBitRate: 30_000, redundancy: .auto))
        narrow.run(&source, reports: 20)
        #expect(narrow.control.plan.distances.count == 1)
        var tight = Link(.init(bitRate: 20_000, totalBitRate: 20_000, redundancy: .auto))
        let plans = tight.run(&source, reports: 20)
        #expect(plans.allSatisfy { $0.distances.isEmpty })
    }

    @Test("The reach is a time, whatever the packets' length", arguments: [(10, 8), (20, 4), (40, 2), (60, 1)])
    func reach(packet: Int, longest: Int) {
        var link = Link(.init(redundancy: .auto, packetMilliseconds: packet))
        var source = LossSource(loss: 0.3, run: 3)
        let plans = link.run(&source, reports: 20)
        let last = plans.last
        // What the codec corrects with the next packet is as good as a copy in it, where no other one is within reach.
        #expect(
            last?.distances.isEmpty == false || longest == 1 && last?.expectedLossPercent == SendControl.correctedLoss)
        #expect(plans.flatMap(\.distances).allSatisfy { $0 <= longest })
    }

    @Test("Round trips that grow lower the bit rate and end redundancy; then it comes back in steps")
    func congestion() {
        var link = Link()
        var source = LossSource(loss: 0.2, run: 4)
        link.run(&source, reports: 10)
        let lossy = link.control.plan
        #expect(!lossy.distances.isEmpty)
        let full = link.run(&source, reports: 6, roundTrip: 400)
        #expect(full[2...].allSatisfy { $0.distances.isEmpty })
        #expect(zip(full, full.dropFirst()).allSatisfy { $0.bitRate >= $1.bitRate })
        #expect((9_000...12_000).contains(link.control.plan.bitRate))
        var quiet = LossSource(loss: 0)
        let back = link.run(&quiet, reports: 30)
        #expect(zip(back, back.dropFirst()).allSatisfy { (0...2_000).contains($1.bitRate - $0.bitRate) })
        #expect(back.last?.bitRate == 28_000)
    }

    @Test("A way that has become longer for good is taken as it is after a minute")
    func longerWay() {
        var link = Link()
        for _ in 0..<5 { link.report(lost: 0, roundTrip: 30) }
        for _ in 0..<40 { link.report(lost: 0, roundTrip: 300) }
        #expect(link.control.plan.bitRate == 28_000)
    }

    @Test(
        "Heavy loss that lasts lowers the bit rate a little: where it is not the cause, the sound would only be worse")
    func heavyLoss() {
        var link = Link(.init(redundancy: .off))
        var last = 28_000
        for _ in 0..<30 { last = link.report(lost: 0.25).bitRate }
        #expect(last == 21_000)
        for _ in 0..<30 { last = link.report(lost: 0).bitRate }
        #expect(last == 28_000)
    }

    @Test("A report on a handful of packets decides nothing")
    func fewPackets() {
        var control = SendControl(.init(redundancy: .auto))
        let changed = control.take(.init(sent: 10, lost: 1), at: 1)
        #expect(!changed)
        #expect(control.plan.distances.isEmpty && control.plan.expectedLossPercent == 0)
    }

    @Test("Other limits hold at once, and what was learnt stays")
    func change() {
        var link = Link()
        var source = LossSource(loss: 0.2, run: 4)
        link.run(&source, reports: 10)
        link.control.change(.init(bitRate: 12_000, redundancy: .auto))
        #expect(link.control.plan.bitRate <= 12_000 && !link.control.plan.distances.isEmpty)
        link.control.change(.init(bitRate: 12_000, redundancy: .off))
        #expect(link.control.plan.distances.isEmpty)
        link.control.change(.init(redundancy: .off))
        #expect(link.control.plan.expectedLossPercent == SendControl.correctedLoss)
    }
}
