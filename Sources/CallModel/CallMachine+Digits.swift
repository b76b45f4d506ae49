/// DTMF: requests play one after the other; a `;` ends one and keeps its rest for the next.
extension CallMachine {
    struct Digits: Hashable, Sendable {
        struct Playing: Hashable, Sendable {
            var id: ActionID
            var deadline: Duration
        }

        struct Queued: Hashable, Sendable {
            var id: ActionID
            var digits: String
            var timing: DigitTiming
        }

        /// Whether the agreed stream carries events to the peer.
        var areTaken = false
        var playing: Playing?
        /// The number of what was last handed to media.
        var segment = 0
        var queue: [Queued] = []
        /// What a `;` has held back.
        var rest = ""

        var pendingCount: Int { (playing == nil ? 0 : 1) + queue.count }
    }

    mutating func play(
        _ digits: DigitString, as action: ActionID, at now: Duration, _ effects: inout [CallEffect]
    ) throws(CallError) {
        if let notConversing { throw invalid(notConversing) }
        guard hold.stage == .open else { throw invalid("is held; resume it before you send digits") }
        guard !remoteHeld else { throw invalid("is held by the remote party, who hears no digits now") }
        guard self.digits.areTaken else {
            throw CallError(.notSupported, "The remote party of call \(id) takes no telephone events (RFC 4733).")
        }
        let waiting = self.digits.queue.reduce(self.digits.rest.utf8.count) { $0 + $1.digits.utf8.count }
        guard waiting + digits.characters.utf8.count <= 8 * DigitString.maximumLength else {
            throw CallError(.busy, "Call \(id) has \(waiting) digits waiting; send more when some have left.")
        }
        self.digits.queue.append(Digits.Queued(id: action, digits: digits.characters, timing: digits.timing))
        playNext(at: now, &effects)
    }

    private mutating func playNext(at now: Duration, _ effects: inout [CallEffect]) {
        while digits.playing == nil, !digits.queue.isEmpty {
            let next = digits.queue.removeFirst()
            let text = digits.rest + next.digits
            let segment = text.prefix { $0 != ";" }
            digits.rest = String(text.dropFirst(segment.count + 1))
            guard !segment.isEmpty else {
                effects.append(.fulfil(next.id, changed: !text.isEmpty, peerNotified: nil))
                continue
            }
            digits.segment += 1
            digits.playing = Digits.Playing(
                id: next.id, deadline: now + next.timing.longest(of: segment) + Limit.digits)
            effects.append(.sendDigits(String(segment), timing: next.timing, segment: digits.segment))
        }
    }

    mutating func digitsSent(_ segment: Int, _ sent: Bool, at now: Duration, _ effects: inout [CallEffect]) {
        guard let playing = digits.playing, segment == digits.segment else { return }
        digits.playing = nil
        if sent {
            effects.append(.fulfil(playing.id, changed: true, peerNotified: nil))
        } else {
            digits.rest = ""
            effects.append(
                .fail(playing.id, CallError(.mediaFailed, "The digits could not be sent on the stream of call \(id).")))
        }
        playNext(at: now, &effects)
    }

    mutating func stopDigits(because error: CallError, _ effects: inout [CallEffect]) {
        digits.rest = ""
        if let playing = digits.playing { effects += [.cancelDigits, .fail(playing.id, error)] }
        for queued in digits.queue { effects.append(.fail(queued.id, error)) }
        digits.playing = nil
        digits.queue = []
    }

    mutating func digitsTimePassed(at now: Duration, _ effects: inout [CallEffect]) {
        guard let playing = digits.playing, playing.deadline <= now else { return }
        digits.playing = nil
        digits.rest = ""
        effects += [.cancelDigits, .fail(playing.id, timedOut("the digits did not leave in time"))]
        playNext(at: now, &effects)
    }
}
