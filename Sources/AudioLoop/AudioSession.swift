internal import Glibc
internal import HandsFree
public import MediaDescription
internal import Realtime
public import SoundDevices
internal import Synchronization

/// The time during which sound devices are open: owns them, the loop's memory and its thread.
///
/// Safe from any thread. A session whose device is lost ends by itself, and lets its calls go: requests of their gates
/// are settled. Close it, open a new one and attach the calls to that.
public final class AudioSession: Sendable {
    public enum State: Sendable, Hashable {
        case running
        /// `stop` or `close` was called, and the loop has let all calls go.
        case stopped
        /// The device went away or failed for good; calls are let go. `message` says which and why.
        case lost(message: String)
    }

    private let cells: LockedValue<LoopCells>
    private let memory: LoopMemory
    private let thread: RealtimeThread
    private let control: Mutex<Control>
    private let devices: String
    private let periodSamples: Int
    /// `SCHED_FIFO 50`, or what it is instead and why.
    public let scheduling: String
    /// What the devices are, for status and logs.
    public let captureSummary: String
    public let playbackSummary: String
    /// Devices that were to be used and were not, each with the reason and what is used instead.
    public let passedOver: [String]
    /// Where sound waits longer than it would with periods as they were asked for, and why.
    public let remarks: [String]
    public let periodMilliseconds: Double

    /// Opens the devices and starts the loop. May take long (a sound card is being waited for): not for the event loop's
    /// thread.
    ///
    /// - Parameters:
    ///   - capture, playback: nil is silence, and is thrown away.
    ///   - periodMilliseconds: 5...20.
    ///   - tones: what `setTone` sounds like.
    ///   - descriptor: an eventfd that is signalled when the loop has ended; -1 for none. It must outlive the session.
    public init(
        capture: DeviceName?, playback: DeviceName?, periodMilliseconds: Int = 10, priority: Int = 50,
        tones: CallProgressTones = .recommended, signalling descriptor: Int32 = -1
    ) throws(AudioSessionError) {
        let cells = LockedValue(LoopCells())
        var commands = Ring<LoopCommand>(capacity: 256)
        let memory: LoopMemory
        devices = "\(capture?.description ?? "no capture"), \(playback?.description ?? "no playback")"
        do throws(SoundDeviceError) {
            let device = try DuplexDevice(
                capture: capture, playback: playback, periodMilliseconds: periodMilliseconds)
            captureSummary = device.captureSummary
            playbackSummary = device.playbackSummary
            passedOver = device.passedOver
            remarks = device.remarks
            self.periodMilliseconds = Double(device.periodFrames) / 48
            periodSamples = device.periodFrames
            let learnt = LearntFill.shared.samples(for: devices, period: periodSamples)
            memory = LoopMemory(
                DeviceLoop(
                    device: device, cells: cells.pointer, commands: commands.takeReader(), tones: tones,
                    learntFill: learnt))
            try memory.pointer.pointee.start()
        } catch {
            throw .device(error)
        }
        do throws(RealtimeThreadError) {
            thread = try RealtimeThread(name: "handset-audio", priority: priority) {
                memory.pointer.pointee.run()
                if descriptor >= 0 {
                    var one: UInt64 = 1
                    _ = write(descriptor, &one, 8)
                }
            }
        } catch {
            memory.pointer.pointee.device.stop()
            throw .thread(error)
        }
        scheduling = thread.scheduling
        self.cells = cells
        self.memory = memory
        control = Mutex(Control(commands: commands.takeWriter()))
    }

    deinit { close() }

    /// Gives the call's sound to this session's loop. What waits in its inbound ring is thrown away; its gates are
    /// acknowledged, as they are, once more.
    ///
    /// Throws where the session has ended, has its sixteen calls, or the call is still with another session.
    public func attach(_ call: CallAudio) throws(AudioSessionError) {
        try control.withLock { control throws(AudioSessionError) in
            reap(&control)
            guard state == .running else { throw .ended }
            if control.attached.contains(where: { $0 === call }) { return }
            let isLeaving = control.leaving.contains { $0.call === call }
            guard isLeaving || !call.cells.pointer.pointee.isInLoop.load(ordering: .acquiring) else {
                throw .callIsElsewhere
            }
            guard control.attached.count + control.leaving.count < AudioLoop.maximumCalls else { throw .tooManyCalls }
            call.cells.pointer.pointee.isInLoop.store(true, ordering: .sequentiallyConsistent)
            guard control.commands.push(LoopCommand(kind: .enter, slot: call.slot.pointer)) else {
                call.cells.pointer.pointee.isInLoop.store(false, ordering: .sequentiallyConsistent)
                throw .tooManyCalls
            }
            control.issued += 1
            control.attached.append(call)
        }
    }

