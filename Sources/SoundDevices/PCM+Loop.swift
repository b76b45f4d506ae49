internal import CALSA
internal import CLinux
internal import Glibc
internal import Resampling

// What the audio loop calls. ALSA calls are bounded because the PCM is non-blocking: they copy what is there, or say no.
extension PCM {
    /// Frames the card has captured or can take, in its own, or a negative errno value.
    @_noLocks @_noAllocation
    func available() -> Int {
        let handle = self.handle
        // Never waits: reads the card's pointer.
        return _unsafePerformance { Int(snd_pcm_avail(handle)) }
    }

    /// Waits until `deadline` (CLOCK_MONOTONIC, ns) at most for the card. Positive: it is ready; 0: time is up; else a
    /// negative errno value.
    @_noLocks @_noAllocation
    func poll(until deadline: UInt64) -> Int {
        let (handle, descriptors, count) = (self.handle, self.descriptors, self.descriptorCount)
        // Never waits: reads a clock.
        let now = _unsafePerformance { clinux_monotonic_ns() }
        guard now < deadline else { return 0 }
        let milliseconds = Int32(truncatingIfNeeded: min((deadline &- now &+ 999_999) / 1_000_000, 1_000))
        // Bounded by `milliseconds`: the loop's one wait.
        let ready = _unsafePerformance { Glibc.poll(descriptors, UInt(count), milliseconds) }
        guard ready > 0 else { return ready == 0 || errorNumber() == EINTR ? 0 : -Int(errorNumber()) }
        var events: UInt16 = 0
        // Never waits: translates, and for some plug-ins takes, what was reported.
        let code = _unsafePerformance {
            snd_pcm_poll_descriptors_revents(handle, descriptors, UInt32(truncatingIfNeeded: count), &events)
        }
        guard code >= 0 else { return Int(code) }
        guard Int32(events) & (POLLERR | POLLNVAL | POLLHUP) != 0 else { return 1 }
        return failure()
    }

    /// The errno value for the state that an erring PCM is in; 1 where it is in none.
    @_noLocks @_noAllocation
    private func failure() -> Int {
        let handle = self.handle
        // Never waits: reads a state.
        let state = _unsafePerformance { snd_pcm_state(handle) }
        if state == SND_PCM_STATE_XRUN { return -Int(EPIPE) }
        if state == SND_PCM_STATE_SUSPENDED { return -Int(ESTRPIPE) }
        if state == SND_PCM_STATE_DISCONNECTED { return -Int(ENODEV) }
        // A plug-in that errs without a state is asked again, and gives its error by the next call.
        return 1
    }

    // MARK: Capture

    /// Fills the queue to one period from what the card has. Returns the frames still missing, or a negative errno value.
    @_noLocks @_noAllocation
    func capture() -> Int {
        let missing = periodFrames &- state.pointee.queued
        guard missing > 0 else { return 0 }
        let wanted = min((missing &* parameters.rate &+ 47_999) / 48_000, chunkFrames)
        let there = available()
        guard there >= 0 else { return there }
        guard there >= wanted else { return missing }
        state.pointee.overdue = there &- wanted
        let (handle, raw) = (self.handle, self.raw)
        // Never waits: copies what is there.
        let taken = _unsafePerformance { Int(snd_pcm_readi(handle, raw, snd_pcm_uframes_t(wanted))) }
        if taken == -Int(EAGAIN) { return missing }
        guard taken > 0 else { return taken < 0 ? taken : missing }
        state.pointee.failures = 0
        enqueue(taken)
        return max(0, periodFrames &- state.pointee.queued)
    }

    @_noLocks @_noAllocation
    private func enqueue(_ count: Int) {
        let tail = queue + state.pointee.queued
        let room = queueFrames &- state.pointee.queued
        switch resampler {
        case .none:
            let kept = min(count, room)
            parameters.format.mixDown(raw, channels: parameters.channels, count: kept, into: tail)
            state.pointee.queued &+= kept
        case .some(let resampler):
            parameters.format.mixDown(raw, channels: parameters.channels, count: count, into: mono)
            let made = resampler.process(
                UnsafeBufferPointer(start: mono, count: count),
                into: UnsafeMutableBufferPointer(start: tail, count: room))
            state.pointee.queued &+= made.produced
        }
    }

    /// Moves at most `period.count` frames out of the queue and returns how many.
    @_noLocks @_noAllocation
    func read(into period: UnsafeMutableBufferPointer<Int16>) -> Int {
        let count = min(period.count, state.pointee.queued)
        var index = 0
        while index < count {
            period[index] = queue[index]
            index &+= 1
        }
        let rest = state.pointee.queued &- count
        index = 0
        while index < rest {
            queue[index] = queue[index &+ count]
            index &+= 1
        }
        state.pointee.queued = rest
        return count
    }

    // MARK: Playback

    /// Frames of 48 kHz that lie ahead of the card's converter; where it cannot say, or is yet to be set going, what should.
    /// A negative errno value where it has run dry.
    @_noLocks @_noAllocation
    func fill() -> Int {
        guard !state.pointee.isToStart else { return state.pointee.nominalFill }
        let room = available()
        guard room >= 0 else { return room == -Int(EPIPE) ? room : state.pointee.nominalFill }
        return max(0, parameters.bufferFrames &- room) &* 48_000 / parameters.rate
    }

