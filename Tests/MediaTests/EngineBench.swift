import CallModel
import CallSystem
import EventLoop
import MediaDescription
import SoundDevices
import Testing

@testable import Media

/// One engine with one call, on `file:` devices.
@DaemonActor final class EngineEnd: MediaObserver {
    let engine: MediaEngine
    let call = CallID()
    let local: LocalMedia
    var digits = ""
    var events: [String] = []
    var recordings: [RecordingEnd] = []

    init(
        _ side: String, files: SoundFiles, ports: ClosedRange<UInt16>, ring: String? = nil,
        heldLinger: Duration = .seconds(10), holdMusic: String = ""
    ) throws {
        let device = "file:\(files.path("\(side)-in.wav")),\(files.path("\(side)-out.wav"))"
        var configuration = try MediaConfiguration(
            capture: [device], playback: [device], ring: ring.map { [($0, 100)] } ?? [])
        configuration.ports = ports
        configuration.bindHost = "127.0.0.1"
        configuration.rtcpInterval = 0.3
        configuration.heldLinger = heldLinger
        configuration.holdMusic = holdMusic
        engine = try MediaEngine(configuration)
        local = try engine.open(call)
        engine.observer = self
    }

    func handle(_ event: MediaEvent) {
        switch event {
        case .digit(_, let digit, _): digits.append(digit)
        case .audioActivated: events.append("activated")
        case .audioDeactivated: events.append("deactivated")
        case .audioInterrupted(let message): events.append("interrupted: \(message)")
        case .audioResumed: events.append("resumed")
        case .deviceFailed(let message): events.append("failed: \(message)")
        case .holdMusicFailed(let message): events.append("hold music: \(message)")
        case .audioRemark: break
        case .recordingEnded(let end): recordings.append(end)
        case .played(_, let file, let completed): events.append("\(completed ? "played" : "stopped") \(file)")
        case .profileChanged(let state): events.append("profile \(state.current.rawValue)")
        case .codecChanged(let call, let parameters):
            events.append("codec \(parameters.codec.rawValue)")
            engine.configure(call, parameters)
        case .quality(_, _, let isPoor): events.append(isPoor ? "poor" : "good")
        }
    }

    /// - Parameter other: another call of this engine.
    func configure(
        to peer: LocalMedia, codec: Codec, direction: MediaDirection = .sendrecv, security: StreamSecurity = .none,
        of other: CallID? = nil, alternatives: [Codec] = []
    ) {
        var parameters = StreamParameters(
            remoteRTP: MediaAddress(host: "127.0.0.1", port: peer.rtpPort),
            remoteRTCP: MediaAddress(host: "127.0.0.1", port: peer.rtcpPort), direction: direction, codec: codec,
            sendPayloadType: codec.staticPayloadType ?? 111, receivePayloadType: codec.staticPayloadType ?? 111,
            packetMilliseconds: 20, security: security)
        parameters.sendEventPayloadType = 101
        parameters.receiveEventPayloadType = 101
        parameters.alternatives = alternatives.map { codec in
            var other = parameters
            other.codec = codec
            (other.sendPayloadType, other.receivePayloadType) = (
                codec.staticPayloadType ?? 111, codec.staticPayloadType ?? 111
            )
            return other
        }
        engine.configure(other ?? call, parameters)
    }

    func activate() async -> CallError? {
        await withCheckedContinuation { done in engine.activate(call) { done.resume(returning: $0) } }
    }

    func setGates(_ gates: Gates) async {
        await withCheckedContinuation { done in engine.setGates(call, gates) { done.resume() } }
    }

    func sendDigits(_ digits: String) async -> Bool {
        await withCheckedContinuation { done in
            engine.sendDigits(call, digits, timing: DigitTiming()) { done.resume(returning: $0) }
        }
    }

    var statistics: CallStatistics { engine.statistics(of: call) ?? CallStatistics() }

    func reconfigure(_ change: (inout MediaConfiguration) -> Void) {
        var configuration = engine.configuration
        change(&configuration)
        engine.reconfigure(configuration)
    }
}

/// Two engines in one call: left's microphone is 440 Hz, right's 1,000 Hz, and what each hears is recorded.
@DaemonActor struct EnginePair {
    let files = SoundFiles()
    let left: EngineEnd
    let right: EngineEnd

    /// - Parameters:
    ///   - port: the first of a hundred that are theirs.
    ///   - heldLinger: of left's devices.
    ///   - holdMusic: the name of left's file of 1,800 Hz; empty: none.
    init(port: UInt16, heldLinger: Duration, holdMusic: String = "") throws {
        files.writeTone("left-in.wav", hertz: 440)
        files.writeTone("right-in.wav", hertz: 1_000)
        if !holdMusic.isEmpty { files.writeTone(holdMusic, hertz: 1_800) }
        left = try EngineEnd(
            "left", files: files, ports: port...port + 49, heldLinger: heldLinger,
            holdMusic: holdMusic.isEmpty ? "" : files.path(holdMusic))
        right = try EngineEnd("right", files: files, ports: port + 50...port + 99)
    }

    func connect() async {
        left.configure(to: right.local, codec: .opus)
        right.configure(to: left.local, codec: .opus)
        #expect(await left.activate() == nil)
        #expect(await right.activate() == nil)
        #expect(await wait { right.statistics.received.packets > 20 })
    }

    func shutDown() {
        left.engine.shutDown()
        right.engine.shutDown()
    }
}

/// Lets the event loop's time pass.
@DaemonActor func pause(milliseconds: Int) async {
    await withCheckedContinuation { done in
        Timer(after: .milliseconds(milliseconds)) { done.resume() }
    }
}

/// Waits until something is so, at most `milliseconds`, and returns whether it came to be.
@DaemonActor func wait(milliseconds: Int = 8_000, until condition: @DaemonActor () -> Bool) async -> Bool {
    for _ in 0..<(milliseconds / 20) {
        if condition() { return true }
        await pause(milliseconds: 20)
    }
    return condition()
}
