import CallModel
import Testing

@Suite("Life of a call") struct LifeTests {
    @Test("A start is fulfilled when the INVITE has left; then it rings, connects and sounds")
    func outgoing() {
        var machine = Scene.dialling.machine
        #expect(machine.state == .connecting && machine.isDialling)
        #expect(machine.follow(.inviteSent) == [.fulfil(ActionID(900), changed: true, peerNotified: nil)])
        #expect(machine.follow(.ringing(earlyMedia: false)) == [])
        #expect(machine.state == .ringing)
        #expect(machine.follow(.ringing(earlyMedia: true)) == [.openAudio])
        #expect(machine.hasEarlyMedia)
        #expect(machine.follow(.established) == [])
        #expect(machine.state == .connected && machine.isActive)
    }

    @Test("An answer waits for the sound devices, then for the ACK")
    func incoming() {
        var machine = Scene.incoming.machine
        #expect(machine.isRinging)
        #expect(machine.follow(.request(ActionID(1), .answer)) == [.openAudio])
        #expect(machine.follow(.established) == [])
        #expect(machine.follow(.audioOpened(nil)) == [.accept])
        #expect(machine.follow(.established) == [.fulfil(ActionID(1), changed: true, peerNotified: nil)])
        #expect(machine.state == .connected)
    }

    @Test("Where no device opens, the answer fails and the call goes on ringing")
    func noDevice() {
        var machine = Scene.openingAudio.machine
        let error = CallError(.deviceUnavailable, "no device")
        #expect(machine.follow(.audioOpened(error)) == [.fail(ActionID(901), error)])
        #expect(machine.isRinging)
        #expect(machine.follow(.request(ActionID(1), .answer)) == [.openAudio])
    }

    @Test("A connected call without a device tries again, a held one does not")
    func retry() {
        let error = CallError(.deviceUnavailable, "no device")
        var machine = Scene.ringing.machine
        _ = machine.follow(.streamAgreed(takesDigits: false))
        #expect(machine.follow(.established) == [.openAudio])
        #expect(machine.follow(.audioOpened(error)) == [])
        #expect(machine.nextDeadline == Scene.start + .seconds(5))
        #expect(machine.follow(.timePassed, at: Scene.start + .seconds(5)) == [.openAudio])
        _ = machine.follow(.audioOpened(error), at: Scene.start + .seconds(5))
        _ = machine.follow(.hold(1), at: Scene.start + .seconds(5))
        #expect(machine.nextDeadline == Scene.start + .seconds(9))
    }

    @Test("An answer that loses against the caller's CANCEL is cancelled", arguments: [Scene.openingAudio, .accepted])
    func cancelRace(scene: Scene) {
        var machine = scene.machine
        let effects = machine.follow(.over(.unanswered))
        #expect(effects.first?.failure == .cancelled)
        #expect(effects.last == .over(.unanswered))
        #expect(machine.follow(.audioOpened(nil)) == [])
    }

    @Test("An answer without an ACK fails after 10 s; the ACK may still come")
    func noACK() {
        var machine = Scene.accepted.machine
        let effects = machine.follow(.timePassed, at: Scene.start + .seconds(10))
        #expect(effects.map(\.failure) == [.timedOut])
        #expect(machine.nextDeadline == nil)
        #expect(machine.follow(.established) == [])
        #expect(machine.state == .connected)
    }

    @Test(
        "Nobody answers: the call ends as unanswered, either way", arguments: [Scene.incoming, .inviteSent, .ringing])
    func ringTimeout(scene: Scene) {
        var machine = scene.machine
        #expect(machine.nextDeadline == Scene.start + .seconds(60))
        #expect(machine.follow(.timePassed, at: Scene.start + .seconds(60)) == [.hangUp, .closeMedia])
        #expect(machine.follow(.over(.localEnded)) == [.over(.unanswered)])
    }

