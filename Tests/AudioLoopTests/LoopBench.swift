@testable import AudioLoop
import Codecs
import MediaDescription
import Playout
import Realtime
import SoundDevices
import Synchronization
import Testing

/// The real loop on a sound card in memory, turned by hand: a second of sound takes a moment.
final class LoopBench {
    static let period = 480
    let sound: MemorySound
    private let cells = LockedValue(LoopCells())
    private let commands: RingWriter<LoopCommand>
    private let memory: LoopMemory
    private(set) var turns = 0

    /// - Parameter capture: what the microphone hears; then silence.
    convenience init(capture: [Int16] = [], seconds: Int = 20) {
        let sound = MemorySound(capture: capture, capacity: seconds * 48_000)
        self.init(sound, device: DuplexDevice(memory: sound))
    }

    /// On another device; `sound` plays no part then.
    convenience init(device: consuming DuplexDevice) throws {
        try device.start()
        self.init(MemorySound(capacity: 0), device: device)
    }

    private init(_ sound: MemorySound, device: consuming DuplexDevice) {
        self.sound = sound
        var ring = Ring<LoopCommand>(capacity: 64)
        memory = LoopMemory(DeviceLoop(device: device, cells: cells.pointer, commands: ring.takeReader()))
        commands = ring.takeWriter()
    }

    var loopCells: UnsafeMutablePointer<LoopCells> { cells.pointer }

    func enter(_ peer: Peer) {
        peer.call.cells.pointer.pointee.isInLoop.store(true, ordering: .sequentiallyConsistent)
        #expect(push(.enter, peer))
    }

    func leave(_ peer: Peer) { #expect(push(.leave, peer)) }

    private func push(_ kind: LoopCommand.Kind, _ peer: Peer) -> Bool {
        commands.push(LoopCommand(kind: kind, slot: peer.call.slot.pointer))
    }

    /// Turns the loop `count` times; `peers` send a period of sound before each.
    func turn(_ count: Int = 1, _ peers: Peer...) { turn(count, peers) }

    /// The same with any number of them.
    func turn(_ count: Int, _ peers: [Peer]) {
        for _ in 0..<count {
            for peer in peers { peer.speak() }
            turnOnce()
            for peer in peers { peer.listen() }
        }
    }

    static var now: UInt64 { DeviceLoop.now() }

    /// When what is heard in a turn arrives: as it begins, however long the machine keeps the test from it.
    static let arrival = UInt64.max

    /// One turn and nothing else.
    func turnOnce() {
        #expect(turnBare() == 0)
        turns += 1
    }

    /// One turn without anything of the testing library's.
    func turnBare(timeoutMilliseconds: Int = 0) -> Int {
        memory.pointer.pointee.turn(timeoutMilliseconds: timeoutMilliseconds)
    }

    /// What the loudspeaker has played since turn `from`.
    func played(from turn: Int = 0) -> ArraySlice<Int16> { sound.played.dropFirst(turn * Self.period) }
}

/// The other end of a call: speaks a sine in packets, and keeps what it is sent.
final class Peer {
    let call: CallAudio
    private let ends: NetworkEnds
    private let encoder: VoiceEncoder
    private let codec: Codec
    private let packetSamples: Int
    /// What it says; nothing is sent while it is 0.
    var hertz: Double
    var peak: Double
    /// When the next packet comes.
    var arrival = LoopBench.arrival
    private var said = 0
    private var pending: [Int16] = []
    private var sequenceNumber: UInt16 = 500
    /// All it was sent.
    private(set) var sent: [OutboundPacket] = []
    /// The words that were acknowledged, with the number of packets before each.
    private(set) var settled: [(word: UInt32, packets: Int)] = []

