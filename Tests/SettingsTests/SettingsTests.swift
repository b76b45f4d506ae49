import CallModel
import MediaDescription
import Screening
import Settings
import Testing

@Suite("Settings") struct SettingsTests {
    static func read(_ text: String) throws(SettingsError) -> Settings {
        try Settings(parsing: Array(text.utf8), file: "handset.toml")
    }

    static func problems(_ text: String) -> [String] {
        do throws(SettingsError) {
            _ = try read(text)
            return []
        } catch { return error.problems.map(\.description) }
    }

    @Test("An empty file is the defaults")
    func defaults() throws {
        #expect(try Self.read("") == Settings())
    }

    @Test("Who may ask to be answered, and how it is answered")
    func automaticAnswers() throws {
        let settings = try Self.read(
            """
            [direct]
            auto_answer_from = ["lan", "192.0.2.7"]
            [calls]
            answer_muted = true
            answer_beep = false
            [[account]]
            name = "office"
            uri = "sip:101@pbx.example"
            answer_after_ms = -1
            auto_answer_from = ["registrar", "10.0.0.0/8"]
            [[account]]
            name = "home"
            uri = "sip:102@pbx.example"
            """)
        #expect(settings.direct.autoAnswerFrom == ["lan", "192.0.2.7"])
        #expect(settings.calls.answerMuted && !settings.calls.answerBeep)
        #expect(settings.accounts.map(\.answerAfterMilliseconds) == [-1, nil])
        #expect(settings.accounts.map(\.autoAnswerFrom) == [["registrar", "10.0.0.0/8"], []])
        #expect(
            Self.problems("[direct]\nauto_answer_from = [\"registrar\"]") == [
                "handset.toml:2: direct.auto_answer_from: \"registrar\" is not \"lan\", an address, or address/prefix such as"
                    + " \"192.0.2.0/24\""
            ])
    }

    @Test("What is recorded, and who hears itself")
    func recordings() throws {
        let settings = try Self.read(
            """
            [direct]
            user = "door"
            echo_user = "echo"
            [recording]
            automatic = true
            format = "wav"
            directory = "/srv/calls"
            beep = true
            [[account]]
            name = "office"
            uri = "sip:101@pbx.example"
            record = false
            echo = true
            [[account]]
            name = "home"
            uri = "sip:102@pbx.example"
            """)
        #expect(settings.direct.echoUser == "echo")
        #expect(settings.recording.automatic && settings.recording.format == .wav && settings.recording.beep)
        #expect(settings.recording.directory == "/srv/calls")
        #expect(settings.accounts.map(\.records) == [false, nil] && settings.accounts.map(\.echoes) == [true, false])
        let relative = try Settings(
            parsing: Array("[recording]\ndirectory = \"calls\"".utf8), file: "/etc/handset/h.toml")
        #expect(relative.recording.directory == "/etc/handset/calls")
        for (text, key) in [
            ("[direct]\necho_user = \"handset\"", "direct.echo_user"),
            ("[direct]\necho_user = \"a b\"", "direct.echo_user"),
            ("[recording]\nformat = \"mp3\"", "recording.format"),
            ("[recording]\nautomatic = 1", "recording.automatic"),
            ("[recording]\ndirectory = \"a\\u0000\"", "recording.directory"),
        ] {
            #expect(Self.problems(text).count == 1 && Self.problems(text)[0].contains(":2: \(key): "), "\(text)")
        }
    }

    @Test("Every section is read")
    func everything() throws {
        let settings = try Self.read(
            """
            [audio]
            devices = ["alsa:plughw:1", "file:in.wav,out.wav"]
            period_ms = 5
            [sip]
            listen = ["udp:[::]:5070"]
            [rtp]
            ports = "20000-20010"
            symmetric = false
            [opus]
            bitrate = 16000
            packet_ms = 10
            low_delay = true
            dtx = false
            ask_dtx = true
            [direct]
            accept_from = ["10.0.0.0/8"]
            srtp = "required"
            [calls]
            maximum_calls = 2
            group_hold = "keep"
            [block]
            handles = ["+49900*", "@spam.example", "anonymous"]
            files = ["spam.txt", "/lists/more.txt"]
            answer = "silent"
            [allow]
            handles = ["bob"]
            only = true
            [dnd]
            schedule = ["mon-fri 22:00-07:00"]
            through = ["112"]
            answer = "declined"
            [contacts]
            files = ["book.vcf"]
            [history]
            days = 0
            entries = 5
            [[account]]
            name = "office"
            uri = "sip:101@pbx.example"
            transport = "tcp"
            codecs = ["PCMA", "opus"]
            """)
        #expect(settings.audio.devices == ["alsa:plughw:1", "file:in.wav,out.wav"])
        #expect(settings.audio.periodMilliseconds == 5)
        #expect(settings.block.handles.count == 3 && settings.block.answer == .silent)
        #expect(settings.block.files == ["spam.txt", "/lists/more.txt"])
        #expect(settings.allow.only && settings.allow.handles == ["bob"])
        #expect(settings.dnd.schedule == [QuietHours("mon-fri 22:00-07:00")].compactMap { $0 })
        #expect(settings.dnd.through == ["112"] && settings.dnd.answer == .declined)
        #expect(settings.contacts.files == ["book.vcf"])
        #expect(settings.history.days == 0 && settings.history.entries == 5)
        #expect(settings.sip.listen == [ListenAddress(transport: .udp, host: "::", port: 5070)])
        #expect(settings.rtp.ports == 20000...20010 && !settings.rtp.symmetric)
        #expect(settings.opus.bitrate == 16000)
        #expect(settings.opus.packetMilliseconds == 10 && settings.opus.lowDelay)
        #expect(!settings.opus.discontinuousTransmission && settings.opus.askForDiscontinuousTransmission)
        #expect(settings.direct.acceptFrom == ["10.0.0.0/8"])
        #expect(settings.direct.srtp == .required)
        #expect(settings.calls.maximumCalls == 2)
        #expect(settings.calls.groupHold == .keep)
        #expect(settings.accounts.map(\.username) == ["101"])
        #expect(settings.accounts.first?.transport == .tcp)
        #expect(settings.accounts.first?.codecs == [.pcma, .opus])
    }

    @Test(
        "What is wrong is named with file, line and key, and what is allowed",
        arguments: [
            ("[audio]\nperiod_ms = 50", "handset.toml:2: audio.period_ms: is 50; an integer of 5 to 20 is wanted"),
            (
                "[audio]\nperiod_ms = \"x\"",
                "handset.toml:2: audio.period_ms: is a string; an integer of 5 to 20 is wanted"
            ),
            ("[opus]\n\npacket_ms = 30", "handset.toml:3: opus.packet_ms: is 30; one of 10, 20, 40, 60 is wanted"),
            (
                "[direct]\nsrtp = \"maybe\"",
                "handset.toml:2: direct.srtp: is \"maybe\"; one of \"off\", \"optional\", \"required\" is wanted"
            ),
            (
                "[control]\nsokcet = \"x\"",
                "handset.toml:2: control.sokcet: is not a setting; known here: group, socket"
            ),
            ("[opus]\nfec = 1", "handset.toml:2: opus.fec: is an integer; true or false is wanted"),
            (
                "[rtp]\nports = \"9-8\"",
                "handset.toml:2: rtp.ports: \"9-8\" is not a range of ports from 1024 up, such as \"16384-16584\""
            ),
            (
                "[direct]\naccept_from = [\"lan\", \"2001:db8::/32\", \"10.0.0.0/33\"]",
                "handset.toml:2: direct.accept_from: \"10.0.0.0/33\" is not \"lan\", an address, or address/prefix such "
                    + "as \"192.0.2.0/24\""
            ),
            (
                "[block]\nhandles = [\"bob*\"]",
                "handset.toml:2: block.handles: \"bob*\" is not a handle, @domain, the beginning of a number with * after "
                    + "it, or \"anonymous\""
            ),
            (
                "[dnd]\nschedule = [\"at night\"]",
                "handset.toml:2: dnd.schedule: \"at night\" is not days and hours, such as \"mon-fri 22:00-07:00\" or "
                    + "\"daily 13:00-15:00\""
            ),
            ("audio = 3", "handset.toml:1: audio: is an integer; a section [audio] is wanted"),
            (
                "[[account]]\nname = \"a\"\nuri = \"sip:x\"",
                "handset.toml:3: account.uri: \"sip:x\" is not an address of record, such as \"sip:101@pbx.example\""
            ),
            (
                "[audio]\ndevices = [\"hw:0\"]",
                "handset.toml:2: audio.devices: \"hw:0\" is not a device; \"alsa:NAME\" or \"file:IN.wav,OUT.wav\" is wanted"
            ),
        ])
    func problem(text: String, message: String) {
        #expect(Self.problems(text) == [message])
    }

    @Test(
        "A range of ports has an even port and the odd one after it",
        arguments: [
            ("16384-16385", true), ("16385-16387", true), ("16385-16386", false), ("16384-16384", false),
            ("65534-65535", true), ("1024-65535", true), ("1023-2000", false), ("1025-1026", false),
        ])
    func portPairs(range: String, isRight: Bool) {
        let problems = Self.problems("[rtp]\nports = \"\(range)\"")
        #expect(problems.isEmpty == isRight, "\(problems)")
        #expect(problems.allSatisfy { $0.hasPrefix("handset.toml:2: rtp.ports: \"\(range)\" ") })
    }

    @Test(
        "An address to listen on stands once, in whatever way it is written",
        arguments: [
            ("\"udp:0.0.0.0:5060\", \"udp:0.0.0.0:5060\"", "udp:0.0.0.0:5060"),
            ("\"tcp:[::]:5060\", \"udp:[::]:5060\", \"tcp:[0:0::0]:5060\"", "tcp:[0:0::0]:5060"),
            ("\"udp:[2001:db8::A]:5060\", \"udp:[2001:DB8:0::a]:5060\"", "udp:[2001:DB8:0::a]:5060"),
        ])
    func twice(list: String, second: String) {
        #expect(
            Self.problems("[sip]\nlisten = [\(list)]") == [
                "handset.toml:2: sip.listen: \"\(second)\" stands twice; each address may stand once for a transport"
            ])
    }

    @Test("Addresses that differ, and free ports, are several; what is no address is none")
    func listening() throws {
        let list = "\"udp:127.0.0.1:0\", \"udp:127.0.0.1:0\", \"tcp:127.0.0.1:5060\", \"udp:127.0.0.2:5060\""
        #expect(try Self.read("[sip]\nlisten = [\(list)]").sip.listen.count == 4)
        for wrong in ["udp:999.0.0.1:5060", "udp:1.2.3:5060", "udp:[1:2]:5060", "udp:[::g]:5060", "sctp:0.0.0.0:5060"] {
            #expect(
                Self.problems("[sip]\nlisten = [\"\(wrong)\"]") == [
                    "handset.toml:2: sip.listen: \"\(wrong)\" is not transport:address:port, such as \"udp:0.0.0.0:5060\" or "
                        + "\"tcp:[::]:5060\""
                ])
        }
    }

    @Test("A path that no socket can have is refused")
    func socketPath() throws {
        let longest = "/" + String(repeating: "s", count: 106)
        #expect(try Self.read("[control]\nsocket = \"\(longest)\"").control.socket == longest)
        #expect(
            Self.problems("[control]\nsocket = \"\(longest)s\"") == [
                "handset.toml:2: control.socket: is a path of 108 bytes; one of at most 107, without a zero byte, is wanted"
            ])
        #expect(Self.problems("[control]\nsocket = \"/a\\u0000b\"").count == 1)
    }

    @Test("Nothing that the file has can steer the terminal that a problem is shown on")
    func hostile() {
        let texts = [
            "\"a\\u001b[2J\" = 1", "[audio]\n\"\\u001b\\n\\u009b\\u202e\" = 1", "[audio]\ntones = \"\\u001b[31m\"",
            "a\u{1B}[2J = 1", "[direct]\nuser = \"\\u0007\\u007f\"",
        ]
        for text in texts {
            let problems = Self.problems(text)
            #expect(!problems.isEmpty)
            for problem in problems {
                #expect(problem.unicodeScalars.allSatisfy { 0x20..<0x7F ~= $0.value }, "\(problem)")
            }
        }
        #expect(
            Self.problems("\"a\\u001b\\u202e\" = 1").first?.hasPrefix(
                "handset.toml:1: a\\u001B\\u202E: is not a setting; known here: ") == true)
    }

    @Test("All problems are told at once, in the order of the lines")
    func several() {
        let found = Self.problems("[opus]\nbitrate = 1\ncomplexity = 11\n[nonsense]\nx = 1")
        #expect(found.count == 3)
        #expect(found.first?.hasPrefix("handset.toml:2: opus.bitrate") == true)
        #expect(found.last?.hasPrefix("handset.toml:4: nonsense: is not a setting") == true)
    }

    @Test("What is no TOML is named with its line", arguments: ["a = ", "[audio", "x = 1\ny = [1, \nz", "\u{0}"])
    func syntax(text: String) {
        let found = Self.problems(text)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("handset.toml:") == true)
    }

    @Test("Nesting without end is refused, not followed")
    func nesting() {
        #expect(!Self.problems("x = " + String(repeating: "[", count: 100_000)).isEmpty)
        #expect(!Self.problems(String(repeating: "a.", count: 20_000) + "b = 1").isEmpty)
    }

    @Test("Random bytes never do more than fail")
    func randomBytes() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("[]=\"'.,#\n ab1-{}\\\u{e9}".utf8)
        for _ in 0..<3_000 {
            let text = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            _ = try? Settings(parsing: text, file: "f")
        }
        let empty = try? Settings(parsing: [], file: "f")
        #expect(empty == Settings())
    }

    @Test("Devices that ring, each with its volume, and ring tones")
    func ringing() throws {
        let settings = try Settings(
            parsing: Array(
                """
                [audio]
                ring = ["alsa:default", {device = "alsa:plughw:1", volume = 40}]
                ring_tone = "bell.wav"
                tones = "de"
                [calls]
                hold_music = "waiting.opus"
                [[account]]
                name = "office"
                uri = "sip:101@pbx.example"
                ring_tone = "silent"
                [[account]]
                name = "home"
                uri = "sip:102@pbx.example"
                [state]
                directory = "kept"
                """.utf8), file: "/etc/handset/handset.toml")
        #expect(settings.state.directory == "/etc/handset/kept")
        #expect(
            settings.audio.ring == [
                Settings.RingDevice(name: "alsa:default"), Settings.RingDevice(name: "alsa:plughw:1", volume: 40),
            ])
        #expect(settings.audio.ringTone == "/etc/handset/bell.wav")
        #expect(settings.audio.tones == "de")
        #expect(settings.calls.holdMusic == "/etc/handset/waiting.opus")
        #expect(settings.accounts.map(\.ringTone) == ["silent", nil])
    }

    @Test(
        "What is wrong with ringing is named",
        arguments: [
            ("ring = \"alsa:default\"", "audio.ring"), ("ring = [1]", "audio.ring"), ("ring = [\"x\"]", "audio.ring"),
            ("ring = [{device = \"alsa:a\", volume = 101}]", "audio.ring.volume"),
            ("ring = [{device = \"a\"}]", "audio.ring.device"),
            ("ring = [{device = \"alsa:a\", loud = 1}]", "audio.ring.loud"), ("ring_tone = 1", "audio.ring_tone"),
            ("tones = \"xx\"", "audio.tones"),
        ])
    func wrongRinging(line: String, key: String) {
        let problems = Self.problems("[audio]\n\(line)")
        #expect(problems.count == 1 && problems[0].contains("\(key):"), "\(problems)")
    }
}
