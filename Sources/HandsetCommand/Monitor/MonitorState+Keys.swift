internal import CallModel
internal import ControlProtocol
internal import HandsetKit

extension MonitorState {
    mutating func press(_ key: Key) -> [Effect] {
        if key == .control("l") { return [.redraw] }
        if prompt != nil { return type(key) }
        guard let command = MonitorKey.command(for: key) else {
            if key == .escape { (showsHelp, message) = (false, nil) }
            return []
        }
        message = nil
        do throws(Failure) {
            return try carryOut(command)
        } catch {
            // One line of it; what is listed below stands on the screen already.
            message = Message(text: String(error.message.prefix { $0 != "\n" }), isError: true)
            return []
        }
    }

    private mutating func carryOut(_ command: MonitorCommand) throws(Failure) -> [Effect] {
        switch command {
        case .up: return move(-1)
        case .down: return move(1)
        case .answer: return [Self.act("answer", .answer(try incoming(.answer)))]
        case .endAndAnswer: return [Self.act("end and answer", .endAndAnswer(try incoming(.endAndAnswer)))]
        case .reject: return [Self.act("reject", .reject(try incoming(.reject(.declined)), .declined))]
        case .busy: return [Self.act("reject as busy", .reject(try incoming(.reject(.busy)), .busy))]
        case .hangUp: return [Self.act("hang up", .end(try chosen().id))]
        case .hold:
            let call = try chosen()
            return [call.held ? Self.act("resume", .resume(call.id)) : Self.act("hold", .hold(call.id))]
        case .mute:
            let call = try chosen()
            return [call.muted ? Self.act("unmute", .unmute(call.id)) : Self.act("mute", .mute(call.id))]
        case .earmuff:
            let call = try chosen()
            return [
                call.earmuffed ? Self.act("unearmuff", .unearmuff(call.id)) : Self.act("earmuff", .earmuff(call.id))
            ]
        case .swap:
            let pair = try CallSelection.swap(among: calls)
            let envelope = ControlRequest.transaction([.hold(pair.active.id), .resume(pair.held.id)])
                .envelope(id: .null)
            return [.request(words: "swap", .transactionRequest, envelope.params)]
        case .connect:
            let pair = try CallSelection.swap(among: calls, for: "connect")
            // Who waits on hold is the one who shall go on with whom we have asked.
            return [Self.act("connect", .transfer(pair.held.id, to: .call(pair.active.id)))]
        case .merge:
            let ids = calls.filter { $0.state == .connected }.map(\.id)
            guard ids.count > 1 else { throw .failed("invalidState: a group needs two connected calls") }
            return [Self.act("group", .merge(ids))]
        case .split: return [Self.act("split", .split(try chosen().id))]
        case .dial: prompt = Prompt(purpose: .dial)
        case .keys: prompt = Prompt(purpose: .keys, call: try chosen().id)
        case .transfer: prompt = Prompt(purpose: .transfer, call: try chosen().id)
        case .quieter: return [.changeVolume(-5)]
        case .louder: return [.changeVolume(5)]
        case .doNotDisturb: return [.setDoNotDisturb(!isQuiet)]
        case .redial: return [.redial]
        case .help: showsHelp.toggle()
        case .redraw: return [.redraw]
        case .quit: return [.quit]
        }
        return []
    }

    private static func act(_ words: String, _ request: CallRequest) -> Effect {
        .request(words: words, request.method, request.params)
    }

    private func chosen() throws(Failure) -> CallSnapshot {
        guard let call = selectedCall else { throw .failed("unknownCall: there is no call") }
        return call
    }

    /// The selected call where it rings, else the one that does.
    private func incoming(_ verb: CallVerb) throws(Failure) -> CallID {
        if let call = selectedCall, call.state == .incoming { return call.id }
        return try CallSelection.implied(by: verb, among: calls).id
    }

    private mutating func move(_ step: Int) -> [Effect] {
        guard let current = calls.firstIndex(where: { $0.id == selectedCall?.id }) else { return [] }
        selected = calls[min(max(0, current + step), calls.count - 1)].id
        return []
    }

    // MARK: Typing

    private mutating func type(_ key: Key) -> [Effect] {
        switch key {
        case .character(let character):
            if let text = prompt?.text, text.count < Prompt.limit { prompt?.text = text + String(character) }
        case .backspace: _ = prompt?.text.popLast()
        case .control("u"): prompt?.text = ""
        case .escape: prompt = nil
        case .enter:
            guard let typed = prompt else { return [] }
            prompt = nil
            return finish(typed)
        case .up, .down, .control: break
        }
        return []
    }

    private mutating func finish(_ typed: Prompt) -> [Effect] {
        switch (typed.purpose, typed.call) {
        // Empty digits let a sequence that waits go on.
        case (.keys, let call?):
            guard let digits = DigitString(typed.text) else {
                message = Message(
                    text: "digits are 0-9, A-D, * and #, with , for a pause and ; for a stop", isError: true)
                return []
            }
            return [Self.act("keys \(digits)", .dtmf(call, digits))]
        case (_, _) where typed.text.allSatisfy(\.isWhitespace): return []
        case (.transfer, let call?):
            return [
                .request(
                    words: "transfer", .callTransfer,
                    ["id": .string(call.description), "handle": .string(typed.text)])
            ]
        case (.dial, _):
            return [.request(words: "dial \(typed.text)", .callStart, ["handle": .string(typed.text)])]
        case (.keys, nil), (.transfer, nil): return []
        }
    }
}