    init(
        _ codec: Codec = .pcmu, hertz: Double = 600, peak: Double = 8_000, milliseconds: Int = 20,
        direction: MediaDirection = .sendrecv, opus: OpusSettings = OpusSettings(),
        jitter: JitterLimits = JitterLimits(), signalling descriptor: Int32 = -1
    ) throws {
        self.codec = codec
        self.hertz = hertz
        self.peak = peak
        packetSamples = milliseconds * 48
        call = try CallAudio(
            CallAudioConfiguration(
                codec: codec, receivePayloadType: 96, packetMilliseconds: milliseconds, opus: opus,
                direction: direction, jitter: jitter), signalling: descriptor)
        guard let ends = call.takeNetworkEnds() else { throw Missing() }
        self.ends = ends
        encoder = try VoiceEncoder(codec)
    }

    struct Missing: Error {}

    /// A period of speech; a packet is sent when it is full.
    func speak() {
        for index in said..<said + LoopBench.period {
            pending.append(hertz == 0 ? 0 : Signals.wave(hertz, at: index, peak: peak))
        }
        said += LoopBench.period
        guard pending.count >= packetSamples else { return }
        if hertz != 0 { send(pending) }
        pending = []
    }

    private func send(_ samples: [Int16]) {
        var packet = InboundPacket()
        packet.sequenceNumber = sequenceNumber
        packet.payloadType = 96
        packet.timestamp = UInt32(truncatingIfNeeded: (said - samples.count) / (48_000 / codec.clockRate))
        packet.arrival = arrival
        packet.count = withUnsafeMutablePointer(to: &packet.payload) { payload in
            encoder.encode(
                samples, samples.count, into: UnsafeMutableRawPointer(payload).assumingMemoryBound(to: UInt8.self),
                capacity: 1_400)
        }
        sequenceNumber &+= 1
        _ = ends.inbound.push(packet)
    }

    /// Takes what was sent to it.
    func listen() {
        while let packet = ends.outbound.pop() {
            if packet.kind == .settled {
                settled.append((packet.gates, sent.count))
            } else {
                sent.append(packet)
            }
        }
    }

    /// What the loop has handed over since it was last asked.
    func take() -> [OutboundPacket] {
        let before = sent.count
        listen()
        return Array(sent.dropFirst(before))
    }

    /// Hands the loop a packet as it is.
    func inject(_ packet: InboundPacket) -> Bool { ends.inbound.push(packet) }

    func set(held: Bool = false, muted: Bool = false, earmuffed: Bool = false) -> GateRequest {
        call.requestGates(held: held, muted: muted, earmuffed: earmuffed)
    }

    /// The payloads it was sent from packet `from` on.
    func payloads(from: Int = 0) -> [[UInt8]] {
        sent.dropFirst(from).filter { $0.kind == .audio }.map { packet in
            (0..<packet.count).map { packet.payload[$0] }
        }
    }

    /// What it heard from packet `from` on.
    func heard(from: Int = 0) throws -> [Int16] {
        let decoder = try VoiceDecoder(codec)
        var samples: [Int16] = []
        for payload in payloads(from: from) {
            var decoded = [Int16](repeating: 0, count: 5_760)
            let count = decoder.decode(payload, payload.count, into: &decoded, capacity: decoded.count)
            samples += decoded.prefix(max(count, 0))
        }
        return samples
    }

    /// What an encoder that has never heard anything makes of silence.
    func freshSilence(packets: Int, opus: OpusSettings = OpusSettings()) throws -> [[UInt8]] {
        try fresh([Int16](repeating: 0, count: packets * packetSamples), opus: opus)
    }

    /// What it makes of `sound`, as far as that fills packets.
    func fresh(_ sound: [Int16], opus: OpusSettings = OpusSettings()) throws -> [[UInt8]] {
        let fresh = try VoiceEncoder(codec, opus: opus)
        return (0..<sound.count / packetSamples).map { index in
            let packet = Array(sound[(index * packetSamples)..<((index + 1) * packetSamples)])
            var payload = [UInt8](repeating: 0, count: 1_400)
            let count = fresh.encode(packet, packet.count, into: &payload, capacity: payload.count)
            return Array(payload.prefix(count))
        }
    }
}
