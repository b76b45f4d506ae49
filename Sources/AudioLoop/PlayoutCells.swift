internal import Playout
internal import Realtime

/// A jitter buffer's counters, written by the loop and read by anybody.
struct PlayoutCells: ~Copyable, Sendable {
    private let played = StatisticCell()
    private let late = StatisticCell()
    private let lost = StatisticCell()
    private let duplicates = StatisticCell()
    private let reordered = StatisticCell()
    private let strays = StatisticCell()
    private let flushed = StatisticCell()
    private let anchorings = StatisticCell()
    private let recovered = StatisticCell()
    private let heard = StatisticCell()
    private let paused = StatisticCell()
    private let silent = StatisticCell()
    private let concealed = StatisticCell()
    private let concealedLost = StatisticCell()
    private let merges = StatisticCell()
    private let leftOut = StatisticCell()
    private let putIn = StatisticCell()
    private let buffered = StatisticCell()
    private let waited = StatisticCell()
    private let target = StatisticCell()
    private let spread = StatisticCell()
    private let senderDrift = StatisticCell()

    @_noLocks @_noAllocation
    func store(_ counters: PlayoutCounters) {
        played.store(counters.played)
        late.store(counters.late)
        lost.store(counters.lost)
        duplicates.store(counters.duplicates)
        reordered.store(counters.reordered)
        strays.store(counters.strays)
        flushed.store(counters.flushed)
        anchorings.store(counters.anchorings)
        recovered.store(counters.recovered)
        heard.store(counters.heard)
        paused.store(counters.paused)
        silent.store(counters.silent)
        concealed.store(counters.concealed)
        concealedLost.store(counters.concealedLost)
        merges.store(counters.merges)
        leftOut.store(counters.leftOut)
        putIn.store(counters.putIn)
        buffered.store(counters.buffered)
        waited.store(counters.waited)
        target.store(counters.target)
        spread.store(counters.spread)
        senderDrift.store(counters.senderDrift)
    }

    /// Each as it was last stored; they may be of different turns.
    var counters: PlayoutCounters {
        var counters = PlayoutCounters()
        counters.played = played.value
        counters.late = late.value
        counters.lost = lost.value
        counters.duplicates = duplicates.value
        counters.reordered = reordered.value
        counters.strays = strays.value
        counters.flushed = flushed.value
        counters.anchorings = anchorings.value
        counters.recovered = recovered.value
        counters.heard = heard.value
        counters.paused = paused.value
        counters.silent = silent.value
        counters.concealed = concealed.value
        counters.concealedLost = concealedLost.value
        counters.merges = merges.value
        counters.leftOut = leftOut.value
        counters.putIn = putIn.value
        counters.buffered = buffered.value
        counters.waited = waited.value
        counters.target = target.value
        counters.spread = spread.value
        counters.senderDrift = senderDrift.value
        return counters
    }
}
