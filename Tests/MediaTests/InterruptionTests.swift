import AudioLoop
import CallModel
import CallSystem
import EventLoop
import Glibc
import MediaDescription
import SoundDevices
import Synchronization
import Testing

@testable import Media

/// Sound devices that come and go.
private final class FakeDevices: Sendable {
    struct State {
        var missing: Set<DevicePair> = []
        /// Those that open and are lost at once.
        var fleeting: Set<DevicePair> = []
        var opened: [DevicePair] = []
        var current: FakeSession?
    }

    let state = Mutex(State())

    func open(_ pair: DevicePair, _ descriptor: Int32) throws(AudioSessionError) -> any LoopSession {
        let session = FakeSession(
            signalling: descriptor, remark: "\(pair.playback?.description ?? "") has long periods")
        let isMissing = state.withLock { state in
            state.opened.append(pair)
            if !state.missing.contains(pair) { state.current = session }
            return state.missing.contains(pair)
        }
        if state.withLock({ $0.fleeting.contains(pair) }) { session.lose() }
        guard isMissing else { return session }
        throw .device(
            SoundDeviceError(.open, pair.playback?.description ?? "", .playback, code: ENODEV, message: "it is gone"))
    }

    /// Unplugs what is open.
    func lose(_ pairs: DevicePair...) {
        let session = state.withLock { state in
            state.missing.formUnion(pairs)
            return state.current
        }
        session?.lose()
    }

    /// What is open has had one more.
    func xrun(_ cause: XrunCause) {
        let session = state.withLock { $0.current }
        session?.figures.withLock { figures in
            figures.xruns += 1
            figures.lastXrun = Xrun(
                cause: cause, time: 1, lateMilliseconds: 12.5, aheadMilliseconds: 5, isPlayback: true)
        }
    }

    func bring(_ pair: DevicePair) { _ = state.withLock { $0.missing.remove(pair) } }

    /// What the session that is open was told.
    var profiles: [HandsFreeProfile] { state.withLock { $0.current?.profiles.withLock { $0 } ?? [] } }

    var opened: [DevicePair] { state.withLock(\.opened) }
}

private final class FakeSession: LoopSession {
    private let now = Mutex(AudioSession.State.running)
    fileprivate let profiles = Mutex<[HandsFreeProfile]>([])
    fileprivate let figures = Mutex(AudioSessionStatistics())
    private let descriptor: Int32
    let remarks: [String]
    init(signalling descriptor: Int32, remark: String) {
        self.descriptor = descriptor
        remarks = [remark]
    }

    func lose() { end(.lost(message: "it was unplugged")) }
    func stop() { end(.stopped) }
    private func end(_ state: AudioSession.State) {
        now.withLock { if $0 == .running { $0 = state } }
        var one: UInt64 = 1
        write(descriptor, &one, 8)
    }
    func close() { stop() }

    var state: AudioSession.State { now.withLock { $0 } }
    var statistics: AudioSessionStatistics { figures.withLock { $0 } }
    var scheduling: String { "SCHED_OTHER" }
    var captureSummary: String { "a microphone" }
    var passedOver: [String] { [] }
    var playbackSummary: String { "a loudspeaker" }
    var periodMilliseconds: Double { 10 }
    func attach(_ call: CallAudio) throws(AudioSessionError) {}
    func detach(_ call: CallAudio) {}
    func setTone(_ tone: Tone?) {}
    func setRinging(_ ringing: Ringing?) {}
    func setVolume(capture: Int, playback: Int) {}
    func setProfile(_ profile: HandsFreeProfile) { profiles.withLock { $0.append(profile) } }
}

@DaemonActor private final class Witness: MediaObserver {
    var events: [String] = []
    var failures: [String] = []
    var remarks: [String] = []
    func handle(_ event: MediaEvent) {
        switch event {
        case .audioActivated: events.append("activated")
        case .audioDeactivated: events.append("deactivated")
        case .audioInterrupted(let message): events.append("interrupted: \(message)")
        case .audioResumed: events.append("resumed")
        case .deviceFailed(let message): failures.append(message)
        case .profileChanged(let state): events.append("profile \(state.current) \(state.configured)")
        case .audioRemark(let message): remarks.append(message)
        case .digit, .quality, .recordingEnded, .played, .holdMusicFailed, .codecChanged: break
        }
    }
}

