internal import MediaDescription

extension Settings {
    /// Reads and checks `text`, and the password files it names. Throws all that is wrong with it.
    ///
    /// - Parameter file: the path that problems name; relative paths inside the text are relative to its folder.
    public init(parsing text: [UInt8], file: String) throws(SettingsError) {
        let document = try TOMLNode(parsing: text, file: file)
        guard case .table(let entries) = document.value else { return }
        var root = TableReader(file: file, name: "", line: 1, entries: entries)
        var problems: [SettingsProblem] = []
        var files: [NamedFile] = []

        func read<Section>(_ name: String, _ section: (inout TableReader) -> Section) -> Section {
            var reader = root.table(name)
            defer {
                problems += reader.finish()
                files += reader.namedFiles
            }
            return section(&reader)
        }
        audio = read("audio", Audio.init(reading:))
        sip = read("sip", SIP.init(reading:))
        rtp = read("rtp", RTP.init(reading:))
        opus = read("opus", Opus.init(reading:))
        direct = read("direct", Direct.init(reading:))
        calls = read("calls", Calls.init(reading:))
        block = read("block", Block.init(reading:))
        allow = read("allow", Allow.init(reading:))
        dnd = read("dnd", DND.init(reading:))
        contacts = read("contacts", Contacts.init(reading:))
        history = read("history", History.init(reading:))
        recording = read("recording", Recording.init(reading:))
        control = read("control", Control.init(reading:))
        state = read("state", State.init(reading:))

        for var reader in root.tables("account", atMost: 32) {
            if let account = Account(reading: &reader, others: accounts) { accounts.append(account) }
            problems += reader.finish()
            files += reader.namedFiles
        }
        namedFiles = files
        panel = Self.readPanel(from: &root, problems: &problems)
        problems += root.finish()
        if !problems.isEmpty { throw SettingsError(problems) }
    }

    /// Reads the file at `path`. A file that cannot be read is a problem of its own.
    ///
    /// - Parameter mayBeGiven: whether it may be a pipe that this process was given, which can be read once.
    public init(contentsOf path: String, mayBeGiven: Bool = false) throws(SettingsError) {
        let text: [UInt8]
        do throws(FileError) {
            text = try contents(ofFile: path, limit: TOMLNode.maximumBytes, mayBeGiven: mayBeGiven)
        } catch {
            throw SettingsError([
                SettingsProblem(file: path, line: 1, key: "", message: "cannot be read: \(error.reason)")
            ])
        }
        try self.init(parsing: text, file: path)
    }
}

extension Settings.Audio {
    init(reading reader: inout TableReader) {
        profile = reader.choice("profile", default: profile)
        devices = reader.devices("devices", default: devices, profiles: &profiles)
        capture = reader.devices("capture", default: capture, profiles: &profiles)
        playback = reader.devices("playback", default: playback)
        ring = reader.ringDevices("ring", default: ring)
        ringTone = reader.ringTone("ring_tone") ?? ""
        tones = reader.string("tones", default: tones)
        if CallProgressTones(country: tones) == nil {
            let known = CallProgressTones.countries.joined(separator: ", ")
            reader.report("tones", "\"\(tones)\" is no country whose tones are known; known are \(known)")
        }
        periodMilliseconds = reader.integer("period_ms", default: periodMilliseconds, in: 5...20)
        if devices.isEmpty, capture.isEmpty || playback.isEmpty {
            reader.report("devices", "is empty; name a device, or both audio.capture and audio.playback")
        }
    }
}

extension Settings.SIP {
    init(reading reader: inout TableReader) {
        let texts = reader.strings("listen", default: listen.map(\.description), atMost: 16)
        var listen: [ListenAddress] = []
        for text in texts {
            guard let address = ListenAddress(text) else {
                reader.report(
                    "listen",
                    "\"\(text)\" is not transport:address:port, such as \"udp:0.0.0.0:5060\" or \"tcp:[::]:5060\"")
                continue
            }
            // Port 0 is another free port each time.
            if address.port != 0, listen.contains(where: address.isSame) {
                reader.report("listen", "\"\(text)\" stands twice; each address may stand once for a transport")
            }
            listen.append(address)
        }
        self.listen = listen
        if texts.isEmpty { reader.report("listen", "is empty; one address at least is wanted") }
    }
}

extension Settings.RTP {
    init(reading reader: inout TableReader) {
        symmetric = reader.boolean("symmetric", default: symmetric)
        let text = reader.string("ports", default: "\(ports.lowerBound)-\(ports.upperBound)")
        let bounds = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { UInt16($0) }
        guard bounds.count == 2, let low = bounds[0], let high = bounds[1], low >= 1024, low < high else {
            reader.report("ports", "\"\(text)\" is not a range of ports from 1024 up, such as \"16384-16584\"")
            return
        }
        guard Int(low + low % 2) < Int(high) else {
            reader.report(
                "ports",
                "\"\(text)\" has no even port with the odd one after it; a call takes such a pair, as in \"16384-16584\""
            )
            return
        }
        ports = low...high
    }
}

