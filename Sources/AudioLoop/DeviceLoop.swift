internal import Glibc
internal import MediaDescription
internal import Realtime
internal import SoundDevices
internal import Synchronization

/// The loop with its devices: what the audio thread runs.
struct DeviceLoop: ~Copyable {
    let device: DuplexDevice
    var loop: AudioLoop
    private let memory: LockedBuffer
    private let captured: UnsafeMutablePointer<Int16>
    private let played: UnsafeMutablePointer<Int16>
    private let period: Int
    /// Waits in a row that brought nothing.
    private var timeouts = 0
    /// CLOCK_MONOTONIC of the last turn, in nanoseconds; 0 before the first.
    private var lastTurn: UInt64 = 0
    private var lastXruns = 0
    /// Samples of the turns since then in which the card did not move.
    private var idled = 0
    /// Turns in which sound that the loudspeaker has too much of is given up at once.
    private var settling = 0
    private var playbackClock: PlaybackClock
    /// What may lie ahead of the loudspeaker is ours to choose.
    private let isControlled: Bool
    private var fill: FillControl
    private var xruns: XrunTiming
    /// In samples; smoothed.
    private var captureWait: Double
    private var playbackWait: Double

    /// After the start, or where sound was broken off anyway: what the microphone gathered meanwhile is not to be heard
    /// late for minutes.
    private static var settlingTurns: Int {
        @_noLocks @_noAllocation get { 32 }
    }

    /// A device that has not moved for this many waits of 100 ms is lost.
    private static var mostTimeouts: Int {
        @_noLocks @_noAllocation get { 50 }
    }

    init(
        device: consuming DuplexDevice, cells: UnsafeMutablePointer<LoopCells>,
        commands: consuming RingReader<LoopCommand>, tones: CallProgressTones = .recommended, learntFill: Int? = nil
    ) {
        period = min(device.periodFrames, AudioLoop.longestTurn)
        loop = AudioLoop(cells: cells, commands: commands, period: period, tones: tones)
        playbackClock = PlaybackClock(period: period)
        isControlled = device.leastFill != nil
        fill = FillControl(
            turn: period, start: device.nominalFill, least: device.leastFill ?? device.nominalFill, learnt: learntFill)
        xruns = XrunTiming(period: period)
        captureWait = Double(period + device.captureConverting)
        playbackWait = Double(device.nominalFill + device.playbackConverting)
        self.device = device
        memory = LockedBuffer(byteCount: 2 * AudioLoop.longestTurn * MemoryLayout<Int16>.stride)
        captured = memory.base.bindMemory(to: Int16.self, capacity: 2 * AudioLoop.longestTurn)
        played = captured + AudioLoop.longestTurn
    }

    /// Sets the devices going. Call right before the first turn.
    func start() throws(SoundDeviceError) { try device.start(ahead: fillTarget) }

    /// Turns until it is told to stop or the device is gone, lets every call go and stops the device.
    mutating func run() {
        settling = Self.settlingTurns
        let isLost = turnUntilEnd()
        device.stop()
        loop.cells.pointee.end.store((isLost ? LoopEnd.lost : .stopped).rawValue, ordering: .releasing)
    }

    /// Returns whether the device is gone.
    @_noLocks @_noAllocation
    private mutating func turnUntilEnd() -> Bool {
        let cells = loop.cells
        var isLost = false
        while !cells.pointee.isStopping.load(ordering: .relaxed) {
            let code = turn(timeoutMilliseconds: 100)
            if code != 0 {
                cells.pointee.endCode.store(Int32(truncatingIfNeeded: code), ordering: .relaxed)
                isLost = true
                break
            }
        }
        loop.end(now: Self.now())
        return isLost
    }

