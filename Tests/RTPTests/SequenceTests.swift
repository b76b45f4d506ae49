import RTP
import Testing

@Suite("Sequence numbers") struct SequenceTests {
    @Test(
        "Distances go the shorter way round",
        arguments: [
            (0, 1, 1), (1, 0, -1), (65_535, 0, 1), (0, 65_535, -1), (65_530, 5, 11), (5, 65_530, -11),
            (0, 32_767, 32_767), (0, 32_768, -32_768), (40_000, 40_000, 0),
        ] as [(UInt16, UInt16, Int)])
    func distance(from: UInt16, to: UInt16, expected: Int) {
        let first = SequenceNumber(rawValue: from)
        let second = SequenceNumber(rawValue: to)
        #expect(first.distance(to: second) == expected)
        #expect(second.isNewer(than: first) == (expected > 0))
    }

    @Test(
        "Timestamps wrap",
        arguments: [(0, 1, 1), (UInt32.max, 0, 1), (0, UInt32.max, -1), (0xFFFF_FF00, 0x100, 0x200)]
            as [(UInt32, UInt32, Int)])
    func timestamps(from: UInt32, to: UInt32, expected: Int) {
        #expect(timestampDistance(from: from, to: to) == expected)
    }
}

@Suite("Source validation (RFC 3550 A.1)") struct SourceValidatorTests {
    private func verdicts(_ numbers: [UInt16], probation: Int = 2) -> [SourceValidator.Verdict] {
        var validator = SourceValidator(first: SequenceNumber(rawValue: numbers[0]), probation: probation)
        return numbers.map { validator.receive(SequenceNumber(rawValue: $0)) }
    }

    @Test(
        "What a sequence of packets is taken for",
        arguments: [
            ([10, 11, 12], [.probation, .restarted, .valid]),
            // A stranger's numbers never become a source.
            ([10, 500, 7, 9_000], [.probation, .probation, .probation, .probation]),
            ([10, 500, 501], [.probation, .probation, .restarted]),
            // The wrap is nothing special.
            ([65_534, 65_535, 0, 1], [.probation, .restarted, .valid, .valid]),
            // Loss short of the dropout is loss.
            ([1, 2, 3_001], [.probation, .restarted, .valid]),
            ([1, 2, 3_002], [.probation, .restarted, .rejected]),
            // Reordering and duplicates, up to the misorder.
            ([1_000, 1_001, 1_001], [.probation, .restarted, .reordered]),
            ([1_000, 1_001, 901], [.probation, .restarted, .reordered]),
            ([1_000, 1_001, 900], [.probation, .restarted, .rejected]),
            // A sequence that begins anew needs two in a row.
            ([1, 2, 40_000, 40_001, 40_002], [.probation, .restarted, .rejected, .restarted, .valid]),
            ([1, 2, 40_000, 50_000, 3], [.probation, .restarted, .rejected, .rejected, .valid]),
            ([20_000, 20_001, 10, 11], [.probation, .restarted, .rejected, .restarted]),
        ] as [([UInt16], [SourceValidator.Verdict])])
    func table(numbers: [UInt16], expected: [SourceValidator.Verdict]) {
        #expect(verdicts(numbers) == expected)
    }

    @Test("An authenticated source is one from its first packet")
    func authenticated() {
        #expect(verdicts([7, 8], probation: 1) == [.restarted, .valid])
    }
}
