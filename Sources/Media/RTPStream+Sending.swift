internal import Quality
internal import RTP

/// A `sendDigits` under way.
struct DigitRequest {
    var number: Int
    var sender: DigitSender
}

extension RTPStream {
    /// What the loop's packets last.
    private static let packetMilliseconds = [10, 20, 40, 60]

    /// Takes the time of one packet from the loop: sends its sound, or a keypad event in its place, or nothing.
    func send(_ sound: SoundToSend, at now: UInt64) {
        // Encoded before a change of codec, it can neither be named rightly nor be placed in time.
        if let format, !Self.packetMilliseconds.contains(Int(sound.duration) * 1_000 / format.clockRate) {
            return
        }
        let timestamp = clock.take(sound.timestamp, at: now)
        if sendEvent(timestamp: timestamp, duration: sound.duration, at: now) { return }
        guard let format, format.sends, let payload = sound.payload else { return }
        guard let redundancyType = format.sendRedundancyPayloadType else {
            return sendRTP(
                payloadType: format.sendPayloadType, marker: sound.marker, timestamp: timestamp, payload: payload,
                at: now)
        }
        let octets = payload.bindMemory(to: UInt8.self).span
        redundant.removeAll(keepingCapacity: true)
        let copies = sentSound.append(
            octets, payloadType: format.sendPayloadType, timestamp: timestamp, duration: sound.duration,
            distances: control.plan.distances, to: &redundant)
        sentSound.remember(octets, timestamp: timestamp)
        if copies > 0 {
            figures.sentRedundant += 1
            redundant.withUnsafeBytes { bytes in
                sendRTP(
                    payloadType: redundancyType, marker: sound.marker, timestamp: timestamp, payload: bytes, at: now)
            }
        } else {
            sendRTP(
                payloadType: format.sendPayloadType, marker: sound.marker, timestamp: timestamp, payload: payload,
                at: now)
        }
    }

    /// Repeats nothing of what was sent until now.
    func forgetSentSound() { sentSound.forget() }

    // MARK: Keypad

    /// Starts to send keys; `digitsDone` is reported at their end. An earlier request has ended before.
    func sendDigits(_ keys: String, timing: DigitSender.Timing = DigitSender.Timing(), request: Int, at now: UInt64) {
        if let digits { output.report(.digitsDone(request: digits.number, sent: false)) }
        digits = nil
        guard let format, format.sendEventPayloadType != nil, format.sends, target != nil else {
            output.report(.digitsDone(request: request, sent: false))
            return
        }
        var sender = DigitSender(
            clockRate: format.clockRate, eventRate: format.eventClockRate, timing: timing)
        sender.enqueue(keys)
        guard !sender.isFinished else {
            output.report(.digitsDone(request: request, sent: true))
            return
        }
        digits = DigitRequest(number: request, sender: sender)
    }

    /// Drops the keys not yet begun, and tells so once the one that is down has ended.
    func cancelDigits() {
        guard var request = digits else { return }
        request.sender.cancel()
        output.report(.digitsDone(request: request.number, sent: false))
        request.number = 0
        digits = request.sender.isFinished ? nil : request
    }

    func sendEventWithoutSound(at now: UInt64) {
        let timestamp = clock.takeOwn(at: now)
        _ = sendEvent(timestamp: timestamp, duration: UInt32(clock.rate / 50), at: now)
    }

    /// Sends the event whose turn it is. Returns false where it is the sound's turn.
    private func sendEvent(timestamp: UInt32, duration: UInt32, at now: UInt64) -> Bool {
        guard var request = digits else { return false }
        guard let payloadType = format?.sendEventPayloadType, format?.sends == true, target != nil
        else {
            digits = nil
            if request.number != 0 { output.report(.digitsDone(request: request.number, sent: false)) }
            return false
        }
        let next = request.sender.next(timestamp: timestamp, duration: duration)
        digits = request.sender.isFinished ? nil : request
        guard case .event(let event, let eventTimestamp, let marker) = next else { return false }
        var payload: [UInt8] = []
        event.append(to: &payload)
        payload.withUnsafeBytes { bytes in
            sendRTP(payloadType: payloadType, marker: marker, timestamp: eventTimestamp, payload: bytes, at: now)
        }
        if digits == nil, request.number != 0 { output.report(.digitsDone(request: request.number, sent: true)) }
        return true
    }

    // MARK: Packets

    private func sendRTP(
        payloadType: UInt8, marker: Bool, timestamp: UInt32, payload: UnsafeRawBufferPointer, at now: UInt64
    ) {
        guard let target else { return }
        let header = RTPHeader(
            marker: marker, payloadType: payloadType, sequenceNumber: sequenceNumber, timestamp: timestamp,
            source: source)
        // A number is used once, whether or not the packet gets away.
        sequenceNumber = sequenceNumber.next
        packet.begin()
        header.append(to: &packet.bytes)
        packet.bytes.append(contentsOf: payload)
        guard transmit(to: target, on: .rtp, isRTCP: false) else { return }
        figures.sentPackets += 1
        figures.sentOctets += payload.count
        lastSent = now
        schedule.weSent = true
    }

    /// Protects what `packet` holds, where the stream is keyed, and sends it. A keyed stream sends nothing in clear.
    func transmit(to endpoint: Endpoint, on socket: StreamSocket, isRTCP: Bool) -> Bool {
        var count = packet.bytes.count
        if isKeyed {
            guard let length = packet.protect(with: &sendSession, isRTCP: isRTCP) else {
                figures.sendFailures += 1
                return false
            }
            count = length
        }
        let taken = packet.bytes.withUnsafeBytes { bytes in
            output.send(UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: endpoint, on: socket)
        }
        if !taken { figures.sendFailures += 1 }
        return taken
    }
}
