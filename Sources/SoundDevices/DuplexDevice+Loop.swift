internal import CLinux
internal import Glibc
internal import Realtime

extension DuplexDevice {
    /// Waits until one period can be read, at most this long.
    @_noLocks @_noAllocation
    public borrowing func wait(timeoutMilliseconds: Int) -> WaitResult {
        let deadline = clock.now() &+ UInt64(max(0, min(timeoutMilliseconds, 10_000))) &* 1_000_000
        switch pace {
        case .memory:
            switch capture {
            case .memory(let sound): return sound.takeTurn() ? .ready : .timedOut
            default: return .failed(-Int(EINVAL))
            }
        case .timer: return clock.waitForTurn(until: deadline) ? .ready : .timedOut
        case .capture:
            switch capture {
            case .card(let pcm): return pace(pcm.waitForCapture(until: deadline, clock: clock), until: deadline)
            default: return .failed(-Int(EINVAL))
            }
        case .playback:
            switch playback {
            case .card(let pcm): return pace(pcm.waitForRoom(until: deadline, clock: clock), until: deadline)
            default: return .failed(-Int(EINVAL))
            }
        }
    }

    /// Keeps a PCM without a clock (`null`) from turning the loop as fast as it can.
    @_noLocks @_noAllocation
    private borrowing func pace(_ result: WaitResult, until deadline: UInt64) -> WaitResult {
        guard case .ready = result else { return result }
        return clock.holdBack(until: deadline) ? .ready : .timedOut
    }

    /// Takes one period of the microphone, at most `period.count` frames, and returns how many were there: all, after
    /// `wait` said `ready`.
    @_noLocks @_noAllocation
    public borrowing func read(into period: UnsafeMutableBufferPointer<Int16>) -> Int {
        switch capture {
        case .card(let pcm): return pcm.read(into: period)
        case .file(let sound): return sound.read(into: period)
        case .memory(let sound): return sound.read(into: period)
        case .silence:
            var index = 0
            while index < period.count {
                period[index] = 0
                index &+= 1
            }
            return period.count
        }
    }

    /// Hands frames to the loudspeaker. Returns how many it took (fewer: it is full) or a negative errno value for
    /// `recover`.
    @_noLocks @_noAllocation
    public borrowing func write(_ frames: UnsafeBufferPointer<Int16>) -> Int {
        switch playback {
        case .card(let pcm):
            let taken = pcm.write(frames)
            if taken < 0 { clock.state.pointee.playbackFailed = true }
            return taken
        case .file(let recording): return recording.write(frames)
        case .memory(let sound):
            let taken = sound.write(frames)
            if taken < 0 { clock.state.pointee.playbackFailed = true }
            return taken
        case .discard: return frames.count
        }
    }

    /// Frames that lie ahead of the loudspeaker now; compare with `nominalFill` before a write. A negative errno value for
    /// `recover` where it has run dry.
    @_noLocks @_noAllocation
    public borrowing func playbackFill() -> Int {
        switch playback {
        case .card(let pcm):
            let fill = pcm.fill()
            if fill < 0 { clock.state.pointee.playbackFailed = true }
            return fill
        case .memory(let sound):
            let fill = sound.fill(nominal: nominalFill)
            if fill < 0 { clock.state.pointee.playbackFailed = true }
            return fill
        default: return nominalFill
        }
    }

    /// From now on so many frames are to lie ahead of the loudspeaker before each write: also when it starts anew.
    @_noLocks @_noAllocation
    public borrowing func keepAhead(_ frames: Int) {
        switch playback {
        case .card(let pcm): pcm.state.pointee.nominalFill = frames
        default: break
        }
    }

    /// Whether what `recover` is for was the loudspeaker's failure.
    public var playbackHasFailed: Bool {
        @_noLocks @_noAllocation borrowing get {
            if case .playback = pace { return true }
            return clock.state.pointee.playbackFailed
        }
    }

    /// Frames of the microphone from the last one read to the one that hears what is written next, but for the way through the
    /// room: what both devices say of their delay now, in frames of 48 kHz.
    @_noLocks @_noAllocation
    public borrowing func echoLead() -> Int {
        var lead = 0
        switch capture {
        case .card(let pcm): lead = pcm.queuedAndDelayed()
        default: break
        }
        switch playback {
        case .card(let pcm): lead &+= pcm.queuedAndDelayed()
        case .memory(let sound): lead &+= nominalFill &+ sound.ahead
        default: lead &+= nominalFill
        }
        return lead
    }

