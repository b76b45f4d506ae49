import AllocationCounter
import Glibc
import Resampling
import Testing

@Suite("Resampler") struct ResamplerTests {
    @Test(
        "A second of tone comes out a second long, as loud and as high",
        arguments: [
            (48_000, 16_000), (48_000, 8_000), (16_000, 48_000), (8_000, 48_000), (44_100, 48_000),
        ])
    func tone(from: Int, to: Int) throws {
        let resampler = try Resampler(from: from, to: to)
        let tone = { (rate: Int, index: Int) in 10_000 * sin(2 * Double.pi * 500 * Double(index) / Double(rate)) }
        let input = (0..<from).map { Int16(tone(from, $0)) }
        var output = [Int16](repeating: 0, count: to)
        var (taken, made) = (0, 0)
        while taken < from {
            let progress = input[taken..<min(taken + from / 100, from)].withUnsafeBufferPointer { source in
                output.withUnsafeMutableBufferPointer {
                    resampler.process(source, into: UnsafeMutableBufferPointer(rebasing: $0[made...]))
                }
            }
            taken += progress.consumed
            made += progress.produced
            guard progress.consumed > 0 else { break }
        }
        #expect(abs(made - to) <= 2)
        let delay = resampler.outputLatency
        for index in to / 4..<to / 2 { #expect(abs(Double(output[index]) - tone(to, index - delay)) < 600) }
        let loudest = output.map { abs(Int($0)) }.max() ?? 0
        #expect((9_700...10_100).contains(loudest))
    }

    @Test("Converting neither allocates nor locks", .enabled(if: allocation_counter_available() == 1))
    func allocations() throws {
        let up = try Resampler(from: 8_000, to: 48_000)
        let down = try Resampler(from: 48_000, to: 44_100)
        let narrow = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 80)
        let wide = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 480)
        defer {
            narrow.deallocate()
            wide.deallocate()
        }
        narrow.initialize(repeating: 1_000)
        wide.initialize(repeating: 0)
        allocation_counter_reset_thread()
        for _ in 0..<1_000 {
            _ = up.process(UnsafeBufferPointer(narrow), into: wide)
            _ = down.process(UnsafeBufferPointer(wide), into: wide)
            up.reset()
        }
        let total = allocation_counter_mallocs() + allocation_counter_frees() + allocation_counter_locks()
        #expect(total == 0)
    }

    @Test("Rates that are none are refused", arguments: [(0, 48_000), (48_000, -1), (2_000_000, 48_000)])
    func refused(from: Int, to: Int) { #expect(throws: ResamplerError.self) { _ = try Resampler(from: from, to: to) } }
}
