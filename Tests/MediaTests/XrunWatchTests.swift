import AudioLoop
import CallModel
import Testing

@testable import Media

@Suite("What is said of xruns") struct XrunWatchTests {
    private func statistics(_ xruns: Int, _ cause: XrunCause, late: Double = 12.34) -> AudioSessionStatistics {
        var statistics = AudioSessionStatistics()
        statistics.xruns = xruns
        statistics.lastXrun = Xrun(
            cause: cause, time: 5_000_000_000, lateMilliseconds: late, aheadMilliseconds: 5, isPlayback: true)
        return statistics
    }

    @Test("Each is said once, with what was late and what lay ahead, and how many there were")
    func said() {
        var watch = XrunWatch()
        #expect(watch.look(at: AudioSessionStatistics(), stolen: 70, scheduling: "SCHED_FIFO 50") == nil)
        #expect(watch.report(at: 0) == nil)
        let one = statistics(1, .lateWakeUp)
        #expect(
            watch.look(at: one, stolen: 70, scheduling: "SCHED_FIFO 50")
                == "xrun of playback: the audio loop was woken 12.3 ms late, 5.0 ms lay ahead of the loudspeaker"
                + " (SCHED_FIFO 50)")
        #expect(watch.look(at: one, stolen: 70, scheduling: "SCHED_FIFO 50") == nil)
        let three = watch.look(at: statistics(4, .suspended), stolen: 70, scheduling: "")
        #expect(three == "3 xruns, the last one of playback: the machine was suspended")
        let report = watch.report(at: 8_500_000_000)
        #expect(report?.cause == .suspended && report?.age == 3.5 && report?.aheadMilliseconds == 5)
    }

    @Test("What other virtual machines had of the processor explains what was late or long, and nothing else")
    func stolen() {
        var watch = XrunWatch()
        _ = watch.look(at: AudioSessionStatistics(), stolen: 100, scheduling: "")
        #expect(
            watch.look(at: statistics(1, .longTurn), stolen: 110, scheduling: "")?.contains("other virtual") == true)
        #expect(watch.report(at: 0)?.cause == .stolenTime)
        _ = watch.look(at: statistics(2, .lateWakeUp), stolen: 114, scheduling: "")
        #expect(watch.report(at: 0)?.cause == .lateWakeUp)
        _ = watch.look(at: statistics(3, .card), stolen: 900, scheduling: "")
        #expect(watch.report(at: 0)?.cause == .card)
    }

    @Test("Who looks only where there were some leaves what is stolen before the loop can tell of it")
    func behind() {
        var watch = XrunWatch()
        _ = watch.look(at: statistics(2, .card), stolen: 100, scheduling: "")
        #expect(!watch.isBehind(statistics(2, .card)))
        let late = statistics(3, .lateWakeUp)
        #expect(watch.isBehind(late))
        _ = watch.look(at: late, stolen: 110, scheduling: "")
        #expect(watch.report(at: 0)?.cause == .stolenTime && !watch.isBehind(late))
        watch.restart()
        #expect(watch.isBehind(statistics(1, .card)))
    }

    @Test("Of which loop it was is said") func named() {
        var watch = XrunWatch(of: "the loop of services")
        let said = watch.look(at: statistics(1, .lateWakeUp), stolen: 0, scheduling: "SCHED_OTHER")
        #expect(said?.contains(": the loop of services was woken 12.3 ms late") == true)
    }

    @Test("Another session begins at none, and what the last one had stays known")
    func restart() {
        var watch = XrunWatch()
        _ = watch.look(at: statistics(3, .card), stolen: 0, scheduling: "")
        watch.restart()
        #expect(watch.look(at: AudioSessionStatistics(), stolen: 0, scheduling: "") == nil)
        #expect(watch.report(at: 0)?.cause == .card)
        #expect(watch.look(at: statistics(1, .longTurn), stolen: 0, scheduling: "")?.hasPrefix("xrun of") == true)
    }

    @Test(
        "The stolen time is the eighth number of /proc/stat",
        arguments: [
            ("cpu  1 2 3 4 5 6 7 89 9 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n", 89), ("cpu 1 2 3\n", 0), ("", 0),
            ("cpu  1 2 3 4 5 6 7 x 9 0\n", 0),
        ])
    func parsing(text: String, ticks: Int) {
        #expect(XrunWatch.stolenTicks(Array(text.utf8)) == ticks)
    }
}