    /// Takes the call's sound from the loop, within a turn. Returns at once; the session holds on to the call until the
    /// loop has let it go. A request of its gates that the loop has not acknowledged is settled then.
    public func detach(_ call: CallAudio) {
        control.withLock { control in
            if let index = control.attached.firstIndex(where: { $0 === call }) {
                control.attached.remove(at: index)
                if control.commands.push(LoopCommand(kind: .leave, slot: call.slot.pointer)) { control.issued += 1 }
                control.leaving.append((ticket: control.issued, call: call))
            }
            reap(&control)
        }
    }

    /// A tone added to what is played; nil stops it. It fades in and out, and takes effect within a turn.
    public func setTone(_ tone: Tone?) {
        cells.pointer.pointee.tone.store(tone?.rawValue ?? 0, ordering: .relaxed)
    }

    /// The ringer, for where the ring device is this session's playback device; nil stops it. Independent of `setTone`.
    public func setRinging(_ ringing: Ringing?) {
        control.withLock { control in
            let turn = cells.pointer.pointee.turns.turns
            if let former = control.ringTone, former !== ringing?.tone { control.formerTones.append((former, turn)) }
            // The loop has looked since then, and has faded out what sounded.
            control.formerTones.removeAll { turn - $0.turn > Self.turnsToForget }
            control.ringTone = ringing?.tone
            let cells = cells.pointer
            if let ringing {
                cells.pointee.ringVolume.store(ringing.volume, ordering: .relaxed)
                let address = ringing.tone.map { UInt(bitPattern: $0.samples) } ?? 0
                cells.pointee.ringTone.store(address, ordering: .releasing)
            }
            cells.pointee.rings.store(ringing != nil, ordering: .releasing)
        }
    }

    private static let turnsToForget = 50

    /// How loud the microphone is sent, and calls and tones are played, in percent (0...100; 100 leaves the samples as they
    /// are). Takes effect within a turn; the ringer is not touched.
    public func setVolume(capture: Int, playback: Int) {
        cells.pointer.pointee.captureVolume.store(capture, ordering: .relaxed)
        cells.pointer.pointee.playbackVolume.store(playback, ordering: .relaxed)
    }

    /// What is done to the microphone's sound before any call has it. Takes effect within a turn, which fades from one to the
    /// other.
    public func setProfile(_ profile: HandsFreeProfile) {
        control.withLock { control in
            if profile != .line, control.handsFree == nil {
                let made = HandsFreeMemory(period: Int(periodMilliseconds * 48))
                cells.pointer.pointee.handsFree.store(UInt(bitPattern: made.pointer), ordering: .releasing)
                control.handsFree = made
            }
            cells.pointer.pointee.profile.store(profile.number, ordering: .releasing)
        }
    }

    public var state: State {
        switch LoopEnd(rawValue: cells.pointer.pointee.end.load(ordering: .acquiring)) {
        case .running?, nil: return .running
        case .stopped?: return .stopped
        case .lost?:
            let code = cells.pointer.pointee.endCode.load(ordering: .relaxed)
            let reason = code == -ETIMEDOUT ? "it has not moved for 5 s" : String(cString: strerror(abs(code)))
            return .lost(message: "the sound device (\(devices)) was lost: \(reason)")
        }
    }