extension Settings.Opus {
    init(reading reader: inout TableReader) {
        bitrate = reader.integer("bitrate", default: bitrate, in: 6_000...510_000)
        packetMilliseconds = reader.integer("packet_ms", default: packetMilliseconds, of: [10, 20, 40, 60])
        lowDelay = reader.boolean("low_delay", default: lowDelay)
        complexity = reader.integer("complexity", default: complexity, in: 0...10)
        forwardErrorCorrection = reader.boolean("fec", default: true)
        discontinuousTransmission = reader.boolean("dtx", default: true)
        askForDiscontinuousTransmission = reader.boolean("ask_dtx", default: false)
        redundancy = reader.choice("redundancy", default: redundancy)
    }
}

extension Settings.Direct {
    init(reading reader: inout TableReader) {
        user = reader.string("user", default: user)
        if user.isEmpty || user.utf8.count > 64 || !user.utf8.allSatisfy(isUserCharacter) {
            reader.report("user", "\"\(user)\" is not a user name: 1 to 64 letters, digits or any of -_.!~*'()&=+$,;?/")
        }
        echoUser = reader.string("echo_user", default: echoUser)
        if echoUser.utf8.count > 64 || !echoUser.utf8.allSatisfy(isUserCharacter) || echoUser == user && !user.isEmpty {
            reader.report(
                "echo_user",
                "\"\(echoUser)\" is not a user name other than direct.user: up to 64 letters, digits or any of -_.!~*'()&=+$,;?/"
            )
        }
        acceptFrom = reader.networks("accept_from", default: acceptFrom)
        autoAnswerFrom = reader.networks("auto_answer_from", default: autoAnswerFrom)
        srtp = reader.choice("srtp", default: srtp)
        codecs = reader.codecs("codecs")
    }
}

extension Settings.Calls {
    init(reading reader: inout TableReader) {
        maximumCalls = reader.integer("maximum_calls", default: maximumCalls, in: 1...16)
        ringTimeoutSeconds = reader.integer("ring_timeout_s", default: ringTimeoutSeconds, in: 5...600)
        mediaTimeoutSeconds = reader.integer("media_timeout_s", default: mediaTimeoutSeconds, in: 0...3_600)
        if (1..<10).contains(mediaTimeoutSeconds) {
            reader.report(
                "media_timeout_s", "is \(mediaTimeoutSeconds); 0 or 10 to 3600 is wanted: reports may be 8 s apart")
        }
        answerAfterMilliseconds = reader.integer("answer_after_ms", default: -1, in: -1...600_000)
        answerBeep = reader.boolean("answer_beep", default: answerBeep)
        answerMuted = reader.boolean("answer_muted", default: answerMuted)
        autoResume = reader.boolean("auto_resume", default: autoResume)
        holdMusic = reader.soundFile("hold_music")
        allowTransfer = reader.boolean("allow_transfer", default: allowTransfer)
        groupHold = reader.choice("group_hold", default: groupHold)
        dtmfToneMilliseconds = reader.integer("dtmf_tone_ms", default: dtmfToneMilliseconds, in: 40...2_000)
        dtmfGapMilliseconds = reader.integer("dtmf_gap_ms", default: dtmfGapMilliseconds, in: 40...2_000)
        countryCode = reader.string("country_code", default: countryCode)
        if !countryCode.allSatisfy({ $0.isASCII && $0.isNumber }) || countryCode.count > 3 {
            reader.report(
                "country_code", "\"\(countryCode)\" is not a country code: up to three digits, such as \"49\"")
        }
    }
}

extension Settings.Control {
    init(reading reader: inout TableReader) {
        socket = reader.string("socket", default: socket)
        if socket.utf8.count > Self.maximumSocketLength || socket.utf8.contains(0) {
            reader.report(
                "socket",
                "is a path of \(socket.utf8.count) bytes; one of at most \(Self.maximumSocketLength), without a zero byte, is "
                    + "wanted")
        }
        group = reader.string("group", default: group)
    }
}

extension Settings.State {
    init(reading reader: inout TableReader) {
        directory = reader.string("directory", default: directory)
        if !directory.isEmpty { directory = reader.resolved(directory) }
    }
}

