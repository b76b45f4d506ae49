internal import MediaDescription
internal import Quality
internal import RTP

/// The network's side of one call's audio stream: RTP and RTCP both ways, keys, latching and keypad events.
///
/// It lives on the network thread, but owns neither socket nor clock: datagrams and instants (CLOCK_MONOTONIC in
/// nanoseconds) come in, datagrams and reports go out through `StreamOutput`.
final class RTPStream {
    /// What stays the same for a stream's life: what is random in it, and what tests shorten.
    struct Identity {
        /// RFC 7022: random, for the call's life.
        var canonicalName: [UInt8]
        var source: UInt32
        /// Below 32,768, so that a peer that missed the first packets still guesses the roll-over counter right.
        var firstSequenceNumber: UInt16
        var timestampOffset: UInt32
        var rtcpMinimumInterval = 5.0
        /// Sends to where the peer's packets come from (RFC 4961), which may be anywhere; else to where signalling says,
        /// and only that host is heard.
        var isSymmetric = true
    }

    static let keepAliveInterval: UInt64 = 15_000_000_000

    let output: any StreamOutput
    let identity: Identity
    var random: SystemRandomNumberGenerator = SystemRandomNumberGenerator()
    private var parameters: StreamParameters?
    /// Nil before the first `configure` and after `close`.
    private(set) var format: PacketFormat?
    var figures = StreamFigures()

    // Sending.
    var source: UInt32
    var sequenceNumber: SequenceNumber
    var clock: StreamClock
    var sendSession: KeyedSession
    var packet = PacketBuffer()
    var lastSent: UInt64
    /// Packets sent before the last report and the one before it: who sent since then is a sender (RFC 3550 §6.4).
    var sentBeforeReports = (last: 0, earlier: 0)

    /// Follows the peer's reports.
    var control = SendControl(SendControl.Limits())
    var sentSound = RedundancySender()
    /// The payload of a redundant packet. One is used again and again.
    var redundant: [UInt8] = []
    /// The highest of our numbers that the peer has reported, with the count of wraps above it; nil before the first report.
    var reportedHighest: UInt32?
    /// What was sent under another number of ours, which a report does not count.
    var sentAsOther = (packets: 0, octets: 0)

    // Receiving.
    var sources = SourceTable()
    var receiveSession: KeyedSession
    var epoch: UInt32 = 0
    var digitReceiver: DigitReceiver
    /// Whose keys these are; nil before the first source.
    var digitSource: UInt32?
    var eventGaps = EventGaps()
    var redundancy = RedundancyReceiver()
    /// Which packets have come; nil before the first source.
    var pattern: ReceptionPattern?
    /// Length of the packets that come, in samples at 48 kHz.
    var receivedDuration = 960
    /// What the audio loop had found too late when it was last asked.
    var lateBefore = 0
    /// The last packet of sound that was of another codec.
    var otherSound: (payloadType: UInt8, number: SequenceNumber)?
    /// Where to send, learnt from what came; nil: where signalling says.
    var latched: Endpoint?
    var latchedRTCP: Endpoint?
    var signalled: Endpoint?
    var signalledRTCP: Endpoint?
    var lastSenderReport: (middle: UInt32, arrival: UInt64)?
    /// What a source said in its last report that it had sent, and what had come by then.
    var announced: (source: UInt32, packets: UInt32, received: Int)?

    // Reports.
    var schedule: RTCPSchedule
    let wallClockOffset: UInt64

    // Keys to send.
    var digits: DigitRequest?

    /// `realTime` is CLOCK_REALTIME at `now`: NTP times are those of the monotonic clock from here on, and do not step.
    init(output: any StreamOutput, identity: Identity, now: UInt64, realTime: UInt64) {
        self.output = output
        self.identity = identity
        source = identity.source
        sequenceNumber = SequenceNumber(rawValue: identity.firstSequenceNumber & 0x7FFF)
        clock = StreamClock(rate: 8_000, timestamp: identity.timestampOffset, at: now)
        sendSession = KeyedSession(.send)
        receiveSession = KeyedSession(.receive)
        digitReceiver = DigitReceiver(clockRate: 8_000)
        lastSent = now
        schedule = RTCPSchedule(start: now, bandwidth: 400, minimumInterval: identity.rtcpMinimumInterval)
        wallClockOffset = realTime &- now
    }

    // MARK: Configuration

