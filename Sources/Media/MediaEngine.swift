internal import AudioLoop
internal import CLinux
public import CallModel
internal import CallRecording
public import CallSystem
internal import Codecs
public import EventLoop
internal import Glibc
public import MediaDescription
internal import Playout
internal import Quality
internal import RTP
internal import Realtime
internal import SoundDevices
internal import Synchronization

/// The media engine could not be started.
public struct MediaEngineError: Error, CustomStringConvertible {
    public let description: String
}

/// All calls' sound: sockets and streams on the network thread, gates and codecs in the audio loop, and the audio session
/// between them and the sound devices.
@DaemonActor public final class MediaEngine: MediaControl {
    public weak var observer: (any MediaObserver)?

    let network: NetworkThread
    let keeper: SessionKeeper
    /// A loop without devices, for calls that are nobody's conversation.
    let services: SessionKeeper
    /// Makes the files that calls are recorded to: apart, so that no recording waits until a long file has been read.
    lazy var recordings = WorkerThread()
    /// Reads files that calls hear.
    lazy var files = WorkerThread()
    /// Those whose files are not complete, by path.
    var recorders: [String: CallRecorder] = [:]
    /// The number that a played sound was given last.
    var lastSound: UInt32 = 0
    let ringer: Ringer
    let holdMusic: HoldMusic
    var configuration: MediaConfiguration
    var calls: [CallID: MediaCall] = [:]
    var policy: SessionPolicy
    var closing: Timer?
    var tone: CallTone?
    var ringKind: RingKind?
    public var volume = AudioVolume() {
        didSet { keeper.session?.setVolume(capture: volume.capture, playback: volume.playback) }
    }
    public var profileChoice = ProfileChoice.configured {
        didSet { updateProfile() }
    }
    /// What was last told of it.
    public private(set) var profile = ProfileState()
    /// The number that a group was given last.
    private var lastGroup: UInt32 = 0
    private var ports: PortAllocator
    private var digitRequests: [Int: @DaemonActor (Bool) -> Void] = [:]
    private var nextNumber = 1
    private var reportWatch: DescriptorWatch?
    private var qualityTimer: Timer?
    var xruns = XrunWatch()
    var serviceXruns = XrunWatch(of: "the loop of services")
    private let cardDelay = CardDelay()

    /// Starts the network thread and empties the files that stand for loudspeakers. No device is opened.
    public convenience init(_ configuration: MediaConfiguration) throws(MediaEngineError) {
        try self.init(configuration, opener: openAudioSession)
    }

    /// The same with other sound devices.
    init(_ configuration: MediaConfiguration, opener: @escaping SessionOpener) throws(MediaEngineError) {
        do throws(RealtimeThreadError) { network = try NetworkThread() } catch {
            throw MediaEngineError(description: error.description)
        }
        self.configuration = configuration
        let configured = configuration.profile(of: nil)
        profile = ProfileState(current: configured, configured: configured)
        policy = SessionPolicy(now: .now, heldLinger: configuration.heldLinger)
        ports = PortAllocator(range: configuration.ports, random: SystemRandomNumberGenerator.seed)
        keeper = SessionKeeper(configuration: configuration, opener: opener)
        services = SessionKeeper(configuration: configuration, opener: opener)
        ringer = Ringer(worker: keeper.worker)
        holdMusic = HoldMusic(path: configuration.holdMusic)
        // One that cannot be written to is reported when the session opens it.
        for device in configuration.playback + configuration.ring.map(\.name) { try? device.emptyRecording() }
        reportWatch = DescriptorWatch(network.reportDescriptor, for: .read) { [weak self] _ in self?.takeReports() }
        keeper.onChange = { [weak self] session in self?.sessionChanged(session) }
        keeper.onEvent = { [weak self] event in self?.observer?.handle(event) }
        services.onChange = { [weak self] session in self?.servicesChanged(session) }
        keeper.onEnd = { [weak self] in self?.explainXruns(onlyNew: true) }
        services.onEnd = { [weak self] in self?.explainXruns(onlyNew: true) }
        ringer.onReady = { [weak self] in self?.updateRinger() }
        holdMusic.onReady = { [weak self] in self?.holdMusicChanged() }
        holdMusic.onFailure = { [weak self] message in self?.observer?.handle(.holdMusicFailed(message: message)) }
        ringer.onFailure = { [weak self] message in self?.observer?.handle(.deviceFailed(message: message)) }
    }

