import Codecs
import MediaDescription
import Playout
import Quality
import Realtime
import Synchronization

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

        var payloadType: UInt8 {
            switch codec {
            case .opus: 96
            case .pcma: 8
            case .pcmu: 0
            case .g722: 9
            }
        }
    }

    let address: MediaAddress
    let wishes: Wishes
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
    private(set) var turns = 0
    /// What it has sent and the network has not taken.
    var datagrams: [(bytes: [UInt8], socket: StreamSocket)] = []

    init(host: String, source: UInt32, saying spoken: [Int16], _ wishes: Wishes, at now: UInt64) throws {
        address = MediaAddress(host: host, port: 4_000)
        self.wishes = wishes
        self.spoken = spoken
        start = now + wishes.phase
        let settings = CallAudioConfiguration(
            codec: wishes.codec, receivePayloadType: wishes.payloadType, packetMilliseconds: wishes.packetMilliseconds,
            opus: OpusSettings(bitRate: wishes.bitRate, peer: wishes.opus))
        call = try CallAudio(settings, signalling: -1)
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
        func deliver(_ packet: ReceivedSound) { end?.deliver(packet) }
        func report(_ report: StreamReport) { end?.report(report) }
        var playout: PlayoutFigures { end?.playout ?? PlayoutFigures() }
    }

    func connect(to peer: MediaAddress, at now: UInt64) {
        var parameters = StreamParameters(
            remoteRTP: peer, remoteRTCP: peer, direction: .sendrecv, codec: wishes.codec,
            sendPayloadType: wishes.payloadType, receivePayloadType: wishes.payloadType,
            packetMilliseconds: wishes.packetMilliseconds, security: .none)
        parameters.multiplexesRTCP = true
        parameters.extendedReports = ExtendedReports(voipMetrics: true, lossRuns: true)
        if wishes.redundancy != .off {
            (parameters.sendRedundancyPayloadType, parameters.receiveRedundancyPayloadType) = (63, 63)
        }
        let limits = SendControl.Limits(
            bitRate: wishes.bitRate, totalBitRate: wishes.totalBitRate, inBandFEC: wishes.opus.inBandFEC,
            redundancy: wishes.redundancy,
            packetMilliseconds: wishes.packetMilliseconds)
        stream.configure(parameters, limits: limits, at: now)
    }

    /// When its next turn is due.
    var due: UInt64 {
        let period = 10_000_000 / (1 + wishes.partsPerMillion / 1e6)
        return start + UInt64(Double(turns) * period)
    }

    func turnOnce(at now: UInt64) {
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

    func deliver(_ packet: ReceivedSound) { rings.deliver(packet) }

    func report(_ report: StreamReport) {
        if case .encoder(let loss, let bitRate) = report { call.steer(expectedLossPercent: loss, bitRate: bitRate) }
    }

    var playout: PlayoutFigures {
        let statistics = call.statistics
        return PlayoutFigures(
            late: statistics.playout.late, buffered: statistics.bufferMilliseconds,
            longest: call.longestBufferMilliseconds, devices: 36.5)
    }
}
