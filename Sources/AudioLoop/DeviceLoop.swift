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
    /// Turns in which sound that the loudspeaker has too much of is given up at once.
    private var settling = 0
    private var playbackClock: PlaybackClock

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
        commands: consuming RingReader<LoopCommand>, tones: CallProgressTones = .recommended
    ) {
        period = min(device.periodFrames, AudioLoop.longestTurn)
        loop = AudioLoop(cells: cells, commands: commands, period: period, tones: tones)
        playbackClock = PlaybackClock(period: period)
        self.device = device
        memory = LockedBuffer(byteCount: 2 * AudioLoop.longestTurn * MemoryLayout<Int16>.stride)
        captured = memory.base.bindMemory(to: Int16.self, capacity: 2 * AudioLoop.longestTurn)
        played = captured + AudioLoop.longestTurn
    }

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
        loop.turn(captured: captured, played: played, period, now: begun)
        let code = play()
        loop.acknowledge()
        cells.pointee.xruns.store(device.xruns)
        let work = Self.now() &- begun
        cells.pointee.turns.add(nanoseconds: work)
        cells.pointee.wakes.add(nanoseconds: lateness)
        if lateness &+ work > UInt64(period) * 1_000_000_000 / 48_000 { cells.pointee.missedDeadlines.add(1) }
        return code < 0 ? recover(code) : 0
    }

    /// Where the card has lost sound, the streams' time goes on by as much: it is the sampling time, whatever was heard.
    @_noLocks @_noAllocation
    private mutating func followClock(_ now: UInt64) {
        let xruns = device.xruns
        let elapsed = lastTurn == 0 || now < lastTurn ? 0 : min(now - lastTurn, 10_000_000_000)
        let missing = Int(truncatingIfNeeded: elapsed * 48 / 1_000_000) - period
        if xruns != lastXruns && missing > period { loop.skip(samples: missing) }
        (lastTurn, lastXruns) = (now, xruns)
    }

    /// Hands the period to the loudspeaker, stretched or shortened where two clocks drift apart. Returns a negative errno
    /// value where that fails.
    @_noLocks @_noAllocation
    private mutating func play() -> Int {
        let cells = loop.cells
        let excess = device.playbackFill() - device.nominalFill
        // A card that interrupts less often than we turn is to have more now and then.
        let isSettling = settling > 0 && device.nominalFill == period
        if settling > 0 { settling -= 1 }
        if excess > 3 * period || isSettling && excess >= period {
            // After a stall: give a whole turn up rather than be late from now on.
            cells.pointee.corrections.add(1)
            playbackClock.restart()
            return 0
        }
        let sound = playbackClock.follow(played, excess: excess)
        cells.pointee.playbackDrift.store(Int(playbackClock.partsPerMillion * 1_000))
        return min(device.write(sound), 0)
    }

    /// A turn without devices.
    @_noLocks @_noAllocation
    private mutating func idle() {
        for index in 0..<period { captured[index] = 0 }
        loop.turn(captured: captured, played: played, period, now: Self.now())
        loop.acknowledge()
    }

    @_noLocks @_noAllocation
    private mutating func recover(_ code: Int) -> Int {
        playbackClock.restart()
        settling = Self.settlingTurns
        switch device.recover(code) {
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
