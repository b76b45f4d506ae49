import Codecs
import MediaDescription
import Playout
import Quality
import Realtime
import Synchronization
import Testing

@testable import AudioLoop
@testable import Media

/// One end of a call: the real stream and the real audio loop, on a virtual clock, without sockets and devices.
///
/// What it says in a turn is what a card would have captured during the period before; what it hears is what would have been
/// handed to the loudspeaker.
final class VirtualEnd: StreamOutput {
    static let turn = 480

    struct Wishes {
        var codec = Codec.opus
        /// Another one that was agreed on.
        var other: Codec?
        var opus = OpusParameters()
        var bitRate = 28_000
        /// What the peer's bandwidth leaves for payload, in bit/s; nil: no limit.
        var totalBitRate: Int?
        var packetMilliseconds = 20
        var redundancy = RedundancyPolicy.auto
        /// Of its clock, against that of the network.
        var partsPerMillion = 0.0
        /// When its turns begin, in nanoseconds from a whole period.
        var phase: UInt64 = 0

        init() { opus.inBandFEC = true }

        var settings: CallAudioConfiguration {
            CallAudioConfiguration(
                codec: codec, receivePayloadType: payloadType, packetMilliseconds: packetMilliseconds,
                opus: OpusSettings(bitRate: bitRate, peer: opus))
        }

        var payloadType: UInt8 { Self.payloadType(of: codec) }

        static func payloadType(of codec: Codec) -> UInt8 { codec.staticPayloadType ?? 96 }
    }

    let address: MediaAddress
    private(set) var wishes: Wishes
    let stream: RTPStream
    let call: CallAudio
    private let cells = LockedValue(LoopCells())
    private let commands: RingWriter<LoopCommand>
    private var loop: AudioLoop
    private var rings = LoopRings()
    /// What it says; then silence.
    let spoken: [Int16]
    private var said = 0
    private(set) var heard: [Int16] = []
    private let start: UInt64
    private var peer: MediaAddress?
    private var hearsOther = false
    private(set) var turns = 0
    /// What it has sent and the network has not taken.
    var datagrams: [(bytes: [UInt8], socket: StreamSocket)] = []

    init(host: String, source: UInt32, saying spoken: [Int16], _ wishes: Wishes, at now: UInt64) throws {
        address = MediaAddress(host: host, port: 4_000)
        self.wishes = wishes
        self.spoken = spoken
        start = now + wishes.phase
        call = try CallAudio(wishes.settings, signalling: -1)
        var ring = Ring<LoopCommand>(capacity: 4)
        commands = ring.takeWriter()
        loop = AudioLoop(
            cells: cells.pointer, commands: ring.takeReader(), period: Self.turn, tones: .recommended)
        let output = Forward()
        stream = RTPStream(
            output: output,
            identity: .init(
                canonicalName: Array("end-\(source)".utf8), source: source, firstSequenceNumber: 100,
                timestampOffset: source &* 77_777),
            now: now, realTime: now + 1_700_000_000_000_000_000)
        output.end = self
        if let ends = call.takeNetworkEnds() { rings.attach(ends) }
        call.cells.pointer.pointee.isInLoop.store(true, ordering: .sequentiallyConsistent)
        _ = commands.push(LoopCommand(kind: .enter, slot: call.slot.pointer))
    }

    /// What a stream holds strongly, so that the end is not held by itself.
    private final class Forward: StreamOutput {
        weak var end: VirtualEnd?
        func send(_ datagram: UnsafeRawBufferPointer, to endpoint: Endpoint, on socket: StreamSocket) -> Bool {
            end?.send(datagram, to: endpoint, on: socket) ?? false
        }
        func deliver(_ packet: ReceivedSound) -> Bool { end?.deliver(packet) ?? false }
        func report(_ report: StreamReport) { end?.report(report) }
        var playout: PlayoutFigures { end?.playout ?? PlayoutFigures() }
    }

    func connect(to peer: MediaAddress, at now: UInt64) {
        self.peer = peer
        var parameters = StreamParameters(
            remoteRTP: peer, remoteRTCP: peer, direction: .sendrecv, codec: wishes.codec,
            sendPayloadType: wishes.payloadType, receivePayloadType: wishes.payloadType,
            packetMilliseconds: wishes.packetMilliseconds, security: .none)
        parameters.multiplexesRTCP = true
        parameters.extendedReports = ExtendedReports(voipMetrics: true, lossRuns: true)
        if wishes.redundancy != .off {
            (parameters.sendRedundancyPayloadType, parameters.receiveRedundancyPayloadType) = (63, 63)
        }
        if let codec = wishes.other {
            var other = parameters
            other.codec = codec
            (other.sendPayloadType, other.receivePayloadType) = (
                Wishes.payloadType(of: codec), Wishes.payloadType(of: codec)
            )
            parameters.alternatives = [other]
        }
        let limits = SendControl.Limits(
            bitRate: wishes.bitRate, totalBitRate: wishes.totalBitRate, inBandFEC: wishes.opus.inBandFEC,
            redundancy: wishes.redundancy,
            packetMilliseconds: wishes.packetMilliseconds)
        stream.configure(parameters, limits: limits, at: now)
    }

    /// Offer and answer have agreed on something else.
    func change(_ new: Wishes, with peer: MediaAddress, at now: UInt64) throws {
        wishes = new
        try call.update(new.settings)
        rings.drain(into: stream, at: now) { _ in }
        connect(to: peer, at: now)
    }

    /// When its next turn is due.
    var due: UInt64 {
        let period = 10_000_000 / (1 + wishes.partsPerMillion / 1e6)
        return start + UInt64(Double(turns) * period)
    }

    /// Goes over to the other codec, as the control side does a moment after it was told of it.
    private func goOver(at now: UInt64) {
        guard hearsOther, let other = wishes.other, let peer else { return }
        hearsOther = false
        var new = wishes
        (new.codec, new.other) = (other, wishes.codec)
        do { try change(new, with: peer, at: now) } catch { Issue.record("\(error)") }
    }

    func turnOnce(at now: UInt64) {
        goOver(at: now)
        var captured = [Int16](repeating: 0, count: Self.turn)
        for index in 0..<Self.turn where said + index < spoken.count { captured[index] = spoken[said + index] }
        said += Self.turn
        var played = [Int16](repeating: 0, count: Self.turn)
        loop.turn(captured: &captured, played: &played, Self.turn, now: now)
        heard += played
        loop.acknowledge()
        rings.drain(into: stream, at: now) { _ in }
        turns += 1
    }

    // MARK: StreamOutput

    func send(_ datagram: UnsafeRawBufferPointer, to endpoint: Endpoint, on socket: StreamSocket) -> Bool {
        datagrams.append((Array(datagram), socket))
        return true
    }

    func deliver(_ packet: ReceivedSound) -> Bool { rings.deliver(packet) }

    func report(_ report: StreamReport) {
        if case .encoder(let loss, let bitRate) = report { call.steer(expectedLossPercent: loss, bitRate: bitRate) }
        if case .otherCodec = report { hearsOther = true }
    }

    var playout: PlayoutFigures {
        let statistics = call.statistics
        return PlayoutFigures(
            late: statistics.playout.late, buffered: statistics.bufferMilliseconds,
            longest: call.longestBufferMilliseconds, devices: 36.5)
    }
}