    /// Starts the stream or changes it. What has not changed is left alone: keys and their counters, the latch, the
    /// sequence.
    func configure(_ new: StreamParameters, limits: SendControl.Limits = SendControl.Limits(), at now: UInt64) {
        let old = parameters
        parameters = new
        format = PacketFormat(new)
        otherSound = nil
        let (newRTP, newRTCP) = (Endpoint(new.remoteRTP), Endpoint(new.remoteRTCP))
        if newRTP != signalled || newRTCP != signalledRTCP {
            (signalled, signalledRTCP) = (newRTP, newRTCP)
            (latched, latchedRTCP) = (nil, nil)
            sources.forget()
        }
        if old?.codec != new.codec || old?.eventClockRate != new.eventClockRate {
            digitReceiver.changeClock(to: new.codec.clockRate, eventRate: new.eventClockRate)
        }
        let timestamp = clock.timestamp(at: now)
        if old?.codec != new.codec {
            clock.changeRate(to: new.codec.clockRate, at: now)
            // The jitter of another clock cannot be continued; a new source begins (RFC 7160).
            if let old, old.codec.clockRate != new.codec.clockRate { sources.forget() }
        }
        // Keys that are being sent do not begin anew with the codec.
        digits?.sender.changeClock(
            to: new.codec.clockRate, eventRate: new.eventClockRate, from: timestamp, at: clock.timestamp(at: now))
        switch new.security {
        case .none:
            sendSession.set(nil)
            receiveSession.set(nil)
        case .srtp(let send, let receive):
            sendSession.set(send)
            if receiveSession.set(receive) { sources.forget() }
        }
        if old == nil { schedule.members = 2 }
        control.change(limits)
        if old?.sendPayloadType != new.sendPayloadType || old?.codec != new.codec
            || old?.packetMilliseconds != new.packetMilliseconds
        {
            sentSound.forget()
        }
        if new.codec == .opus { tellEncoder() }
        reportOftener(new, limits)
    }

    /// Where reports decide what is sent, they come as often as the session's bandwidth allows: 360 s divided by it in
    /// kbit/s (RFC 3550 §6.2), both directions counted, with two copies and all headers.
    private func reportOftener(_ new: StreamParameters, _ limits: SendControl.Limits) {
        guard new.sendRedundancyPayloadType != nil else { return }
        let headers = 40 * 8 * 1_000 / max(1, new.packetMilliseconds)
        let kilobits = Double(2 * (3 * limits.bitRate + headers)) / 1_000
        schedule.minimumInterval = min(identity.rtcpMinimumInterval, 360 / kilobits)
        schedule.bandwidth = max(400, kilobits * 1_000 / 8 * 0.05)
    }

    func tellEncoder() {
        output.report(
            .encoder(expectedLossPercent: control.plan.expectedLossPercent, bitRate: control.plan.bitRate))
    }

    /// What the loop encodes from now on begins with timestamp 0 again; on the wire time goes on.
    func restartSendClock() { clock.unanchor() }

    var isKeyed: Bool { format?.isKeyed ?? false }

    /// Neither takes nor sends anything from here on.
    func unconfigure() {
        parameters = nil
        format = nil
    }

    // MARK: Where to

    /// Where RTP goes; nil where nothing may be sent.
    var target: Endpoint? {
        guard let signalled, signalled.isReachable else { return nil }
        return identity.isSymmetric ? latched ?? signalled : signalled
    }

    /// Whether packets from there may be the peer's. Who holds us by a null address may still send from anywhere.
    func mayHear(_ endpoint: Endpoint) -> Bool {
        guard !identity.isSymmetric, let signalled, signalled.isReachable else { return true }
        return endpoint.hasSameHost(as: signalled) || signalledRTCP?.hasSameHost(as: endpoint) == true
    }

    /// Where RTCP goes, and from which socket.
    var rtcpTarget: (Endpoint, StreamSocket)? {
        guard let format else { return nil }
        if format.multiplexesRTCP { return target.map { ($0, .rtp) } }
        guard let signalledRTCP, signalledRTCP.isReachable else { return nil }
        return (identity.isSymmetric ? latchedRTCP ?? signalledRTCP : signalledRTCP, .rtcp)
    }

    // MARK: Time

    /// The earliest instant at which `tick` has something to do.
    var deadline: UInt64 {
        var next = lastSent &+ Self.keepAliveInterval
        if format != nil { next = min(next, schedule.due) }
        if let deadline = digitReceiver.deadline { next = min(next, deadline) }
        if digits != nil { next = min(next, clock.lastPacket &+ clock.patience) }
        return next
    }

    /// Does what is due.
    func tick(at now: UInt64) {
        if let digit = digitReceiver.expire(at: now) {
            output.report(.digit(digit.digit, milliseconds: digit.milliseconds))
        }
        if format != nil, schedule.due <= now { reportIfDue(at: now) }
        if digits != nil, clock.lastPacket &+ clock.patience <= now { sendEventWithoutSound(at: now) }
        if lastSent &+ Self.keepAliveInterval <= now { keepAlive(at: now) }
    }

    /// An empty datagram keeps the RTP port's binding in a NAT (RFC 6263 §4.1) where no report goes that way.
    private func keepAlive(at now: UInt64) {
        lastSent = now
        guard let format, !format.multiplexesRTCP, let target else { return }
        _ = output.send(UnsafeRawBufferPointer(start: nil, count: 0), to: target, on: .rtp)
    }
}