    @Test("A rejected call ends as what the caller was told", arguments: [RejectReason.declined, .busy])
    func reject(reason: RejectReason) {
        var machine = Scene.incoming.machine
        #expect(machine.follow(.request(ActionID(1), .reject(reason))) == [.refuse(reason), .closeMedia])
        let end: EndReason = reason == .busy ? .busy : .declined
        #expect(
            machine.follow(.over(.localEnded)) == [
                .fulfil(ActionID(1), changed: true, peerNotified: nil), .over(end),
            ])
    }

    @Test("An end that cannot be sent fails after 4 s, and the call is over all the same")
    func endTimeOut() {
        var machine = Scene.ending.machine
        let effects = machine.follow(.timePassed, at: Scene.start + .seconds(4))
        #expect(effects.map(\.failure) == [.timedOut, nil])
        #expect(effects.last == .over(.localEnded))
    }

    @Test("Two ends are one")
    func endTwice() {
        var machine = Scene.ending.machine
        #expect(machine.follow(.request(ActionID(1), .end)) == [])
        #expect(
            machine.follow(.over(.remoteEnded)) == [
                .fulfil(ActionID(901), changed: true, peerNotified: nil),
                .fulfil(ActionID(1), changed: false, peerNotified: nil), .over(.remoteEnded),
            ])
    }

    @Test(
        "A start whose INVITE never left fails with the word of the end",
        arguments: [
            (EndReason.busy, FailureReason.busy), (.declined, .declined), (.unanswered, .unanswered),
            (.blocked, .blocked), (.doNotDisturb, .doNotDisturb), (.localEnded, .cancelled),
            (.failed(status: 503, text: "Service Unavailable"), .refused),
            (.failed(status: nil, text: "nowhere.invalid has no address"), .unreachable),
        ])
    func startFails(end: EndReason, reason: FailureReason) {
        var machine = Scene.dialling.machine
        #expect(machine.follow(.over(end)).first?.failure == reason)
    }

    @Test("A reason that is a question, or a sentence, has no full stop more")
    func sentences() {
        let texts = ["timed out", "a.example has no address: is the name right?", "Try later."]
        #expect(texts.map { CallError.sentence($0) } == ["timed out.", texts[1], texts[2]])
    }

    @Test("An INVITE that does not leave within 10 s is given up")
    func startTimeOut() {
        var machine = Scene.dialling.machine
        let effects = machine.follow(.timePassed, at: Scene.start + .seconds(10))
        #expect(effects.map(\.failure) == [.timedOut, nil, nil])
        guard case .over(.failed) = machine.follow(.over(.localEnded)).last else {
            Issue.record("the call did not end as failed")
            return
        }
    }
}

@Suite("Mute and earmuff") struct SwitchTests {
    @Test("A mute is fulfilled by the loop's acknowledgement of it, or of a later word")
    func acknowledged() {
        var machine = Scene.muting.machine
        #expect(machine.muted)
        _ = machine.follow(.request(ActionID(1), .setEarmuffed(true)))
        #expect(
            machine.follow(.gatesApplied(generation: 2)) == [
                .applied(ActionID(901)), .fulfil(ActionID(901), changed: true, peerNotified: nil),
                .applied(ActionID(1)), .fulfil(ActionID(1), changed: true, peerNotified: nil),
            ])
    }

    @Test("Mute of a muted call is fulfilled at once, during a mute together with it")
    func idempotent() {
        var machine = Scene.muted.machine
        let mute = CallEvent.request(ActionID(1), .setMuted(true))
        #expect(machine.follow(mute) == [.fulfil(ActionID(1), changed: false, peerNotified: nil)])
        var muting = Scene.muting.machine
        #expect(muting.follow(mute) == [])
        #expect(
            muting.follow(.gatesApplied(generation: 1)).last == .fulfil(ActionID(1), changed: false, peerNotified: nil))
    }

    @Test("The opposite supersedes it")
    func superseded() {
        var machine = Scene.muting.machine
        let effects = machine.follow(.request(ActionID(1), .setMuted(false)))
        #expect(effects.first?.failure == .superseded)
        #expect(effects.last == .setGates(held: false, muted: false, earmuffed: false, generation: 2))
    }

    @Test("What the loop does not acknowledge is taken back")
    func timeOut() {
        var machine = Scene.muting.machine
        let effects = machine.follow(.timePassed, at: Scene.start + .seconds(2))
        #expect(effects.first == .setGates(held: false, muted: false, earmuffed: false, generation: 2))
        #expect(effects.last?.failure == .timedOut)
        #expect(!machine.muted)
    }

    @Test("A call can be muted before it is connected", arguments: [Scene.incoming, .dialling, .earlyMedia])
    func early(scene: Scene) {
        var machine = scene.machine
        #expect(
            machine.follow(.request(ActionID(1), .setMuted(true))) == [
                .setGates(held: false, muted: true, earmuffed: false, generation: 1)
            ])
    }
}

