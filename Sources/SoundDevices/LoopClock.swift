internal import CLinux
internal import Realtime

/// CLOCK_MONOTONIC for the loop, and the turns of a device that has no clock of its own.
struct LoopClock: ~Copyable, @unchecked Sendable {
    private let memory = LockedBuffer(byteCount: MemoryLayout<State>.size)
    let state: UnsafeMutablePointer<State>
    private let period: UInt64

    struct State: BitwiseCopyable {
        /// When the next turn is due, or the next period of a card is believable.
        var due: UInt64 = 0
        /// How late the last turn of a timer began, in nanoseconds.
        var lateness: UInt64 = 0
        /// Periods given up because the loop came too late for them.
        var skipped = 0
        /// Whether the last failure was the playback side's.
        var playbackFailed = false
    }

    init(periodFrames: Int) {
        state = memory.base.bindMemory(to: State.self, capacity: 1)
        state.initialize(to: State())
        period = UInt64(periodFrames) * 1_000_000_000 / 48_000
    }

    /// Turns of a timer begin now; a card may first deliver what it has gathered.
    func start(isTimer: Bool) {
        let now = self.now()
        state.pointee = State(due: isTimer ? now : now &- min(now, 16 &* period))
    }

    @_noLocks @_noAllocation
    func now() -> UInt64 {
        // Never waits: reads a clock.
        _unsafePerformance { clinux_monotonic_ns() }
    }

    @_noLocks @_noAllocation
    func sleep(until deadline: UInt64) {
        // Bounded by `deadline`, which the caller bounds.
        _unsafePerformance { clinux_sleep_until(deadline) }
    }

    /// Waits for the next turn of true speed; `false` when `deadline` comes first. Deadlines are absolute, so that no
    /// error adds up; a loop that is eight periods late is not chased.
    @_noLocks @_noAllocation
    func waitForTurn(until deadline: UInt64) -> Bool {
        let due = state.pointee.due
        guard due <= deadline else {
            sleep(until: deadline)
            return false
        }
        sleep(until: due)
        state.pointee.due = due &+ period
        let now = self.now()
        state.pointee.lateness = now &- min(now, due)
        if now > due &+ 8 &* period {
            let skipped = (now &- due) / period
            state.pointee.skipped &+= Int(truncatingIfNeeded: skipped)
            state.pointee.due = due &+ (skipped &+ 1) &* period
        }
        return true
    }

    /// Sleeps when a card has delivered more than time allows, in bursts of sixteen periods at most and 0.2 % above true
    /// speed for good: no card does, `null` and its like do. `false` when `deadline` comes first.
    @_noLocks @_noAllocation
    func holdBack(until deadline: UInt64) -> Bool {
        let now = self.now()
        let earliest = max(state.pointee.due, now &- min(now, 16 &* period))
        guard earliest <= deadline else {
            sleep(until: deadline)
            return false
        }
        if earliest > now { sleep(until: earliest) }
        state.pointee.due = earliest &+ period &- period / 500
        return true
    }
}
