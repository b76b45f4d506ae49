import MediaDescription
import RTP
import Testing

@testable import Media

/// What a stream did to the world.
final class RecordingOutput: StreamOutput {
    struct Datagram {
        var bytes: [UInt8]
        var to: Endpoint
        var socket: StreamSocket
    }

    struct Sound: Equatable {
        var sequenceNumber: UInt16
        var timestamp: UInt32
        var epoch: UInt32
        var marker: Bool
        var payload: [UInt8]
    }

    var sent: [Datagram] = []
    var sounds: [Sound] = []
    var reports: [StreamReport] = []
    /// Whether the kernel takes what is sent, and the loop what is delivered.
    var sends = true
    var hasRoom = true

    func send(_ datagram: UnsafeRawBufferPointer, to endpoint: Endpoint, on socket: StreamSocket) -> Bool {
        guard sends else { return false }
        sent.append(Datagram(bytes: Array(datagram), to: endpoint, socket: socket))
        return true
    }

    func deliver(_ packet: ReceivedSound) -> Bool {
        guard hasRoom else { return false }
        sounds.append(
            Sound(
                sequenceNumber: packet.sequenceNumber, timestamp: packet.timestamp, epoch: packet.epoch,
                marker: packet.marker, payload: Array(packet.payload)))
        return true
    }

    func report(_ report: StreamReport) { reports.append(report) }

    var playout = PlayoutFigures()
}

/// One end of a call on a virtual clock.
final class StreamEnd {
    let output = RecordingOutput()
    let stream: RTPStream
    let address: MediaAddress
    let controlAddress: MediaAddress
    /// The loop's own count.
    var timestamp: UInt32 = 0
    /// A packet's length in units of the RTP clock: 20 ms.
    var packetUnits: UInt32 = 160

    init(host: String, source: UInt32, now: UInt64, firstSequenceNumber: UInt16 = 1_000, isSymmetric: Bool = true) {
        address = MediaAddress(host: host, port: 4_000)
        controlAddress = MediaAddress(host: host, port: 4_001)
        var identity = RTPStream.Identity(
            canonicalName: Array("end-\(source)".utf8), source: source, firstSequenceNumber: firstSequenceNumber,
            timestampOffset: 0xFFFF_F000)
        identity.isSymmetric = isSymmetric
        stream = RTPStream(
            output: output, identity: identity, now: now, realTime: now + 1_700_000_000_000_000_000)
    }

    /// Encodes one packet of 20 ms of PCMA, or lets its time pass.
    func talk(_ payload: [UInt8]? = Array(repeating: 0x55, count: 160), at now: UInt64) {
        if let payload {
            payload.withUnsafeBytes { bytes in
                stream.send(
                    SoundToSend(payload: bytes, marker: timestamp == 0, timestamp: timestamp, duration: packetUnits),
                    at: now)
            }
        } else {
            stream.send(SoundToSend(payload: nil, marker: false, timestamp: timestamp, duration: packetUnits), at: now)
        }
        timestamp &+= packetUnits
    }

    func hear(_ bytes: [UInt8], from endpoint: Endpoint, on socket: StreamSocket = .rtp, at now: UInt64) {
        var bytes = bytes
        bytes.withUnsafeMutableBytes { stream.receive($0, from: endpoint, on: socket, at: now) }
    }

    /// Packets of sound sent so far and not yet taken, read as in clear.
    var sentRTP: [RTPPacket] {
        output.sent.filter { $0.socket == .rtp && MediaDatagram(classifying: $0.bytes.span) == .rtp }
            .compactMap { try? RTPPacket(parsing: $0.bytes.span) }
    }
}

/// Two ends that hear each other, on one virtual clock.
final class StreamPair {
    var now: UInt64 = 5_000_000_000
    let left: StreamEnd
    let right: StreamEnd
    /// Where the right end hears the left from: another address than signalled, behind a NAT.
    var leftSeenFrom: Endpoint?
    /// Lets the network change or lose what goes from left to right.
    var network: ([UInt8]) -> [UInt8]? = { $0 }