    /// Does what the first encrypted call would wait for, and any other call with it. Takes some 15 ms.
    public nonisolated static func prepareEncryption() { SRTPSession.prepare() }

    /// Applies new settings: to devices with the next audio session, to the rest with the next call.
    public func reconfigure(_ configuration: MediaConfiguration) {
        if configuration.ports != self.configuration.ports {
            ports = PortAllocator(range: configuration.ports, random: SystemRandomNumberGenerator.seed)
        }
        self.configuration = configuration
        keeper.configuration = configuration
        services.configuration = configuration
        updateProfile()
        if holdMusic.renew(configuration.holdMusic) { holdMusicChanged() }
    }

    /// Tells the session with devices, and whoever listens, where the profile is another.
    func updateProfile() {
        let session = keeper.deviceSession
        let configured = configuration.profile(of: session == nil ? nil : keeper.pair)
        var state = ProfileState(current: configured, configured: configured)
        if case .always(let chosen) = profileChoice { state.current = chosen }
        session?.setProfile(state.current)
        guard state != profile else { return }
        profile = state
        observer?.handle(.profileChanged(state))
    }

    // MARK: Calls

    public func open(_ call: CallID) throws(CallError) -> LocalMedia {
        if let known = calls[call] { return known.link.sockets.ports }
        let sockets = try openSockets()
        var identity = RTPStream.Identity.random(rtcpInterval: configuration.rtcpInterval)
        identity.isSymmetric = configuration.isSymmetric
        let link = StreamLink(number: nextNumber, sockets: sockets, identity: identity, tell: network.tell)
        let opened = MediaCall(id: call, number: nextNumber, link: link)
        nextNumber += 1
        calls[call] = opened
        network.submit(.open(link))
        return sockets.ports
    }

    private func openSockets() throws(CallError) -> MediaSockets {
        let range = "\(configuration.ports.lowerBound)-\(configuration.ports.upperBound)"
        var host = Endpoint.any(port: 0)
        if let bindHost = configuration.bindHost {
            guard let bound = Endpoint(host: bindHost, port: 0) else {
                throw CallError(.mediaFailed, "\(bindHost) is no numeric address that RTP could be bound to")
            }
            host = bound
        }
        var lastCode: Int32 = 0
        let sockets = ports.allocate { port -> MediaSockets? in
            do throws(SocketError) { return try MediaSockets(host: host, rtpPort: port) } catch {
                lastCode = error.code
                return nil
            }
        }
        guard let sockets else {
            let reason = lastCode == 0 ? "it has no even port followed by another" : String(cString: strerror(lastCode))
            throw CallError(
                .mediaFailed,
                "no two free ports for RTP and RTCP in rtp.ports \(range) (\(reason)); give a larger range")
        }
        return sockets
    }

