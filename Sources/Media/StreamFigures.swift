/// What is counted of one stream, as the control side reads it. Values since the stream began.
struct StreamFigures: Sendable, Hashable {
    var sentPackets = 0
    /// Payload octets.
    var sentOctets = 0
    var receivedPackets = 0
    var receivedOctets = 0
    var lost = 0
    /// Malformed, of an unknown payload type, or refused by SRTP.
    var invalid = 0
    /// Seen before, or too old to tell (RFC 3711 §3.3.2): what a network doubles is no attack.
    var replayed = 0
    /// From a source that is not, or not yet, the stream's.
    var foreign = 0
    /// Of the stream's source, but of a number far from all that came before, which the next one has not confirmed.
    var outOfWindow = 0
    /// Sound that the audio loop had no room for, or that came before there was one.
    var overruns = 0
    /// Refused by the kernel, or by SRTP.
    var sendFailures = 0
    /// Packets that the source says it has sent, between two reports of its between which none came.
    var unheard = 0
    /// In seconds.
    var jitter = 0.0
    /// In seconds; nil before the first round trip.
    var roundTrip: Double?
    /// Packets that carried earlier sound once more (RFC 2198).
    var sentRedundant = 0
    /// Packets that did not come, or not yet, and that a later one brought.
    var recovered = 0
    /// What the peer reports as lost of ours, 0...1.
    var remoteLoss = 0.0
    /// What the peer reports as too late of ours, 0...1, and how it hears us; nil where it does not say.
    var remoteDiscarded: Double?
    var remoteScore: Double?
    /// How much longer the stretches are that we miss than by chance.
    var burstRatio = 1.0
    /// CLOCK_MONOTONIC of the last valid RTP or RTCP packet, 0 before the first: for a media time-out.
    var lastHeard: UInt64 = 0
    /// Sources heard so far: changes of SSRC, and sequences that began anew.
    var epochs = 0
}

extension StreamFigures {
    /// Who reports does so within this time, in nanoseconds: five seconds, half as much again, divided by e - 3/2 (RFC 3550
    /// §6.3.1), and some to spare.
    private static let longestSilence: UInt64 = 8_000_000_000

    /// Packets that must have been lost, since not even a report comes any more of a peer that has reported before.
    ///
    /// - Parameters:
    ///   - expected: since when sound is to come; nil: who only listens, or holds us, may well be silent.
    ///   - packetMilliseconds: what the peer's packets last.
    func outage(expectedSince expected: UInt64?, packetMilliseconds: Int, at now: UInt64) -> Int {
        guard let expected, roundTrip != nil, lastHeard > 0 else { return 0 }
        let start = max(lastHeard, expected)
        guard now > start, now - start > Self.longestSilence else { return 0 }
        return Int((now - start) / 1_000_000) / max(1, packetMilliseconds)
    }
}

/// What a stream tells the control side.
enum StreamReport: Sendable, Hashable {
    /// The loop's acknowledgement of the gates in this word: everything older has been sent.
    case settled(gates: UInt32)
    /// The sound of this number, which was played in the microphone's place, has come to its end.
    case soundEnded(UInt32)
    case digit(Character, milliseconds: Int)
    /// The end of the `sendDigits` with this number.
    case digitsDone(request: Int, sent: Bool)
    /// How the encoder is to send, by what the peer reports.
    case encoder(expectedLossPercent: Int, bitRate: Int)
    /// The peer sends another codec of those agreed on.
    case otherCodec(payloadType: UInt8)
}

/// What the audio loop and the sound devices do with what has come.
struct PlayoutFigures: Sendable, Hashable {
    /// Packets that came after their turn to be played.
    var late = 0
    /// What waits in the jitter buffer, in milliseconds.
    var buffered = 0.0
    /// What the jitter buffer lets wait at most, in milliseconds.
    var longest = 0
    /// What both ends of the sound cards and the encoder add, in milliseconds.
    var devices = 0.0
}

/// Which of a call's sockets.
enum StreamSocket: Sendable, Hashable { case rtp, rtcp }

/// What a stream does to the world, on the network thread.
protocol StreamOutput: AnyObject {
    /// Sends a datagram. Returns whether the kernel took it.
    func send(_ datagram: UnsafeRawBufferPointer, to endpoint: Endpoint, on socket: StreamSocket) -> Bool
    /// Hands a packet of sound to the audio loop. Returns whether there was room for it.
    func deliver(_ packet: ReceivedSound) -> Bool
    func report(_ report: StreamReport)
    /// As they are now.
    var playout: PlayoutFigures { get }
}

/// A valid packet of sound; `payload` is valid until `deliver` returns.
struct ReceivedSound {
    var sequenceNumber: UInt16
    var payloadType: UInt8
    var marker: Bool
    var timestamp: UInt32
    /// See `InboundPacket.epoch`.
    var epoch: UInt32
    /// CLOCK_MONOTONIC in nanoseconds.
    var arrival: UInt64
    /// It did not come by itself, but in a later packet (RFC 2198), with which it arrived.
    var isRecovered = false
    var payload: UnsafeRawBufferPointer
}

/// A packet's time in the stream we send, as the loop hands it over.
struct SoundToSend {
    /// nil: nothing is to be sent in this time.
    var payload: UnsafeRawBufferPointer?
    var marker: Bool
    /// From 0 at the beginning of what the loop encodes, in units of the RTP clock.
    var timestamp: UInt32
    var duration: UInt32
}