    /// Brings back the side whose `wait` or `write` returned `code` last.
    ///
    /// An xrun restarts that side, playback with as much silence ahead as is to be kept; a suspended card is resumed; an
    /// unplugged one, or one that does nothing but fail for two seconds, is lost.
    @_noLocks @_noAllocation
    public borrowing func recover(_ code: Int) -> Recovery {
        let playbackFailed = playbackHasFailed
        clock.state.pointee.playbackFailed = false
        if playbackFailed {
            switch playback {
            case .card(let pcm): return pcm.recover(code)
            case .memory(let sound): return sound.recover()
            default: return .lost
            }
        }
        switch capture {
        case .card(let pcm): return pcm.recover(code)
        default: return .lost
        }
    }

    /// How long the last turn had been due when `wait` said `ready`, in nanoseconds: what the wake-up of the loop took, to the
    /// sample where a card paces it.
    public var lateness: UInt64 {
        @_noLocks @_noAllocation borrowing get {
            switch pace {
            case .memory: return 0
            case .timer: return clock.state.pointee.lateness
            case .capture:
                switch capture {
                case .card(let pcm): return pcm.lateness
                default: return 0
                }
            case .playback:
                switch playback {
                case .card(let pcm): return pcm.lateness
                default: return 0
                }
            }
        }
    }

    /// Periods that were lost because the loop came too late, since `start`.
    public var xruns: Int {
        @_noLocks @_noAllocation borrowing get {
            clock.state.pointee.skipped &+ captureXruns &+ playbackXruns
        }
    }

    /// The same of what paces the loop alone: of its turns.
    public var pacingXruns: Int {
        @_noLocks @_noAllocation borrowing get {
            switch pace {
            case .memory: 0
            case .timer: clock.state.pointee.skipped
            case .capture: captureXruns
            case .playback: playbackXruns
            }
        }
    }

    private var captureXruns: Int {
        @_noLocks @_noAllocation borrowing get {
            switch capture {
            case .card(let pcm): return pcm.state.pointee.xruns
            default: return 0
            }
        }
    }

    private var playbackXruns: Int {
        @_noLocks @_noAllocation borrowing get {
            switch playback {
            case .card(let pcm): return pcm.state.pointee.xruns
            default: return 0
            }
        }
    }
}

extension PCM {
    var lateness: UInt64 {
        @_noLocks @_noAllocation get {
            UInt64(truncatingIfNeeded: state.pointee.overdue &* 1_000_000_000 / parameters.rate)
        }
    }

    /// Waits for one captured period.
    @_noLocks @_noAllocation
    func waitForCapture(until deadline: UInt64, clock: borrowing LoopClock) -> WaitResult {
        while true {
            let missing = capture()
            if missing == 0 { return .ready }
            guard missing > 0 else { return .failed(missing) }
            let ready = poll(until: deadline)
            guard ready >= 0 else { return .failed(ready) }
            guard ready > 0 else { return .timedOut }
            let still = capture()
            if still == 0 { return .ready }
            guard still > 0 else { return .failed(still) }
            // Reported ready, yet frames are missing (rounding of a converted rate): let them come, don't spin.
            clock.sleep(until: min(deadline, clock.now() &+ 500_000))
        }
    }

    /// Frames the card can take, or a negative errno value; notes how many it could take beyond the `most` that are waited for.
    @_noLocks @_noAllocation
    private func room(beyond most: Int) -> Int {
        let room = available()
        state.pointee.overdue = max(0, room &- most)
        return room
    }

    /// Waits until playback has no more than its nominal fill ahead.
    @_noLocks @_noAllocation
    func waitForRoom(until deadline: UInt64, clock: borrowing LoopClock) -> WaitResult {
        let most = parameters.bufferFrames &- state.pointee.nominalFill &* parameters.rate / 48_000
        while true {
            var room = self.room(beyond: most)
            guard room >= 0 else { return .failed(room) }
            if room >= most { return .ready }
            let ready = poll(until: deadline)
            guard ready >= 0 else { return .failed(ready) }
            guard ready > 0 else { return .timedOut }
            room = self.room(beyond: most)
            guard room >= 0 else { return .failed(room) }
            if room >= most { return .ready }
            clock.sleep(until: min(deadline, clock.now() &+ 500_000))
        }
    }
}