    public func configure(_ call: CallID, _ parameters: StreamParameters) {
        guard let known = calls[call] else { return }
        known.parameters = parameters
        var wanted = parameters.opus
        wanted.maxAverageBitrate = [wanted.maxAverageBitrate, parameters.maximumBitRate].compactMap { $0 }.min()
        let opus = OpusSettings(
            bitRate: configuration.opusBitRate, complexity: configuration.opusComplexity,
            inBandFEC: configuration.opusFEC, discontinuousTransmission: configuration.opusDTX,
            isLowDelay: configuration.opusIsLowDelay, peer: wanted)
        let settings = CallAudioConfiguration(
            codec: parameters.codec, receivePayloadType: parameters.receivePayloadType,
            packetMilliseconds: parameters.packetMilliseconds, opus: opus, direction: parameters.direction)
        let limits = SendControl.Limits(
            bitRate: opus.bitRate, totalBitRate: wanted.maxAverageBitrate, inBandFEC: opus.inBandFEC,
            redundancy: parameters.sendRedundancyPayloadType == nil ? .off : configuration.opusRedundancy,
            packetMilliseconds: parameters.packetMilliseconds)
        do throws(CodecError) {
            if let audio = known.audio {
                try audio.update(settings)
            } else {
                let audio = try CallAudio(
                    settings, held: known.gates.held, muted: known.gates.muted, earmuffed: known.gates.earmuffed,
                    signalling: network.soundDescriptor)
                known.audio = audio
                audio.setHoldMusic(holdMusic.clip)
                if let ends = audio.takeNetworkEnds() {
                    network.submit(.attach(known.number, NetworkThread.EndsBox(ends), playout(of: audio)))
                }
            }
        } catch {
            observer?.handle(.audioInterrupted(message: "call \(call): \(error)"))
        }
        network.submit(.configure(known.number, parameters, limits))
        attachIfPossible(known)
        // A held party that no longer listens needs no music.
        updateNeed()
    }

    public func activate(_ call: CallID, _ done: @escaping @DaemonActor (CallError?) -> Void) {
        guard let known = calls[call] else {
            Task { @DaemonActor in done(CallError(.unknownCall, "call \(call) has no media")) }
            return
        }
        known.isActivated = true
        updateNeed()
        guard known.service == nil else {
            attachIfPossible(known)
            Task { @DaemonActor in done(nil) }
            return
        }
        // A call that is held from its beginning waits for no device.
        guard !known.gates.held || keeper.deviceSession != nil else {
            Task { @DaemonActor in done(nil) }
            return
        }
        keeper.whenOpen(done)
        attachIfPossible(known)
    }

    public func setGates(_ call: CallID, _ gates: Gates, applied: @escaping @DaemonActor () -> Void) {
        guard let known = calls[call] else {
            Task { @DaemonActor in applied() }
            return
        }
        known.request(gates, applied: applied)
        updateNeed()
    }

    public func setGroup(_ call: CallID, _ group: GroupID?) {
        guard let group else {
            calls[call]?.group = nil
            return
        }
        if let known = calls.values.lazy.compactMap({ $0.group }).first(where: { $0.id == group }) {
            calls[call]?.group = known
        } else {
            lastGroup = lastGroup == .max ? 1 : lastGroup + 1
            calls[call]?.group = (group, lastGroup)
        }
    }

    public func close(_ call: CallID) {
        guard let known = calls.removeValue(forKey: call) else { return }
        if let audio = known.audio { session(of: known)?.detach(audio) }
        known.endRecording()
        known.settleAll()
        network.submit(.close(known.number))
        if calls.isEmpty { holdMusic.forget() }
        updateNeed()
    }

    public func shutDown() {
        for call in Array(calls.keys) { close(call) }
        closing?.cancel()
        closing = nil
        (tone, ringKind) = (nil, nil)
        ringer.isRinging = false
        updateRinger()
        keeper.shutDown()
        services.shutDown()
        finishRecordings()
        reportWatch?.cancel()
        reportWatch = nil
        let unsent = digitRequests.values
        digitRequests = [:]
        for done in unsent { Task { @DaemonActor in done(false) } }
    }

    // MARK: Keys

    public func sendDigits(
        _ call: CallID, _ digits: String, timing: DigitTiming, done: @escaping @DaemonActor (Bool) -> Void
    ) {
        guard let known = calls[call] else {
            Task { @DaemonActor in done(false) }
            return
        }
        let request = nextNumber
        nextNumber += 1
        digitRequests[request] = done
        network.submit(
            .sendDigits(
                known.number, digits,
                DigitSender.Timing(on: timing.tone, gap: timing.gap, pause: DigitTiming.pause), request: request))
    }