@Suite("DTMF") struct DigitsTests {
    @Test("Requests play one after the other")
    func order() {
        var machine = Scene.playing.machine
        #expect(machine.follow(.digits(1, "3")) == [])
        #expect(
            machine.follow(.digitsSent(segment: 1, true)) == [
                .fulfil(ActionID(901), changed: true, peerNotified: nil), .sendDigits("3", segment: 2),
            ])
    }

    @Test("A hard pause fulfils the request; the next one goes on behind it")
    func hardPause() {
        var machine = Scene.connected.machine
        #expect(machine.follow(.digits(1, "1;2,3;4")) == [.sendDigits("1", segment: 1)])
        _ = machine.follow(.digitsSent(segment: 1, true))
        #expect(machine.follow(.digits(2, "")) == [.sendDigits("2,3", segment: 2)])
        _ = machine.follow(.digitsSent(segment: 2, true))
        #expect(machine.follow(.digits(3, "5")) == [.sendDigits("45", segment: 3)])
        _ = machine.follow(.digitsSent(segment: 3, true))
        #expect(machine.follow(.digits(4, "")) == [.fulfil(ActionID(4), changed: false, peerNotified: nil)])
        #expect(machine.follow(.digits(5, ";6")) == [.fulfil(ActionID(5), changed: true, peerNotified: nil)])
        #expect(machine.follow(.digits(6, "")) == [.sendDigits("6", segment: 4)])
    }

    @Test("Digits have their own length and 2 s")
    func timeOut() {
        var machine = Scene.connected.machine
        _ = machine.follow(.digits(1, "1,2"))
        #expect(machine.nextDeadline == Scene.start + .milliseconds(440 + 2_060 + 440 + 2_000))
        let effects = machine.follow(.timePassed, at: Scene.start + .seconds(5))
        #expect(effects.first == .cancelDigits)
        #expect(effects.last?.failure == .timedOut)
    }

    @Test("Either party's hold stops them")
    func hold() {
        var machine = Scene.playing.machine
        let effects = machine.follow(.hold(1))
        #expect(effects.first == .cancelDigits)
        #expect(effects.compactMap(\.failure) == [.superseded])
        #expect(machine.follow(.digitsSent(segment: 1, false)) == [])
        var remote = Scene.playing.machine
        #expect(remote.follow(.remoteHold(true)).compactMap(\.failure) == [.cancelled])
    }

    @Test("A peer without events gets none")
    func notTaken() {
        var machine = Scene.connected.machine
        _ = machine.follow(.streamAgreed(takesDigits: false))
        #expect(machine.follow(.digits(1, "1")).first?.failure == .notSupported)
    }

    @Test("What waits is bounded")
    func bounded() {
        var machine = Scene.playing.machine
        var refused = 0
        for action in 1...1_000 where machine.follow(.digits(action, "1234567890")).first?.failure == .busy {
            refused += 1
        }
        #expect(refused >= 1_000 - CallMachine.Limit.pendingActions)
    }
}
