import Glibc
import Testing

@Suite("Traces") struct TraceTests {
    @Test("say of each packet whether and when it comes, over and over")
    func packets() {
        var trace = Trace(parsing: "p 0 1500 -1\np 1 0 -1\np 0 0 5000\n")
        let times = (0..<4).map { trace.pass(at: UInt64($0) * 20_000_000) }
        #expect(times == [[1_500_000], [], [40_000_000, 45_000_000], [61_500_000]])
    }

    @Test("keep the order where they are a queue")
    func order() {
        let lines = "p 0 30000 -1\np 0 0 -1\n"
        var (queue, free) = (Trace(parsing: "fifo 1\n" + lines), Trace(parsing: lines))
        #expect([0, 20_000_000].map { queue.pass(at: $0) } == [[30_000_000], [30_000_000]])
        #expect([0, 20_000_000].map { free.pass(at: $0) } == [[30_000_000], [20_000_000]])
    }

    @Test("hold back what is sent while nothing passes, counted from the first packet")
    func stalls() {
        var trace = Trace(parsing: "stall 100 50\n")
        #expect(
            [7_000_000_000, 7_099_000_000, 7_100_000_000, 7_149_000_000, 7_150_000_000].map { trace.pass(at: $0) }
                == [[7_000_000_000], [7_099_000_000], [7_150_000_000], [7_150_000_000], [7_150_000_000]])
    }

    @Test("Lines that say nothing are left out; without any, everything comes at once")
    func nothing() {
        var trace = Trace(parsing: "p 1 2\nstall x y\n\n# p 1 0 0\n")
        #expect(trace.pass(at: 5) == [5])
    }

    /// See `TraceRun`: HANDSET_TRACE_RUN names the folder.
    @Test("A call through the traces of a folder", .enabled(if: getenv("HANDSET_TRACE_RUN") != nil))
    func run() throws {
        let folder = try #require(getenv("HANDSET_TRACE_RUN").map { String(cString: $0) })
        try TraceRun(folder: folder).run()
        #expect(access("\(folder)/counts.txt", R_OK) == 0)
    }
}