extension Settings.Account {
    init?(reading reader: inout TableReader, others: [Settings.Account]) {
        let name = reader.string("name", default: "")
        let uri = reader.string("uri", default: "")
        if name.isEmpty || name.utf8.count > 64 {
            reader.report("name", "a name of 1 to 64 bytes is wanted")
        } else if others.contains(where: { $0.name == name }) {
            reader.report("name", "\"\(name)\" is the name of another account; names must differ")
        }
        let parts =
            uri.hasPrefix("sip:") ? uri.dropFirst(4).split(separator: "@", omittingEmptySubsequences: false) : []
        if parts.count != 2 || parts.contains(where: \.isEmpty) {
            reader.report("uri", "\"\(uri)\" is not an address of record, such as \"sip:101@pbx.example\"")
        }
        self.init(name: name, uri: uri, username: "")
        username = reader.string("username", default: parts.first.map(String.init) ?? "")
        let secret = reader.string("password_file", default: "")
        if !secret.isEmpty { password = reader.secret("password_file", path: secret) }
        registrar = reader.string("registrar", default: "")
        if !registrar.isEmpty, !registrar.hasPrefix("sip:") || registrar.utf8.count < 5 {
            reader.report("registrar", "\"\(registrar)\" is not a SIP URI, such as \"sip:pbx.example\"")
        }
        transport = reader.choice("transport", default: transport)
        let delay = reader.integer("answer_after_ms", default: -1, in: -1...600_000)
        answerAfterMilliseconds = reader.has("answer_after_ms") ? delay : nil
        autoAnswerFrom = reader.networks("auto_answer_from", or: "registrar", default: autoAnswerFrom)
        srtp = reader.choice("srtp", default: srtp)
        codecs = reader.codecs("codecs")
        ringTone = reader.ringTone("ring_tone")
        let isRecorded = reader.boolean("record", default: false)
        records = reader.has("record") ? isRecorded : nil
        echoes = reader.boolean("echo", default: false)
        if name.isEmpty || parts.count != 2 { return nil }
    }
}

/// Characters that RFC 3261 §25.1 allows in the user part without escaping.
private func isUserCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default: "-_.!~*'()&=+$,;?/".utf8.contains(byte)
    }
}

extension TableReader {
    mutating func devices(_ key: String, default value: [String]) -> [String] {
        let names = strings(key, default: value, atMost: 16)
        for name in names { checkDevice(name, key) }
        return names
    }

    mutating func checkDevice(_ name: String, _ key: String) {
        let isALSA = name.hasPrefix("alsa:") && name.utf8.count > 5
        let isFile = name.hasPrefix("file:") && name.dropFirst(5).contains(",")
        if !isALSA && !isFile {
            report(key, "\"\(name)\" is not a device; \"alsa:NAME\" or \"file:IN.wav,OUT.wav\" is wanted")
        }
    }

    /// Networks as in `accept_from`, or the one word that stands for something else.
    mutating func networks(_ key: String, or word: String? = nil, default value: [String]) -> [String] {
        let entries = strings(key, default: value)
        for entry in entries where entry != word && !isNetwork(entry) {
            let words = [word, "lan"].compactMap { $0 }.map { "\"\($0)\"" }.joined(separator: ", ")
            report(key, "\"\(entry)\" is not \(words), an address, or address/prefix such as \"192.0.2.0/24\"")
        }
        return entries
    }

    mutating func codecs(_ key: String) -> [Codec] {
        let all = Codec.allCases.map(\.rawValue)
        let names = strings(key, default: all, atMost: 8)
        if names.isEmpty { report(key, "is empty; some of \(all.joined(separator: ", ")) are wanted") }
        return names.compactMap { name in
            guard let codec = Codec.allCases.first(where: { $0.rawValue.lowercased() == name.lowercased() }) else {
                report(key, "\"\(name)\" is not a codec; known are \(all.joined(separator: ", "))")
                return nil
            }
            return codec
        }
    }

    /// Where a path of the configuration leads: a relative one is seen from the folder of the file.
    func resolved(_ path: String) -> String {
        path.hasPrefix("/") ? path : folder + path
    }

    /// The first line of the file at `path`, at most 1 KiB.
    mutating func secret(_ key: String, path: String) -> String {
        do throws(FileError) {
            let text = try contents(ofFile: resolved(path), limit: 1_024)
            let line = text.prefix { $0 != 0x0A && $0 != 0x0D }
            if line.isEmpty || line.count > 1024 {
                report(key, "\(path) does not begin with a password of 1 to 1,024 bytes on a line of its own")
            }
            return String(decoding: line, as: UTF8.self)
        } catch {
            let advice = error.isForbidden ? "; the user that handsetd runs as must be allowed to" : ""
            report(key, "\(path) cannot be read: \(error.reason)\(advice)")
            return ""
        }
    }
}

/// Whether `text` may stand in `accept_from`.
private func isNetwork(_ text: String) -> Bool {
    if text.lowercased() == "lan" { return true }
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let address = NumericAddress(parts[0]) else { return false }
    guard parts.count == 2 else { return true }
    guard parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let prefix = Int(parts[1]) else { return false }
    return prefix <= address.width
}
