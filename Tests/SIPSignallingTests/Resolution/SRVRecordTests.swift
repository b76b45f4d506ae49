import Testing

@testable import SIPSignalling

@Suite("Order of servers (RFC 2782)") struct SRVRecordTests {
    /// SplitMix64: the same draws every time.
    struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    static func record(_ priority: UInt16, _ weight: UInt16, _ target: String) -> SRVRecord {
        SRVRecord(priority: priority, weight: weight, port: 5060, target: target)
    }

    @Test("Lower priorities come first, whatever their weight")
    func priorities() {
        let records = [Self.record(20, 100, "c"), Self.record(10, 0, "a"), Self.record(15, 1, "b")]
        for seed in 0..<50 {
            var random = Generator(state: UInt64(seed))
            #expect(SRVRecord.ordered(records, using: &random) { $0 }.map(\.target) == ["a", "b", "c"])
        }
    }

    @Test("Within a priority the first is drawn in proportion to its weight, and none is lost")
    func weights() {
        let records = [Self.record(1, 10, "ten"), Self.record(1, 30, "thirty"), Self.record(1, 60, "sixty")]
        var random = Generator(state: 1)
        var first: [String: Int] = [:]
        for _ in 0..<4_000 {
            let order = SRVRecord.ordered(records, using: &random) { $0 }.map(\.target)
            #expect(Set(order).count == 3)
            first[order[0], default: 0] += 1
        }
        #expect(300...550 ~= first["ten"] ?? 0)
        #expect(1_050...1_350 ~= first["thirty"] ?? 0)
        #expect(2_200...2_600 ~= first["sixty"] ?? 0)
    }

    @Test("Weight zero is drawn seldom, but drawn")
    func weightZero() {
        let records = [Self.record(1, 0, "zero"), Self.record(1, 9, "nine")]
        var random = Generator(state: 2)
        let zeros = (0..<2_000).count { _ in SRVRecord.ordered(records, using: &random) { $0 }[0].target == "zero" }
        #expect(100...320 ~= zeros)
    }

    @Test("Only zeros is no trap")
    func onlyZeros() {
        var random = Generator(state: 3)
        #expect(SRVRecord.ordered([Self.record(1, 0, "a"), Self.record(1, 0, "b")], using: &random) { $0 }.count == 2)
        #expect(SRVRecord.ordered([SRVRecord](), using: &random) { $0 }.isEmpty)
    }
}