    /// Hands frames to the card, and sets it going with the first of them. Returns how many it took, or a negative errno value.
    @_noLocks @_noAllocation
    func write(_ frames: UnsafeBufferPointer<Int16>) -> Int {
        let taken = add(frames)
        guard taken > 0 else { return taken }
        guard state.pointee.isToStart else {
            state.pointee.failures = 0
            return taken
        }
        let handle = self.handle
        // Never waits: sets the card going.
        let code = _unsafePerformance { snd_pcm_start(handle) }
        // Some cards take sound and cannot be set going: not until the next one does it flow.
        state.pointee.isToStart = code < 0
        return code < 0 ? Int(code) : taken
    }

    @_noLocks @_noAllocation
    private func add(_ frames: UnsafeBufferPointer<Int16>) -> Int {
        guard let source = frames.baseAddress else { return 0 }
        var done = 0
        while done < frames.count {
            let count = min(frames.count &- done, periodFrames)
            let taken = writeChunk(source + done, count)
            guard taken > 0 else { return done > 0 ? done : taken }
            done &+= taken
            if taken < count { break }
        }
        return done
    }

    @_noLocks @_noAllocation
    private func writeChunk(_ source: UnsafePointer<Int16>, _ count: Int) -> Int {
        let made: Int
        switch resampler {
        case .none:
            made = count
            parameters.format.spread(source, channels: parameters.channels, count: count, into: raw)
        case .some(let resampler):
            made =
                resampler.process(
                    UnsafeBufferPointer(start: source, count: count),
                    into: UnsafeMutableBufferPointer(start: mono, count: chunkFrames)
                ).produced
            parameters.format.spread(mono, channels: parameters.channels, count: made, into: raw)
        }
        let (handle, raw) = (self.handle, self.raw)
        // Never waits: copies what there is room for.
        let taken = _unsafePerformance { Int(snd_pcm_writei(handle, raw, snd_pcm_uframes_t(made))) }
        if taken == -Int(EAGAIN) { return 0 }
        guard taken >= 0 else { return taken }
        return taken == made ? count : min(count, taken &* 48_000 / parameters.rate)
    }

    // MARK: Delay

    /// Frames of 48 kHz between the loop and the card's converter: captured and not yet read, or written and not yet heard.
    /// Where the card cannot say, what is in the buffer.
    @_noLocks @_noAllocation
    func queuedAndDelayed() -> Int {
        let handle = self.handle
        var frames: snd_pcm_sframes_t = 0
        // Never waits: reads the card's pointer, and what the driver knows of its own delay.
        let code = _unsafePerformance { snd_pcm_delay(handle, &frames) }
        if code < 0 || frames < 0 {
            let there = max(0, available())
            frames = isCapture ? there : max(0, parameters.bufferFrames &- there)
        }
        return Int(frames) &* 48_000 / parameters.rate &+ (isCapture ? state.pointee.queued : 0)
    }

    // MARK: Recovery

    /// Readies a PCM that is not running: capture starts, playback gets silence ahead and starts with the next write.
    @_noLocks @_noAllocation
    func restart() -> Int32 {
        let handle = self.handle
        state.pointee.queued = 0
        // Bounded: the card is stopped and set to its beginning.
        var code = _unsafePerformance { snd_pcm_prepare(handle) }
        guard code >= 0 else { return code }
        switch resampler {
        case .none: break
        case .some(let resampler): resampler.reset()
        }
        if isCapture {
            // Never waits: sets the card going.
            code = _unsafePerformance { snd_pcm_start(handle) }
            return code
        }
        var ahead = state.pointee.nominalFill
        var index = 0
        while index < min(periodFrames, queueFrames) {
            queue[index] = 0
            index &+= 1
        }
        while ahead > 0 {
            let count = min(ahead, periodFrames)
            let taken = add(UnsafeBufferPointer(start: queue, count: count))
            guard taken > 0 else { return Int32(truncatingIfNeeded: taken) }
            ahead &-= taken
        }
        state.pointee.isToStart = true
        return 0
    }

    /// Brings the PCM back after `code`, or says that it is gone for good.
    @_noLocks @_noAllocation
    func recover(_ code: Int) -> Recovery {
        let handle = self.handle
        // Never waits: reads a state.
        let condition = _unsafePerformance { snd_pcm_state(handle) }
        if code == -Int(ENODEV) || code == -Int(ENOENT) || condition == SND_PCM_STATE_DISCONNECTED { return .lost }
        if code == -Int(EPIPE) { state.pointee.xruns &+= 1 }
        state.pointee.failures &+= 1
        guard state.pointee.failures <= Self.mostFailures else { return .lost }
        if state.pointee.failures > 3 {
            // Bounded, 10 ms: a card that fails at once, again and again (asleep, say), must not make the loop spin. Two
            // standstills in a row may well come of a busy machine, which is not to wait on top.
            _unsafePerformance { clinux_sleep_until(clinux_monotonic_ns() &+ 10_000_000) }
        }
        if code == -Int(ESTRPIPE) || condition == SND_PCM_STATE_SUSPENDED {
            // Never waits: -EAGAIN while the card is still waking up, then the next turn tries again.
            let resumed = _unsafePerformance { snd_pcm_resume(handle) }
            if resumed == -EAGAIN { return .again }
        }
        return restart() == -ENODEV ? .lost : .again
    }

    /// Two seconds in which nothing but errors came.
    private static var mostFailures: Int {
        @_noLocks @_noAllocation get { 200 }
    }
}

/// errno, which Swift reads through a function of the C library.
@_noLocks @_noAllocation
private func errorNumber() -> Int32 {
    // Never waits: a thread-local variable.
    _unsafePerformance { errno }
}
