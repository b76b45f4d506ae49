internal import CallModel
internal import CallRecording
internal import CallSystem
internal import ControlProtocol
internal import Media
internal import MediaDescription
internal import SIP
internal import SIPSignalling
internal import Settings

/// What each part of the daemon takes from the configuration.
extension Settings {
    var callPolicy: CallPolicy {
        var policy = CallPolicy(
            maximumCalls: calls.maximumCalls, ringTimeoutSeconds: calls.ringTimeoutSeconds,
            answerAfterMilliseconds: calls.answerAfterMilliseconds,
            answerAfterMillisecondsByAccount: answerDelays, answerBeep: calls.answerBeep,
            answerMuted: calls.answerMuted,
            autoResume: calls.autoResume,
            groupHold: calls.groupHold, allowTransfer: calls.allowTransfer)
        policy.mediaTimeoutSeconds = calls.mediaTimeoutSeconds
        policy.ringSound = RingSound(setting: audio.ringTone)
        policy.recordsCalls = recording.automatic
        for account in accounts {
            policy.recordsCallsByAccount[account.name] = account.records
            if let tone = account.ringTone { policy.ringSoundByAccount[account.name] = RingSound(setting: tone) }
        }
        policy.digitTiming = DigitTiming(tone: calls.dtmfToneMilliseconds, gap: calls.dtmfGapMilliseconds)
        return policy
    }

    private var answerDelays: [String: Int] {
        var delays: [String: Int] = [:]
        for account in accounts { delays[account.name] = account.answerAfterMilliseconds }
        return delays
    }

    func mediaPolicy(codecs: [Codec], srtp: SRTPPolicy) -> MediaPolicy {
        var wanted = OpusParameters()
        wanted.inBandFEC = opus.forwardErrorCorrection
        wanted.discontinuousTransmission = opus.askForDiscontinuousTransmission
        var policy = MediaPolicy(
            codecs: codecs, srtp: srtp, opus: wanted, packetMilliseconds: opus.packetMilliseconds,
            redundancy: opus.redundancy)
        // Else packets of 60 ms might come, where delay is all that matters. Shorter than 20 ms not everybody can.
        if opus.lowDelay { policy.maximumPacketMilliseconds = 20 }
        return policy
    }

    /// Whether any call can be encrypted.
    var mayEncrypt: Bool { direct.srtp != .off || accounts.contains { $0.srtp != .off } }

    func userAgentConfiguration() throws(StartError) -> SIPUserAgentConfiguration {
        let acceptFrom = try addresses(direct.acceptFrom, of: "direct.accept_from")
        var configurations: [SIPAccountConfiguration] = []
        for account in accounts { configurations.append(try configuration(of: account)) }
        var configuration = SIPUserAgentConfiguration(
            accounts: configurations, directUser: direct.user,
            directPolicy: mediaPolicy(codecs: direct.codecs, srtp: direct.srtp), acceptFrom: acceptFrom,
            autoAnswerFrom: try addresses(direct.autoAnswerFrom, of: "direct.auto_answer_from"),
            userAgent: "Handset/\(handsetVersion)")
        configuration.echoUser = direct.echoUser
        return configuration
    }

    private func addresses(_ entries: [String], of key: String) throws(StartError) -> AddressSet {
        do throws(AddressSet.EntryError) { return try AddressSet(entries) } catch {
            throw StartError(usage: true, "\(key): \(error)")
        }
    }

    private func configuration(of account: Account) throws(StartError) -> SIPAccountConfiguration {
        guard let uri = try? SIPURI(parsing: account.uri) else {
            throw StartError(usage: true, "account \(account.name): uri: \"\(account.uri)\" is not a SIP URI")
        }
        var registrar: SIPURI?
        if !account.registrar.isEmpty {
            registrar = try? SIPURI(parsing: account.registrar)
            guard registrar != nil else {
                throw StartError(
                    usage: true, "account \(account.name): registrar: \"\(account.registrar)\" is not a SIP URI")
            }
        }
        var configuration = SIPAccountConfiguration(
            name: account.name, uri: uri, username: account.username, password: account.password,
            registrar: registrar, transport: account.transport == .tcp ? .tcp : .udp,
            policy: mediaPolicy(codecs: account.codecs, srtp: account.srtp),
            registrarMayAskForAnswer: account.autoAnswerFrom.contains("registrar"),
            autoAnswerFrom: try addresses(
                account.autoAnswerFrom.filter { $0 != "registrar" }, of: "account \(account.name): auto_answer_from"))
        configuration.service = account.echoes ? .echo : nil
        return configuration
    }

    /// - Parameter stateDirectory: where recordings are if the configuration does not say; nil: nowhere.
    func mediaConfiguration(stateDirectory: String?) throws(StartError) -> MediaConfiguration {
        var configuration: MediaConfiguration
        do {
            configuration = try MediaConfiguration(
                capture: audio.capture.isEmpty ? audio.devices : audio.capture,
                playback: audio.playback.isEmpty ? audio.devices : audio.playback,
                ring: audio.ring.map { ($0.name, $0.volume) }, profiles: audio.profiles)
        } catch { throw StartError(usage: true, "audio: \(error)") }
        configuration.profile = audio.profile
        configuration.tones = CallProgressTones(country: audio.tones) ?? .recommended
        configuration.holdMusic = calls.holdMusic
        configuration.recordings =
            recording.directory.isEmpty ? Self.recordings(in: stateDirectory) : recording.directory
        configuration.recordingFormat = recording.format == .wav ? .wav : .opus
        configuration.recordingBeeps = recording.beep
        configuration.periodMilliseconds = audio.periodMilliseconds
        configuration.ports = rtp.ports
        configuration.isSymmetric = rtp.symmetric
        configuration.opusBitRate = opus.bitrate
        configuration.opusComplexity = opus.complexity
        configuration.opusFEC = opus.forwardErrorCorrection
        configuration.opusIsLowDelay = opus.lowDelay
        configuration.opusDTX = opus.discontinuousTransmission
        configuration.opusRedundancy = opus.redundancy
        // A daemon that listens on one address only speaks from it, too.
        let hosts = Set(sip.listen.map(\.host))
        if hosts.count == 1, let host = hosts.first, host != "0.0.0.0", host != "::" { configuration.bindHost = host }
        return configuration
    }

    /// The folder of recordings where the configuration names none; empty where there is no state directory.
    static func recordings(in stateDirectory: String?) -> String { stateDirectory.map { "\($0)/recordings" } ?? "" }

    func listenAddresses() throws(StartError) -> [SIPSignalling.ListenAddress] {
        var addresses: [SIPSignalling.ListenAddress] = []
        for address in sip.listen {
            do throws(SIPTransportError) {
                addresses.append(try SIPSignalling.ListenAddress(parsing: address.description))
            } catch { throw StartError(usage: true, "sip.listen: \(error)") }
        }
        return addresses
    }
}

/// Why the daemon cannot start.
struct StartError: Error {
    /// Whether the configuration is to blame: exit status 2 instead of 1.
    var usage: Bool
    var message: String

    init(usage: Bool = false, _ message: String) {
        self.usage = usage
        self.message = message
    }
}
