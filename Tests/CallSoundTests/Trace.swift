/// What happens to each packet of one direction, as a text says: the form of `bench/relay`.
///
///     fifo 0|1            keep order (a queue), else delays are free
///     stall START LENGTH  nothing passes for LENGTH ms from START ms after the first packet
///     p DROP DELAY AGAIN  one for each packet: lost or not, µs of delay, µs until it comes once more or -1
struct Trace {
    private struct Step {
        var drops: Bool
        var delay: UInt64
        var again: UInt64?
    }

    private var keepsOrder = false
    private var stalls: [(start: UInt64, end: UInt64)] = []
    private var steps: [Step] = []
    private var next = 0
    private var first: UInt64?
    private var last: UInt64 = 0

    init(parsing text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ").dropFirst().compactMap { Double($0) }
            if line.hasPrefix("fifo"), let order = fields.first { keepsOrder = order != 0 }
            if line.hasPrefix("stall"), fields.count == 2 {
                stalls.append((UInt64(max(fields[0], 0) * 1e6), UInt64(max(fields[0] + fields[1], 0) * 1e6)))
            }
            if line.hasPrefix("p"), fields.count == 3 {
                steps.append(
                    Step(
                        drops: fields[0] != 0, delay: UInt64(max(fields[1], 0) * 1e3),
                        again: fields[2] >= 0 ? UInt64(fields[2] * 1e3) : nil))
            }
        }
    }

    /// When a packet sent at `now` comes, in nanoseconds; empty where it is lost.
    mutating func pass(at now: UInt64) -> [UInt64] {
        let start = first ?? now
        first = start
        var step = Step(drops: false, delay: 0, again: nil)
        if !steps.isEmpty {
            step = steps[next % steps.count]
            next += 1
        }
        if step.drops { return [] }
        var time = now + step.delay
        for stall in stalls where now - start >= stall.start && now - start < stall.end {
            time = max(time, start + stall.end)
        }
        if keepsOrder { time = max(time, last) }
        last = time
        return step.again.map { [time, time + $0] } ?? [time]
    }
}