    /// - Parameter isSymmetric: whether the right end latches.
    init(
        security: (left: StreamSecurity, right: StreamSecurity) = (.none, .none), firstSequenceNumber: UInt16 = 1_000,
        isSymmetric: Bool = true
    ) {
        left = StreamEnd(host: "192.0.2.1", source: 0xAAAA, now: now, firstSequenceNumber: firstSequenceNumber)
        right = StreamEnd(host: "192.0.2.2", source: 0xBBBB, now: now, isSymmetric: isSymmetric)
        left.stream.configure(parameters(to: right, security: security.left), at: now)
        right.stream.configure(parameters(to: left, security: security.right), at: now)
    }

    func parameters(
        to peer: StreamEnd, direction: MediaDirection = .sendrecv, security: StreamSecurity = .none
    ) -> StreamParameters {
        var parameters = StreamParameters(
            remoteRTP: peer.address, remoteRTCP: peer.controlAddress, direction: direction, codec: .pcma,
            sendPayloadType: 8, receivePayloadType: 8, packetMilliseconds: 20, security: security)
        parameters.sendEventPayloadType = 101
        parameters.receiveEventPayloadType = 101
        return parameters
    }

    /// Lets so many packets' times pass; both ends talk, or `leftTalks` says otherwise.
    func run(packets: Int, leftTalks: Bool = true, rightTalks: Bool = true) {
        for _ in 0..<packets {
            if leftTalks { left.talk(at: now) }
            if rightTalks { right.talk(at: now) }
            carry()
            now += 20_000_000
            for end in [left, right] where end.stream.deadline <= now { end.stream.tick(at: now) }
            carry()
        }
    }

    /// Brings to each end what the other has sent. It stays in `output.sent`.
    func carry() {
        deliver(from: left, to: right, network: network, seenFrom: leftSeenFrom)
        deliver(from: right, to: left, network: { $0 }, seenFrom: nil)
    }

    private var carried: [ObjectIdentifier: Int] = [:]

    private func deliver(from: StreamEnd, to: StreamEnd, network: ([UInt8]) -> [UInt8]?, seenFrom: Endpoint?) {
        let done = carried[ObjectIdentifier(from), default: 0]
        carried[ObjectIdentifier(from)] = from.output.sent.count
        for datagram in from.output.sent[done...] {
            guard let bytes = network(datagram.bytes) else { continue }
            let address = datagram.socket == .rtp ? from.address : from.controlAddress
            guard let own = Endpoint(address) else { continue }
            to.hear(bytes, from: datagram.socket == .rtp ? seenFrom ?? own : own, on: datagram.socket, at: now)
        }
    }
}

/// Keys as both ends of an SDES call have them.
func keying(_ suite: SRTPSuite = .aesCM128HMACSHA1_80, seed: UInt8 = 1) -> (left: StreamSecurity, right: StreamSecurity)
{
    let one = SRTPKeying(suite: suite, keyAndSalt: (0..<30).map { seed &+ UInt8($0) })
    let other = SRTPKeying(suite: suite, keyAndSalt: (0..<30).map { seed &+ 100 &+ UInt8($0) })
    return (.srtp(send: one, receive: other), .srtp(send: other, receive: one))
}

func endpoint(_ host: String, _ port: UInt16 = 4_000) throws -> Endpoint {
    try #require(Endpoint(host: host, port: port))
}

func packet(_ sequence: UInt16, source: UInt32, timestamp: UInt32 = 0, payloadType: UInt8 = 8)
    -> [UInt8]
{
    var bytes: [UInt8] = []
    RTPHeader(
        payloadType: payloadType, sequenceNumber: SequenceNumber(rawValue: sequence),
        timestamp: timestamp,
        source: source
    ).append(to: &bytes)
    return bytes + [1, 2, 3]
}
