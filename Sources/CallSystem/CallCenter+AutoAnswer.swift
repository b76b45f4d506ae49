internal import CallModel
internal import EventLoop

/// Calls that are answered without anybody's doing: because the settings say so, or because a caller who may asks for it.
extension CallCenter {
    /// From the first sound of the warning until the call is answered: long enough for both of its beeps, and for a sound
    /// device to open before.
    static let warningLength = Duration.milliseconds(800)

    /// - Parameter inAnyCase: a contact's calls are answered, whatever the settings say of others.
    func answerByItselfWhenDue(_ offered: IncomingCall, inAnyCase: Bool) {
        guard let delay = answerDelay(of: offered) ?? (inAnyCase ? 0 : nil) else { return }
        let call = offered.id
        _ = clock.schedule(after: .milliseconds(delay)) { [weak self] in self?.warnOfAnswer(to: call) }
    }

    /// In milliseconds; nil: a person answers. What a caller asks for goes before what the settings say.
    private func answerDelay(of offered: IncomingCall) -> Int? {
        if case .automatic(let milliseconds) = offered.answerMode { return milliseconds }
        let own = offered.account.flatMap { policy.answerAfterMillisecondsByAccount[$0] }
        let delay = own ?? policy.answerAfterMilliseconds
        return delay >= 0 ? delay : nil
    }

    /// Who is near the microphone hears that it is about to open.
    private func warnOfAnswer(to call: CallID) {
        guard mayAnswerByItself(call) else { return }
        guard policy.answerBeep else { return answerByItself(call) }
        callBeingWarnedOf = call
        settle()
        _ = clock.schedule(after: Self.warningLength) { [weak self] in
            guard let self, self.callBeingWarnedOf == call else { return }
            self.callBeingWarnedOf = nil
            self.answerByItself(call)
            self.settle()
        }
    }

    private func answerByItself(_ call: CallID) {
        guard mayAnswerByItself(call) else { return }
        if policy.answerMuted { carryOut(.mute(call), readAt: clock.now, nil) }
        carryOut(.answer(call), readAt: clock.now, nil)
    }

    /// Never at the cost of another call: who is in a conversation decides for themselves.
    private func mayAnswerByItself(_ call: CallID) -> Bool {
        conversations.count == 1 && floor.isEmpty && record(of: call)?.machine.isRinging == true
    }
}
