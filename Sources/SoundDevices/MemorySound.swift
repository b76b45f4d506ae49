internal import Glibc
internal import Realtime

/// A sound card in memory for tests: the loop hears what was given and what it plays is kept.
///
/// `@unchecked`: one thread turns the loop, others look before or after.
public final class MemorySound: @unchecked Sendable {
    private let memory: LockedBuffer
    private let state: UnsafeMutablePointer<State>

    struct State: BitwiseCopyable {
        var turns: Int
        var captured: UnsafeMutableBufferPointer<Int16>
        var played: UnsafeMutableBufferPointer<Int16>
        var heard = 0
        var written = 0
        /// Samples from what is played to what is heard of it, and how loud, in 256ths.
        var echoDelay = 0
        var echoGain = 0
        var dryness = Dryness.none
        /// Samples that lie ahead of the loudspeaker beyond a period, and that will when it starts anew.
        var ahead = 0
        var nextAhead = 0
    }

    /// Who is told that the loudspeaker has run dry.
    enum Dryness: BitwiseCopyable { case none, whoeverAsks, whoeverWrites }

    /// The loop hears `capture` and then silence. What it plays is kept up to `capacity` frames, and then dropped. `wait`
    /// is ready `turns` times, then times out.
    public init(capture: [Int16] = [], capacity: Int, turns: Int = .max) {
        let header = MemoryLayout<State>.stride
        memory = LockedBuffer(byteCount: header + 2 * (capture.count + capacity))
        state = memory.base.bindMemory(to: State.self, capacity: 1)
        let samples = (memory.base + header).bindMemory(to: Int16.self, capacity: capture.count + capacity)
        let captured = UnsafeMutableBufferPointer(start: samples, count: capture.count)
        _ = captured.initialize(from: capture)
        state.initialize(
            to: State(
                turns: turns, captured: captured,
                played: UnsafeMutableBufferPointer(start: samples + capture.count, count: capacity)))
    }

    /// What the loop has played so far.
    public var played: [Int16] { Array(state.pointee.played.prefix(state.pointee.written)) }

    /// Replaces how often `wait` is ready from now on.
    public func allow(turns: Int) { state.pointee.turns = turns }

    /// From now on the microphone hears what is played so many samples after it was handed over, at `gain` 256ths of its
    /// amplitude, as long as there is something to capture.
    public func echo(after delay: Int, gain: Int) {
        state.pointee.echoDelay = delay
        state.pointee.echoGain = gain
    }

    /// The loudspeaker runs dry: that is said when it is asked how much lies ahead, or not until it is written to. When it has
    /// started anew, what is played is heard `ahead` samples later than at first, and so is its echo.
    public func runDry(isSaidOnWrite: Bool = false, ahead: Int) {
        state.pointee.dryness = isSaidOnWrite ? .whoeverWrites : .whoeverAsks
        state.pointee.nextAhead = ahead
    }

    /// What the microphone has heard so far, as long as there was something to capture.
    public var heard: [Int16] { Array(state.pointee.captured.prefix(state.pointee.heard)) }

    /// Forgets what was played.
    public func clear() { state.pointee.written = 0 }

    var loopEnd: LoopEnd { LoopEnd(state: state, owner: self) }

    /// The loop's way to it.
    struct LoopEnd: ~Copyable, @unchecked Sendable {
        private let state: UnsafeMutablePointer<State>
        private let owner: MemorySound

        fileprivate init(state: UnsafeMutablePointer<State>, owner: MemorySound) {
            self.state = state
            self.owner = owner
        }

        @_noLocks @_noAllocation
        func takeTurn() -> Bool {
            guard state.pointee.turns > 0 else { return false }
            if state.pointee.turns != .max { state.pointee.turns &-= 1 }
            return true
        }

        @_noLocks @_noAllocation
        func read(into period: UnsafeMutableBufferPointer<Int16>) -> Int {
            var index = 0
            while index < period.count {
                let position = state.pointee.heard
                let isThere = position < state.pointee.captured.count
                period[index] = isThere ? state.pointee.captured[position] : 0
                if isThere { state.pointee.heard = position &+ 1 }
                index &+= 1
            }
            return period.count
        }

        /// What lies ahead of the loudspeaker, `nominal` unless it has run dry.
        @_noLocks @_noAllocation
        func fill(nominal: Int) -> Int {
            if case .whoeverAsks = state.pointee.dryness { return -Int(EPIPE) }
            return nominal
        }

        var ahead: Int {
            @_noLocks @_noAllocation get { state.pointee.ahead }
        }

        @_noLocks @_noAllocation
        func recover() -> Recovery {
            state.pointee.dryness = .none
            state.pointee.ahead = state.pointee.nextAhead
            return .again
        }

        @_noLocks @_noAllocation
        func write(_ frames: UnsafeBufferPointer<Int16>) -> Int {
            guard case .none = state.pointee.dryness else { return -Int(EPIPE) }
            var index = 0
            while index < frames.count && state.pointee.echoGain != 0 {
                let place = state.pointee.heard &+ state.pointee.echoDelay &+ state.pointee.ahead &+ index
                if place < state.pointee.captured.count {
                    let echo = Int(frames[index]) &* state.pointee.echoGain / 256
                    state.pointee.captured[place] = Int16(clamping: Int(state.pointee.captured[place]) &+ echo)
                }
                index &+= 1
            }
            index = 0
            while index < frames.count, state.pointee.written < state.pointee.played.count {
                state.pointee.played[state.pointee.written] = frames[index]
                state.pointee.written &+= 1
                index &+= 1
            }
            return frames.count
        }
    }
}