    /// One turn. Returns 0, or the device's code where it is lost.
    @_noLocks @_noAllocation
    mutating func turn(timeoutMilliseconds: Int) -> Int {
        let cells = loop.cells
        switch device.wait(timeoutMilliseconds: timeoutMilliseconds) {
        case .ready: break
        case .timedOut:
            // The gates obey even while the card does not move.
            cells.pointee.stalls.add(1)
            timeouts += 1
            idle()
            return timeouts < Self.mostTimeouts ? 0 : -Int(ETIMEDOUT)
        case .failed(let code): return recover(code)
        }
        timeouts = 0
        let begun = Self.now()
        let lateness = device.lateness
        let read = device.read(into: UnsafeMutableBufferPointer(start: captured, count: period))
        guard read >= 0 else { return recover(read) }
        for index in read..<max(period, read) { captured[index] = 0 }
        followClock(begun)
        xruns.begin(at: begun, lateness: lateness)
        // Times are those of the turns as the card makes them, however late we woke.
        loop.turn(captured: captured, played: played, period, now: begun &- min(lateness, begun))
        let code = play(since: begun, lateness: lateness)
        loop.acknowledge(lags: playbackClock.isCorrecting)
        let ended = Self.now()
        let work = ended &- begun
        note(lateness: lateness, work: work, at: ended)
        return code < 0 ? code : 0
    }

    @_noLocks @_noAllocation
    private mutating func note(lateness: UInt64, work: UInt64, at now: UInt64) {
        let cells = loop.cells
        // A timer's turns that were skipped are xruns as well, and nothing has failed that would say so.
        if device.xruns > cells.pointee.xruns.value && !xruns.isNoted {
            cells.pointee.lastXrun.store(
                xruns.cause(at: now), at: now, late: lateness, ahead: 0, isPlayback: false)
        }
        cells.pointee.xruns.store(device.xruns)
        cells.pointee.turns.add(nanoseconds: work)
        cells.pointee.wakes.add(nanoseconds: lateness)
        if lateness &+ work > UInt64(period) * 1_000_000_000 / 48_000 { cells.pointee.missedDeadlines.add(1) }
        captureWait += (Double(period + device.captureConverting + Self.samples(lateness)) - captureWait) / 64
        cells.pointee.captureWait.store(Int(captureWait * 1_000 / 48))
        xruns.end(at: now)
    }

    @_noLocks @_noAllocation
    static func samples(_ nanoseconds: UInt64) -> Int {
        Int(truncatingIfNeeded: min(nanoseconds, 10_000_000_000) * 48 / 1_000_000)
    }

    /// Where the card that paces us has lost turns, the streams' time goes on by as much: it is the sampling time, whatever was
    /// heard. A loudspeaker that ran dry beside it has lost the microphone nothing.
    @_noLocks @_noAllocation
    private mutating func followClock(_ now: UInt64) {
        let xruns = device.pacingXruns
        let elapsed = lastTurn == 0 || now < lastTurn ? 0 : min(now - lastTurn, 10_000_000_000)
        let missing = Int(truncatingIfNeeded: elapsed * 48 / 1_000_000) - period - idled
        if xruns != lastXruns && missing > period { loop.skip(samples: missing) }
        (lastTurn, lastXruns, idled) = (now, xruns, 0)
    }

    /// Hands the period to the loudspeaker, stretched or shortened where two clocks drift apart or as much need no longer lie
    /// ahead. Returns a negative errno value where that fails for good.
    @_noLocks @_noAllocation
    private mutating func play(since begun: UInt64, lateness: UInt64) -> Int {
        let cells = loop.cells
        let lying = device.playbackFill()
        let ready = Self.now() &- begun
        // Of a card that tells to the sample where it is, what lay ahead when the turn was due is known as well.
        let delay = isControlled ? Self.samples(lateness &+ ready) : 0
        guard lying >= 0 else { return playAnew(lying, delay: delay) }
        let excess = lying + delay - fillTarget
        // A card that interrupts less often than we turn is to have more now and then.
        let isSettling = settling > 0 && (isControlled || device.nominalFill == period)
        if settling > 0 { settling -= 1 }
        if excess > 3 * period || isSettling && excess >= period - period / 8 {
            // After a stall: give a whole turn up rather than be late from now on.
            cells.pointee.corrections.add(1)
            playbackClock.restart()
            loop.handsFree.breakOff()
            return 0
        }
        var fewer = 0.0
        if isControlled && settling == 0 {
            if fill.take(delay: delay) { fewer = fill.move(isQuiet: isQuiet(played, period)) }
            device.keepAhead(fillTarget)
        }
        let sound = playbackClock.follow(
            UnsafeBufferPointer(start: played, count: period), excess: excess, fewer: fewer)
        cells.pointee.playbackDrift.store(Int(playbackClock.partsPerMillion * 1_000))
        cells.pointee.playbackFill.store(device.playsOnCard ? fillTarget : 0)
        if device.playsOnCard {
            let wait = lying + Self.samples(ready) + playbackClock.waiting + device.playbackConverting
            playbackWait += (Double(wait) - playbackWait) / 64
            cells.pointee.playbackWait.store(Int(playbackWait * 1_000 / 48))
        }
        let code = write(sound)
        return code < 0 ? playAnew(code, delay: delay) : 0
    }

