import SIP
import Testing

/// Numbers that are the same in every run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite("Sessions at random") struct InviteSessionSoakTests {
    @Test("Whatever both sides do and whatever is lost, a call ends once at each side and leaves nothing behind")
    func soak() {
        for seed in 0..<600 as Range<UInt64> {
            var random = SeededGenerator(state: seed)
            let link = Link(random: { range in range.lowerBound + Int(seed % UInt64(range.count)) })
            let loss = Int.random(in: 0...4, using: &random)
            var dice = SeededGenerator(state: seed &+ 77)
            link.drops = { _, message in
                let repeats = message.method == .ack || (message.status == 200 && message.method == .invite)
                return repeats && Int.random(in: 0..<10, using: &dice) < loss
            }
            link.delay = .milliseconds(Int.random(in: 1...400, using: &random))
            link.call()
            var attempt = 0
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let side = Bool.random(using: &random) ? Link.Side.caller : .callee
                link.refusal[side] = Int.random(in: 0..<5, using: &random) == 0 ? 488 : nil
                switch Int.random(in: 0..<10, using: &random) {
                case 0...4:
                    attempt += 1
                    link.act(side, .renegotiate(attempt: attempt))
                case 5...7: link.act(.callee, .accept(Array("a0".utf8)))
                case 8 where Int.random(in: 0..<3, using: &random) == 0: link.act(side, .end)
                case 9: link.act(side, .enquire)
                default: break
                }
                link.run(for: .milliseconds(Int.random(in: 0...1_500, using: &random)))
            }
            link.act(.caller, .end)
            link.act(.callee, .end)
            link.run(for: .seconds(200))
            for (side, session) in link.sessions {
                let ends = link.log[side]?.filter { $0.hasPrefix("ended") } ?? []
                #expect(ends.count == 1, "seed \(seed), \(side): \(ends)")
                #expect(link.log[side]?.last?.hasPrefix("ended") == true, "seed \(seed), \(side) speaks after its end")
                #expect(session.isFinished, "seed \(seed), \(side) is not finished")
                let settled = link.log[side]?.filter { $0.hasPrefix("settled") } ?? []
                #expect(Set(settled.map { $0.split(separator: " ")[1] }).count == settled.count, "seed \(seed)")
            }
        }
    }
}
