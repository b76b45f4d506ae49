public import CallRecording
public import MediaDescription
public import SoundDevices

/// Settings of all calls' media, and of the sound devices.
public struct MediaConfiguration: Sendable, Hashable {
    /// Devices in order of preference; where both lists are the same, one device serves both directions. An empty list
    /// is silence, or throws away.
    public var capture: [DeviceName]
    public var playback: [DeviceName]
    /// Where the ringer sounds: all of them at once.
    public var ring: [RingDevice]
    /// What is done to the microphone's sound, and where a capture device is to have another profile.
    public var profile = HandsFreeProfile.line
    public var profiles: [DeviceName: HandsFreeProfile] = [:]
    /// The path of a WAV or Ogg Opus file that a held party hears; empty: nothing is sent.
    public var holdMusic = ""
    /// The folder for recordings that are given no path; empty: there is none.
    public var recordings = ""
    /// Of recordings that are given no name.
    public var recordingFormat = RecordingFormat.opus
    /// Whether both parties hear that a call is recorded, by a beep at the beginning and every 15 s.
    public var recordingBeeps = false
    /// What the network would say in tones: of audio sessions to come.
    public var tones = CallProgressTones.recommended
    /// 5...20.
    public var periodMilliseconds = 10
    /// Ports for RTP and RTCP (`rtp.ports`), two for each call.
    public var ports: ClosedRange<UInt16> = 16_384...16_584
    /// The numeric local address for RTP; nil for all addresses.
    public var bindHost: String?
    /// Whether sound goes to where the peer's comes from; else to where its SDP says, and no other host is heard.
    public var isSymmetric = true
    /// In bit/s, before the peer's wish.
    public var opusBitRate = 28_000
    /// 0...10.
    public var opusComplexity = 9
    public var opusFEC = true
    /// Looks ahead 2.5 ms instead of 6.5; excludes `opusFEC`.
    public var opusIsLowDelay = false
    /// Used only where the peer asks for it.
    public var opusDTX = true
    /// When earlier packets are sent once more (RFC 2198), where the peer takes that.
    public var opusRedundancy = RedundancyPolicy.auto
    /// How long the audio session stays open with nothing but held calls.
    var heldLinger = Duration.seconds(10)
    /// Seconds between RTCP reports (RFC 3550 §6.2: 5).
    var rtcpInterval = 5.0

    public init(capture: [DeviceName] = [], playback: [DeviceName] = [], ring: [RingDevice] = []) {
        self.capture = capture
        self.playback = playback
        self.ring = ring
    }

    /// The same from names as configuration writes them: `alsa:NAME` or `file:IN.wav,OUT.wav`.
    public init(
        capture: [String], playback: [String], ring: [(name: String, volume: Int)],
        profiles: [String: HandsFreeProfile] = [:]
    ) throws(DeviceNameError) {
        self.init()
        for name in capture { self.capture.append(try DeviceName(parsing: name)) }
        for name in playback { self.playback.append(try DeviceName(parsing: name)) }
        for (name, profile) in profiles { self.profiles[try DeviceName(parsing: name)] = profile }
        for (name, volume) in ring { self.ring.append(RingDevice(name: try DeviceName(parsing: name), volume: volume)) }
    }

    /// What is configured for a session with this microphone; nil: for the one that would be tried first.
    func profile(of pair: DevicePair?) -> HandsFreeProfile {
        let microphone = pair.map(\.capture) ?? capture.first
        return microphone.flatMap { profiles[$0] } ?? profile
    }

    /// The pairs of devices to try, in order: at most 32.
    var devicePairs: [DevicePair] {
        if capture == playback {
            return capture.isEmpty ? [DevicePair()] : capture.map { DevicePair(capture: $0, playback: $0) }
        }
        let captures: [DeviceName?] = capture.isEmpty ? [nil] : capture
        let playbacks: [DeviceName?] = playback.isEmpty ? [nil] : playback
        let pairs = captures.flatMap { capture in playbacks.map { DevicePair(capture: capture, playback: $0) } }
        return Array(pairs.prefix(32))
    }
}

/// A device that rings, and how loud.
public struct RingDevice: Sendable, Hashable {
    public var name: DeviceName
    /// In percent, 0...100.
    public var volume: Int

    public init(name: DeviceName, volume: Int = 100) {
        self.name = name
        self.volume = volume
    }
}

/// Devices of an audio session.
struct DevicePair: Sendable, Hashable {
    var capture: DeviceName?
    var playback: DeviceName?
}

extension DeviceName {
    /// Whether both play on the same loudspeaker, which cannot be opened twice.
    func playsOnSame(as other: DeviceName?) -> Bool {
        switch (self, other) {
        case (.alsa(let name), .alsa(let otherName)?): name == otherName
        case (.file(_, let output?), .file(_, let otherOutput)?): output == otherOutput
        case (.file, _), (.alsa, _): false
        }
    }
}
