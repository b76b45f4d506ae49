import RTP
import Testing

private func counter(_ text: String) -> BurstGapCounter {
    var counter = BurstGapCounter()
    for character in text { counter.count(isMissing: character == "x") }
    return counter
}

@Suite("Bursts and gaps (RFC 3611 §4.7.2)") struct BurstGapTests {
    @Test("Losses 16 packets apart stand alone, nearer ones are of one burst")
    func apart() {
        let alone = counter("x" + String(repeating: ".", count: 16) + "x")
        #expect(alone.bursts == 0 && alone.burstPackets == 0 && alone.missing == 2 && alone.runs == 2)
        #expect(alone.gapDensity == 2.0 / 18 && alone.burstDensity == 0)
        #expect(alone.meanGap == 18)
        let near = counter("x" + String(repeating: ".", count: 15) + "x")
        #expect(near.bursts == 1 && near.burstPackets == 17 && near.burstMissing == 2)
        #expect(near.burstDensity == 2.0 / 17 && near.gapDensity == 0)
    }

    @Test("A burst reaches from its first to its last loss")
    func reach() {
        let gap = String(repeating: ".", count: 40)
        let two = counter(gap + "xx.x" + gap + "xxx" + gap + "x" + gap)
        #expect(two.bursts == 2 && two.burstPackets == 7 && two.burstMissing == 6)
        #expect(two.meanBurst == 3.5 && two.runs == 4)
        #expect(two.burstDensity == 6.0 / 7)
        #expect(two.gapDensity == 1.0 / 161)
        #expect(two.meanGap == 80.5)
    }

    @Test("Loss in a row has a burst ratio above 1, alternating loss none below")
    func ratio() {
        #expect(counter("....").burstRatio == 1)
        #expect(counter("xxxx").burstRatio == 1)
        #expect(counter(String(repeating: "x.", count: 50)).burstRatio == 1)
        #expect(counter(String(repeating: "xxxx............", count: 20)).burstRatio == 3)
    }
}

@Suite("Which packets have come") struct ReceptionPatternTests {
    private func number(_ value: Int) -> SequenceNumber { SequenceNumber(rawValue: UInt16(truncatingIfNeeded: value)) }

    @Test("A packet overtaken is not missing, one that never comes is")
    func overtaken() {
        var pattern = ReceptionPattern(first: number(65_530))
        var order = Array(65_531..<65_700)
        order.remove(at: order.firstIndex(of: 65_560) ?? 0)
        let late = order.remove(at: order.firstIndex(of: 65_600) ?? 0)
        for value in order {
            pattern.receive(number(value))
            if value == 65_620 { pattern.receive(number(late)) }
        }
        #expect(pattern.heard.missing == 1)
        #expect(pattern.heard.packets == 65_699 - 65_530 - ReceptionPattern.patience + 1)
        let runs = pattern.takeRuns(source: 3)
        #expect(runs?.first == number(65_530))
        #expect(runs?.received.count == pattern.heard.packets)
        #expect(runs?.received.indices.filter { runs?.received[$0] == false } == [30])
        #expect(pattern.takeRuns(source: 3) == nil)
        for value in 65_700..<65_710 { pattern.receive(number(value)) }
        #expect(pattern.takeRuns(source: 3)?.first == number(65_700 - ReceptionPattern.patience))
    }

    @Test("What a later packet brought is heard, and still reported as lost")
    func recovered() {
        var pattern = ReceptionPattern(first: number(0))
        for value in 1..<100 where value != 50 {
            pattern.receive(number(value))
            if value == 52 { pattern.recover(number(50)) }
        }
        #expect(pattern.heard.missing == 0)
        #expect(pattern.takeRuns(source: 1)?.received.count { !$0 } == 1)
    }

    @Test("What came too late to be played is missing, and counted apart")
    func discarded() {
        var pattern = ReceptionPattern(first: number(0))
        for value in 1..<50 { pattern.receive(number(value)) }
        pattern.discard(3)
        for value in 50..<100 { pattern.receive(number(value)) }
        #expect(pattern.discarded == 3 && pattern.heard.missing == 3)
        #expect(pattern.takeRuns(source: 1)?.received.allSatisfy { $0 } == true)
    }

    @Test("Leaps of the numbers, and hours without a report, stay bounded")
    func bounded() {
        var pattern = ReceptionPattern(first: number(0))
        var value = 0
        for step in [1, 2_999, 1, 2_999, -90, 2_999] {
            value += step
            pattern.receive(number(value))
        }
        for _ in 0..<200_000 {
            value += 1
            pattern.receive(number(value))
        }
        let runs = pattern.takeRuns(source: 1)
        #expect((512...1_024).contains(runs?.received.count ?? 0))
        #expect(runs.map { number($0.first.rawValue.distanceToEnd($0.received.count)) } == number(value - 31))
        pattern.restart(at: number(7))
        #expect(pattern.takeRuns(source: 1) == nil)
        #expect(pattern.heard.packets > 200_000)
    }
}

extension UInt16 {
    /// The number of the packet after `count` ones from this on.
    fileprivate func distanceToEnd(_ count: Int) -> Int { Int(self) + count }
}