@Suite("Devices that fail in a call", .serialized, .timeLimit(.minutes(1))) struct InterruptionTests {
    private let devices = FakeDevices()
    private let one = DevicePair(capture: .alsa("one"), playback: .alsa("one"))
    private let two = DevicePair(capture: .alsa("two"), playback: .alsa("two"))

    init() { EventLoop.shared.runInBackground() }

    @DaemonActor private func engine(_ witness: Witness) throws -> MediaEngine {
        let names = [DeviceName.alsa("one"), .alsa("two")]
        let devices = devices
        let engine = try MediaEngine(MediaConfiguration(capture: names, playback: names)) {
            pair, _, _, descriptor throws(AudioSessionError) in try devices.open(pair, descriptor)
        }
        engine.observer = witness
        return engine
    }

    @DaemonActor private func activate(
        _ engine: MediaEngine, _ call: CallID, as service: CallService? = nil
    ) async throws -> CallError? {
        _ = try engine.open(call)
        if let service { engine.setService(call, service) }
        return await withCheckedContinuation { done in engine.activate(call) { done.resume(returning: $0) } }
    }

    @Test("Each device has the profile that is configured for it, until one is chosen for all")
    @DaemonActor func profiles() async throws {
        let witness = Witness()
        let engine = try engine(witness)
        defer { engine.shutDown() }
        var configuration = engine.configuration
        configuration.profiles = [.alsa("two"): .speakerphone]
        engine.reconfigure(configuration)
        #expect(witness.events.isEmpty)
        #expect(try await activate(engine, CallID()) == nil)
        #expect(devices.profiles == [.line])
        devices.lose(one)
        #expect(await wait { witness.events.last == "resumed" })
        #expect(devices.profiles == [.speakerphone])
        #expect(engine.profile == ProfileState(current: .speakerphone, configured: .speakerphone))
        engine.profileChoice = .always(.handset)
        #expect(devices.profiles == [.speakerphone, .handset])
        #expect(engine.audioStatus.profile == ProfileState(current: .handset, configured: .speakerphone))
        engine.profileChoice = .always(.handset)
        engine.profileChoice = .configured
        #expect(devices.profiles.last == .speakerphone)
        #expect(
            witness.events.filter { $0.hasPrefix("profile") } == [
                "profile speakerphone speakerphone", "profile handset speakerphone",
                "profile speakerphone speakerphone",
            ])
    }

    @Test("It is said which device was lost; the next one takes over, and the call stays")
    @DaemonActor func next() async throws {
        let witness = Witness()
        let engine = try engine(witness)
        defer { engine.shutDown() }
        let call = CallID()
        #expect(try await activate(engine, call) == nil)
        devices.lose(one)
        #expect(await wait { witness.events.count == 3 })
        #expect(witness.events == ["activated", "interrupted: it was unplugged", "resumed"])
        #expect(devices.opened == [one, one, two])
        #expect(engine.statistics(of: call) != nil)
        // Why it is not the first one.
        #expect(witness.failures.count == 1)
        #expect(witness.failures.first?.contains("alsa:one") == true)
        // What there is to say of a device is said when it is opened.
        #expect(witness.remarks == ["alsa:one has long periods", "alsa:two has long periods"])
    }

    @Test("A device that opens only to be lost, twice, gives way to the next; another call tries it first again")
    @DaemonActor func fleeting() async throws {
        let witness = Witness()
        let engine = try engine(witness)
        defer { engine.shutDown() }
        devices.state.withLock { $0.fleeting = [one] }
        let call = CallID()
        #expect(try await activate(engine, call) == nil)
        #expect(await wait { devices.opened == [one, one, two] && witness.events.last == "resumed" })
        engine.close(call)
        #expect(await wait { witness.events.last == "deactivated" })
        devices.state.withLock { $0.fleeting = [] }
        #expect(try await activate(engine, CallID()) == nil)
        #expect(devices.opened == [one, one, two, one])
    }

    @Test("With all devices gone they are tried again until one is back; gates go on being applied")
    @DaemonActor func all() async throws {
        let witness = Witness()
        let engine = try engine(witness)
        defer { engine.shutDown() }
        let call = CallID()
        #expect(try await activate(engine, call) == nil)
        devices.lose(one, two)
        #expect(await wait { engine.audioStatus.state == "interrupted" })
        await withCheckedContinuation { done in engine.setGates(call, Gates(muted: true)) { done.resume() } }
        #expect(await wait { devices.opened.count >= 5 })
        #expect(witness.events.count == 2)
        devices.bring(two)
        #expect(await wait { witness.events.last == "resumed" })
        devices.lose(one)
        devices.bring(two)
        #expect(await wait { witness.events.count == 5 && witness.events.last == "resumed" })
        // Opened once more it is no news.
        #expect(witness.remarks == ["alsa:one has long periods", "alsa:two has long periods"])
        #expect(engine.audioStatus.state == "active")
    }

    @Test("An xrun is explained at once to who asks for figures, and the last ones of a device before it is let go")
    @DaemonActor func xruns() async throws {
        let witness = Witness()
        let engine = try engine(witness)
        defer { engine.shutDown() }
        #expect(try await activate(engine, CallID()) == nil)
        devices.xrun(.suspended)
        let status = engine.audioStatus
        #expect(status.xruns == 1 && status.lastXrun?.cause == .suspended)
        devices.xrun(.card)
        devices.lose(one)
        #expect(await wait { witness.events.last == "resumed" })
        #expect(engine.audioStatus.lastXrun?.cause == .card)
        #expect(
            witness.remarks.filter { $0.hasPrefix("xrun") } == [
                "xrun of playback: the machine was suspended",
                "xrun of playback: the card stopped by itself, the audio loop was in time",
            ])
    }

    @Test("What the loop of services has skipped is explained as well, and is no xrun of a device")
    @DaemonActor func skippedOfServices() async throws {
        let witness = Witness()
        let engine = try engine(witness)
        defer { engine.shutDown() }
        let call = CallID()
        #expect(try await activate(engine, call, as: .echo) == nil)
        #expect(await wait { engine.serviceStatus != nil })
        devices.xrun(.suspended)
        let status = try #require(engine.serviceStatus)
        #expect(status.xruns == 1 && status.lastXrun?.cause == .suspended)
        devices.xrun(.card)
        engine.close(call)
        let last = try #require(engine.serviceStatus)
        #expect(last.xruns == 2 && last.lastXrun?.cause == .card)
        #expect(engine.audioStatus.xruns == 0 && engine.audioStatus.lastXrun == nil)
        #expect(witness.remarks.count == 2, "\(witness.remarks)")
    }

    @Test("A call that ends while its device is away ends the search, and it is said that audio is over")
    @DaemonActor func ends() async throws {
        let witness = Witness()
        let engine = try engine(witness)
        defer { engine.shutDown() }
        let call = CallID()
        #expect(try await activate(engine, call) == nil)
        devices.lose(one, two)
        #expect(await wait { engine.audioStatus.state == "interrupted" })
        engine.close(call)
        #expect(await wait { witness.events.last == "deactivated" })
        let tries = devices.opened.count
        await pause(milliseconds: 1_500)
        #expect(devices.opened.count == tries && engine.audioStatus.state == "inactive")
    }

    @Test(
        "Where no device opens each is named once, to the caller and to all, and a later call tries them again"
    )
    @DaemonActor func none() async throws {
        let witness = Witness()
        let engine = try engine(witness)
        defer { engine.shutDown() }
        devices.lose(one, two)
        let error = try await activate(engine, CallID())
        #expect(error?.reason == .deviceUnavailable)
        #expect(error?.message.contains("alsa:one") == true && error?.message.contains("alsa:two") == true)
        #expect(engine.audioStatus.state == "interrupted")
        #expect(try await activate(engine, CallID())?.reason == .deviceUnavailable)
        devices.bring(two)
        #expect(try await activate(engine, CallID()) == nil)
        #expect(witness.events.count == 2 && witness.events.last == "resumed")
    }

    @Test("A call whose devices cannot be opened has that said once, for all of them, until one is there")
    @DaemonActor func neverThere() async throws {
        let witness = Witness()
        let engine = try engine(witness)
        defer { engine.shutDown() }
        devices.lose(one, two)
        let call = CallID()
        #expect(try await activate(engine, call)?.reason == .deviceUnavailable)
        #expect(engine.audioStatus.state == "interrupted")
        #expect(await wait { devices.opened.count >= 4 })
        #expect(witness.events.count == 1)
        #expect(witness.events[0].hasPrefix("interrupted: ") && witness.events[0].contains("alsa:two"))
        devices.bring(two)
        #expect(await wait { witness.events.last == "resumed" })
        #expect(engine.statistics(of: call) != nil)
    }
}
