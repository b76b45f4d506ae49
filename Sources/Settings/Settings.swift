public import CallModel
public import MediaDescription
public import Panel

/// The whole configuration, checked: what `handset.toml` says, and the defaults for what it does not.
public struct Settings: Sendable, Hashable {
    public var audio = Audio()
    public var sip = SIP()
    public var rtp = RTP()
    public var opus = Opus()
    public var direct = Direct()
    public var calls = Calls()
    public var block = Block()
    public var allow = Allow()
    public var dnd = DND()
    public var contacts = Contacts()
    public var history = History()
    public var recording = Recording()
    public var control = Control()
    public var state = State()
    public var accounts: [Account] = []
    /// `[controls]`, `[hook]`, `[[button]]` and `[[led]]`
    public var panel = PanelConfiguration()
    /// What is read when it is needed.
    public internal(set) var namedFiles: [NamedFile] = []

    /// Every setting at its default.
    public init() {}

    /// `[audio]`
    public struct Audio: Sendable, Hashable {
        /// Devices for both directions, in the order they are tried: `alsa:NAME` or `file:IN,OUT`.
        public var devices = ["alsa:default"]
        /// Devices to capture from where they are set apart; empty: `devices`.
        public var capture: [String] = []
        /// Devices to play to where they are set apart; empty: `devices`.
        public var playback: [String] = []
        /// What is done to the microphone's sound.
        public var profile = HandsFreeProfile.line
        /// The same of devices in `devices` and `capture` that say so themselves.
        public var profiles: [String: HandsFreeProfile] = [:]
        /// Where the ringer sounds: all of them at once.
        public var ring = [RingDevice(name: "alsa:default")]
        /// What it sounds like: empty (the built-in tone), `silent`, or the path of a WAV or Ogg Opus file.
        public var ringTone = ""
        /// What the network would say in tones: a country, or what ITU-T E.180 recommends.
        public var tones = "itu"
        /// 5...20 ms.
        public var periodMilliseconds = 10
        public init() {}
    }

    /// A device that rings.
    public struct RingDevice: Sendable, Hashable {
        /// As in `devices`.
        public var name: String
        /// In percent, 0...100.
        public var volume: Int

        public init(name: String, volume: Int = 100) {
            self.name = name
            self.volume = volume
        }
    }

    /// `[sip]`
    public struct SIP: Sendable, Hashable {
        public var listen = [
            ListenAddress(transport: .udp, host: "0.0.0.0", port: 5060),
            ListenAddress(transport: .tcp, host: "0.0.0.0", port: 5060),
        ]
        public init() {}
    }

    /// `[rtp]`
    public struct RTP: Sendable, Hashable {
        /// UDP ports for RTP (even) and RTCP (odd).
        public var ports: ClosedRange<UInt16> = 16384...16584
        /// Sound goes to where the peer's comes from, which need not be where its SDP says.
        public var symmetric = true
        public init() {}
    }

    /// `[opus]`
    public struct Opus: Sendable, Hashable {
        /// 6000...510000 bit/s.
        public var bitrate = 28_000
        /// 10, 20, 40 or 60 ms.
        public var packetMilliseconds = 20
        /// Looks ahead 2.5 ms instead of 6.5, and corrects no errors.
        public var lowDelay = false
        /// 0...10
        public var complexity = 9
        public var forwardErrorCorrection = true
        /// Whether no packets are sent during silence where the peer asks for that.
        public var discontinuousTransmission = true
        /// Whether we ask the peer for it, too.
        public var askForDiscontinuousTransmission = false
        /// When earlier packets are sent once more (RFC 2198), where the peer takes that.
        public var redundancy = RedundancyPolicy.auto
        public init() {}
    }

    /// `[direct]`: calls without an account.
    public struct Direct: Sendable, Hashable {
        public var user = "handset"
        /// The user whose calls are answered by themselves, and hear themselves; empty: none.
        public var echoUser = ""
        /// `lan` or `address/prefix`.
        public var acceptFrom = ["lan"]
        /// Who may ask to be answered without anybody's doing: `lan` or `address/prefix`.
        public var autoAnswerFrom: [String] = []
        public var srtp = SRTPPolicy.optional
        public var codecs: [Codec] = [.opus, .g722, .pcma, .pcmu]
        public init() {}
    }