    public var statistics: AudioSessionStatistics {
        control.withLock { reap(&$0) }
        let cells = cells.pointer
        var statistics = AudioSessionStatistics()
        statistics.turns = cells.pointee.turns.turns
        statistics.xruns = cells.pointee.xruns.value
        statistics.stalls = cells.pointee.stalls.value
        statistics.corrections = cells.pointee.corrections.value
        statistics.work = LoopTimes(cells.pointee.turns)
        statistics.wake = LoopTimes(cells.pointee.wakes)
        statistics.missedDeadlines = cells.pointee.missedDeadlines.value
        statistics.lastXrun = cells.pointee.lastXrun.last
        statistics.captureWait = Double(cells.pointee.captureWait.value) / 1_000
        if cells.pointee.profile.load(ordering: .relaxed) != HandsFreeProfile.line.number {
            statistics.captureWait += Double(HandsFree.latency(period: Int(periodMilliseconds * 48))) / 48
        }
        statistics.playbackWait = Double(cells.pointee.playbackWait.value) / 1_000
        statistics.playbackFill = Double(cells.pointee.playbackFill.value) / 48
        statistics.echo = echoStatistics
        statistics.playbackDrift = Double(cells.pointee.playbackDrift.value) / 1_000
        return statistics
    }

    /// nil where the profile has no canceller.
    private var echoStatistics: EchoStatistics? {
        let cells = cells.pointer
        guard HandsFreeProfile(number: cells.pointee.profile.load(ordering: .relaxed)) == .speakerphone else {
            return nil
        }
        let decibels = { (hundredths: Int) in hundredths > 0 ? 10 * log10(Double(hundredths) / 100) : nil }
        var echo = EchoStatistics()
        echo.returnLossEnhancement = decibels(cells.pointee.echoReduction.value)
        echo.cancelled = decibels(cells.pointee.echoCancelled.value)
        echo.isConverged = cells.pointee.echoIsConverged.value != 0
        echo.delayMilliseconds = echo.isConverged ? Double(cells.pointee.echoDelay.value) / 48 : nil
        echo.alignments = cells.pointee.echoAlignments.value
        return echo
    }

    /// Asks the loop to let all calls go and end. Returns at once; `state` and the descriptor tell when it has.
    public func stop() { cells.pointer.pointee.isStopping.store(true, ordering: .relaxed) }

    /// Ends the loop and closes the devices when the session is let go. Waits at most a second, usually a period: not for
    /// the event loop's thread.
    public func close() {
        stop()
        guard thread.join(timeoutMilliseconds: 1_000) else {
            // A thread that hangs in the sound card's driver keeps what it may still touch.
            control.withLock { control in
                guard !control.isAbandoned else { return }
                control.isAbandoned = true
                for call in control.attached + control.leaving.map(\.call) { _ = Unmanaged.passRetained(call) }
                _ = Unmanaged.passRetained(memory)
                if let handsFree = control.handsFree { _ = Unmanaged.passRetained(handsFree) }
                _ = Unmanaged.passRetained(cells)
            }
            return
        }
        control.withLock { control in
            reap(&control)
            control.attached = []
        }
        // Known after a few seconds only.
        let fill = cells.pointer.pointee.playbackFill.value
        if fill > 0 && cells.pointer.pointee.turns.turns * periodSamples > 5 * 48_000 {
            LearntFill.shared.note(fill, for: devices, period: periodSamples)
        }
    }

    /// Forgets calls that the loop has let go. Where it has ended, carries out what it did not get to.
    private func reap(_ control: inout Control) {
        if control.leaving.isEmpty && state == .running { return }
        if state != .running {
            // The thread's last touch of the loop was before it stored the end.
            memory.pointer.pointee.loop.end(now: DeviceLoop.now())
            control.leaving = []
            return
        }
        let done = cells.pointer.pointee.commandsDone.load(ordering: .acquiring)
        control.leaving.removeAll { $0.ticket <= done }
    }

    private struct Control: ~Copyable {
        let commands: RingWriter<LoopCommand>
        var issued = 0
        var attached: [CallAudio] = []
        var leaving: [(ticket: Int, call: CallAudio)] = []
        /// What rings, and what did before, as long as the loop may read it; with the turn at which it was replaced.
        var ringTone: SoundClip?
        var formerTones: [(tone: SoundClip, turn: Int)] = []
        /// Made when a profile first needs it, and kept: the loop may be within it.
        var handsFree: HandsFreeMemory?
        var isAbandoned = false

        init(commands: consuming RingWriter<LoopCommand>) { self.commands = commands }
    }
}