    public func cancelDigits(_ call: CallID) {
        if let known = calls[call] { network.submit(.cancelDigits(known.number)) }
    }

    // MARK: Reports

    private func takeReports() {
        for (number, report) in network.takeReports() {
            let call = calls.values.first { $0.number == number }
            switch report {
            case .settled(let word): call?.settle(word: word)
            case .soundEnded(let sound): if let call { soundEnded(sound, of: call) }
            case .digit(let digit, let milliseconds):
                if let call { observer?.handle(.digit(call.id, digit, milliseconds: milliseconds)) }
            case .digitsDone(let request, let sent): digitRequests.removeValue(forKey: request)?(sent)
            case .encoder(let expectedLossPercent, let bitRate):
                call?.audio?.steer(expectedLossPercent: expectedLossPercent, bitRate: bitRate)
            case .otherCodec(let payloadType): if let call { goOver(call, toCodecOf: payloadType) }
            }
        }
    }

    /// The peer has gone over to another codec of its answer: so do we.
    private func goOver(_ call: MediaCall, toCodecOf payloadType: UInt8) {
        guard var former = call.parameters,
            let index = former.alternatives.firstIndex(where: { $0.payloadTypesOfSound.contains(payloadType) })
        else { return }
        var next = former.alternatives[index]
        next.alternatives = former.alternatives
        former.alternatives = []
        next.alternatives[index] = former
        observer?.handle(.codecChanged(call.id, next))
    }

    /// What the network thread asks for when it reports.
    private func playout(of audio: CallAudio) -> @Sendable () -> PlayoutFigures {
        let cards = cardDelay
        return {
            let statistics = audio.statistics
            return PlayoutFigures(
                late: statistics.playout.late, buffered: statistics.bufferMilliseconds,
                longest: audio.longestBufferMilliseconds,
                devices: Double(cards.microseconds.load(ordering: .relaxed)) / 1_000 + statistics.codecMilliseconds)
        }
    }

    private func noteCardDelay() {
        guard let session = keeper.deviceSession else { return }
        let statistics = session.statistics
        // The period of capture is a part of every packet.
        let delay = statistics.captureWait - session.periodMilliseconds + statistics.playbackWait
        cardDelay.microseconds.store(Int(max(0, delay) * 1_000), ordering: .relaxed)
    }

    /// Judges the calls' sound every two seconds while there is a session, and explains where that or the one of services has
    /// stumbled.
    func watchQuality() {
        qualityTimer?.cancel()
        qualityTimer = nil
        guard keeper.session != nil || services.session != nil else { return }
        qualityTimer = Timer(after: .seconds(2)) { [weak self] in
            guard let self else { return }
            if keeper.session != nil { for call in calls.values { judge(call) } }
            explainXruns()
            noteCardDelay()
            watchQuality()
        }
    }
}

/// What the cards add to the delay beyond packets, as the network thread is told.
private final class CardDelay: Sendable {
    let microseconds = Atomic<Int>(0)
}

extension RTPStream.Identity {
    /// Everything a stranger must not guess is random.
    static func random(rtcpInterval: Double) -> RTPStream.Identity {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        return RTPStream.Identity(
            canonicalName: (0..<16).map { _ in alphabet[Int.random(in: 0..<64, using: &random)] },
            source: random.next(), firstSequenceNumber: UInt16.random(in: 0...0x7FFF, using: &random),
            timestampOffset: random.next(), rtcpMinimumInterval: rtcpInterval)
    }
}

extension SystemRandomNumberGenerator {
    fileprivate static var seed: UInt64 {
        var random = SystemRandomNumberGenerator()
        return random.next()
    }
}