    /// `[calls]`
    public struct Calls: Sendable, Hashable {
        /// 1...16
        public var maximumCalls = 4
        /// 5...600 s
        public var ringTimeoutSeconds = 60
        /// Ends a connected call whose remote party has sent nothing for so many seconds, 10...3600; 0: never.
        public var mediaTimeoutSeconds = 60
        /// Answers by itself after so many ms; -1: never.
        public var answerAfterMilliseconds = -1
        /// Beeps before it answers by itself.
        public var answerBeep = true
        /// Is muted where it answers by itself.
        public var answerMuted = false
        public var autoResume = false
        /// The path of a WAV or Ogg Opus file that the held party hears; empty: nothing is sent.
        public var holdMusic = ""
        public var allowTransfer = true
        public var groupHold = GroupHold.silence
        /// Digits of the country, for comparing numbers; empty: none.
        public var countryCode = ""
        /// How long a key of `dtmf` is down, 40...2000 ms.
        public var dtmfToneMilliseconds = 100
        /// How long it is up before the next one, 40...2000 ms.
        public var dtmfGapMilliseconds = 100
        public init() {}
    }

    /// `[control]`
    public struct Control: Sendable, Hashable {
        /// Bytes of the path of a Unix socket, at most (unix(7)).
        public static let maximumSocketLength = 107
        /// Path of the socket; empty: the usual places.
        public var socket = ""
        /// Members of this group may use the socket, where the group exists.
        public var group = "handset"
        public init() {}
    }

    /// `[state]`
    public struct State: Sendable, Hashable {
        /// Where what lasts is kept; empty: the usual places.
        public var directory = ""
        public init() {}
    }

    /// `[[account]]`
    public struct Account: Sendable, Hashable, CustomStringConvertible {
        public var name: String
        /// Address of record, a `sip:` URI.
        public var uri: String
        public var username: String
        /// Read from `password_file`; empty where there is none.
        public var password = ""
        /// A `sip:` URI; empty: calls go out directly and no registration is made.
        public var registrar = ""
        public var transport = Transport.udp
        /// As `Calls.answerAfterMilliseconds`, for calls of this account; nil: as for all.
        public var answerAfterMilliseconds: Int?
        /// Who may ask to be answered without anybody's doing: `registrar`, `lan` or `address/prefix`.
        public var autoAnswerFrom: [String] = []
        public var srtp = SRTPPolicy.optional
        public var codecs: [Codec] = [.opus, .g722, .pcma, .pcmu]
        /// As `Recording.automatic`, for its calls; nil: that.
        public var records: Bool?
        /// Its calls are answered by themselves, and hear themselves.
        public var echoes = false
        /// As `Audio.ringTone`, for its calls; nil: that.
        public var ringTone: String?

        public init(name: String, uri: String, username: String) {
            self.name = name
            self.uri = uri
            self.username = username
        }

        public var description: String { "account \(name) <\(uri)>" }
    }
}

/// How SIP travels.
public enum Transport: String, Sendable, Hashable, CaseIterable { case udp, tcp }

/// Where SIP is listened for: `udp:0.0.0.0:5060`, `tcp:[::]:5060`.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    public var transport: Transport
    /// A numeric address, without brackets.
    public var host: String
    public var port: UInt16

    public init(transport: Transport, host: String, port: UInt16) {
        self.transport = transport
        self.host = host
        self.port = port
    }

    /// Reads `transport:address:port`; an IPv6 address stands in brackets. nil where `text` is no such thing.
    public init?(_ text: String) {
        guard let first = text.firstIndex(of: ":"), let transport = Transport(rawValue: String(text[..<first])),
            let last = text.lastIndex(of: ":"), last > first, let port = UInt16(text[text.index(after: last)...])
        else { return nil }
        var host = text[text.index(after: first)..<last]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard NumericAddress(host) != nil else { return nil }
        self.init(transport: transport, host: String(host), port: port)
    }

    /// Whether both are one place to listen at, in whatever way its address is written.
    func isSame(_ other: ListenAddress) -> Bool {
        transport == other.transport && port == other.port
            && NumericAddress(host) == NumericAddress(other.host)
    }

    public var description: String { "\(transport.rawValue):\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