    /// Hands sound to the loudspeaker, and to the echo canceller what was taken of it: nothing is heard that is not known there,
    /// and nothing known that is not heard. Returns what the device says.
    @_noLocks @_noAllocation
    private mutating func write(_ sound: UnsafeBufferPointer<Int16>) -> Int {
        // As long as it is not written, the next sample that is handed over is its first.
        let lead = loop.handsFree.wantsReference ? device.echoLead() : 0
        let taken = device.write(sound)
        if taken > 0 {
            loop.handsFree.plays(
                UnsafeBufferPointer(start: sound.baseAddress, count: min(taken, sound.count)), lead: lead)
        }
        return taken
    }

    /// The loudspeaker has run dry: it starts anew with this very turn, so that what lies ahead when the next one is due is what
    /// should. Turns that are due by now are given up.
    @_noLocks @_noAllocation
    private mutating func playAnew(_ code: Int, delay: Int) -> Int {
        let ahead = fillTarget
        if code == -Int(EPIPE) && isControlled { fill.ranDry(delay: delay) }
        if isControlled { device.keepAhead(max(fillTarget - delay % period, 0)) }
        let outcome = recover(code, ahead: ahead)
        if isControlled { device.keepAhead(fillTarget) }
        guard outcome == 0 else { return outcome }
        // What fails at once fails again in the next turn, which counts it.
        _ = write(UnsafeBufferPointer(start: played, count: period))
        return 0
    }

    /// What is to lie ahead of the loudspeaker when a turn is due.
    private var fillTarget: Int {
        @_noLocks @_noAllocation get { isControlled ? Int(fill.target) : device.nominalFill }
    }

    /// A turn without devices.
    @_noLocks @_noAllocation
    private mutating func idle() {
        for index in 0..<period { captured[index] = 0 }
        loop.handsFree.breakOff()
        idled += period
        loop.turn(captured: captured, played: played, period, now: Self.now())
        loop.acknowledge()
    }

    @_noLocks @_noAllocation
    private mutating func recover(_ code: Int) -> Int { recover(code, ahead: fillTarget) }

    /// - Parameter ahead: what was to lie ahead of the loudspeaker.
    @_noLocks @_noAllocation
    private mutating func recover(_ code: Int, ahead: Int) -> Int {
        let now = Self.now()
        if code == -Int(EPIPE) || code == -Int(ESTRPIPE) {
            xruns.isNoted = true
            loop.cells.pointee.lastXrun.store(
                xruns.cause(at: now), at: now, late: xruns.delay(at: now), ahead: ahead,
                isPlayback: device.playbackHasFailed)
        }
        playbackClock.restart()
        loop.handsFree.breakOff()
        settling = Self.settlingTurns
        let recovery = device.recover(code)
        // Counted as soon as it is explained: a device that is lost has no next turn.
        loop.cells.pointee.xruns.store(device.xruns)
        switch recovery {
        case .again: return 0
        case .lost: return code
        }
    }

    /// CLOCK_MONOTONIC in nanoseconds.
    @_noLocks @_noAllocation
    static func now() -> UInt64 {
        // Reads a clock; no system call on the machines we know.
        _unsafePerformance {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
    }
}

/// Owns the memory of a `DeviceLoop`. `@unchecked`: its thread alone touches it until it has ended.
final class LoopMemory: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<DeviceLoop>
    private let memory: LockedBuffer

    init(_ loop: consuming DeviceLoop) {
        memory = LockedBuffer(byteCount: MemoryLayout<DeviceLoop>.size)
        pointer = memory.base.bindMemory(to: DeviceLoop.self, capacity: 1)
        pointer.initialize(to: loop)
    }

    deinit { pointer.deinitialize(count: 1) }
}
