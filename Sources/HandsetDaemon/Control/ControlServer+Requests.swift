internal import CallModel
internal import ControlProtocol
internal import EventLoop

extension ControlServer {
    /// The end of a request. Results are kept as text: that is what a repeated request is answered with.
    enum Answer: Sendable {
        case result([UInt8])
        case failure(ControlError)
    }

    /// A client that waits for the answer to a request with a token.
    struct Waiting {
        weak var client: ControlClient?
        let done: @DaemonActor (Answer) -> Void
    }

    /// Of a request the hash is kept: it tells one from another as surely, and is small.
    typealias Tokens = TokenLedger<Int, Answer, Waiting>

    /// What is carried out for who waits for its answer, and is given up once nobody does any more.
    struct Errand {
        let isAwaited: @DaemonActor () -> Bool
        let giveUp: @DaemonActor () -> Void
    }

    func handle(_ line: LineFramer.Line, of client: ControlClient, readAt: MonotonicInstant) {
        switch line {
        case .tooLong:
            let message = "a line has at most \(LineFramer.maximumLength) bytes; this one was skipped"
            client.send(.failure(id: .null, .invalidRequest(message)))
        case .complete(let bytes):
            do throws(ControlEnvelope.Malformed) {
                handle(try ControlEnvelope(parsing: bytes), of: client, readAt: readAt)
            } catch {
                client.send(.failure(id: error.id, error.error))
            }
        }
    }

    private func handle(_ envelope: ControlEnvelope, of client: ControlClient, readAt: MonotonicInstant) {
        let id = envelope.id
        let answer: @DaemonActor (Answer) -> Void = { [weak client] answer in
            guard let client, let id else { return }
            switch answer {
            case .result(let text): client.send(ControlReply.line(id: id, result: text) + [UInt8(ascii: "\n")])
            case .failure(let error): client.send(.failure(id: id, error))
            }
        }
        do throws(ControlError) {
            let request = try ControlRequest(envelope)
            if case .eventsSubscribe(let since) = request {
                subscribe(client, since: since, answer)
            } else if let token = try ControlRequest.token(of: envelope) {
                carryOut(request, token: token, of: client, readAt: readAt, answer)
            } else {
                let isAwaited: @DaemonActor () -> Bool = { [weak client] in client?.isOpen ?? false }
                track(client, answer) { [self] done in
                    perform(request, readAt: readAt, isAwaited: isAwaited, done)
                }
            }
        } catch {
            answer(.failure(error))
        }
    }

    /// Counts a request as under way until `done` is called.
    private func track(
        _ client: ControlClient, _ answer: @escaping @DaemonActor (Answer) -> Void,
        _ body: (@escaping @DaemonActor (Answer) -> Void) -> Void
    ) {
        client.began()
        body { [weak client] result in
            answer(result)
            client?.ended()
        }
    }

    private func carryOut(
        _ request: ControlRequest, token: String, of client: ControlClient, readAt: MonotonicInstant,
        _ answer: @escaping @DaemonActor (Answer) -> Void
    ) {
        let key = Tokens.Key(user: client.user, token: token)
        track(client, answer) { [self] done in
            let waiting = Waiting(client: client, done: done)
            switch tokens.meet(key, request.hashValue, at: readAt, waiter: waiting) {
            case .running: break
            case .finished(let first): done(first)
            case .taken:
                let message = "token \"\(token)\" came with another request before; each request has one of its own"
                done(.failure(.invalidRequest(message)))
            case .new:
                let isAwaited: @DaemonActor () -> Bool = { [weak self] in
                    self?.tokens.waiters(of: key).contains { $0.client?.isOpen ?? false } ?? false
                }
                perform(request, readAt: readAt, isAwaited: isAwaited) { [weak self] result in
                    for waiting in self?.tokens.finish(key, result) ?? [] { waiting.done(result) }
                }
            }
        }
    }

    private func subscribe(
        _ client: ControlClient, since: EventCursor?, _ answer: @DaemonActor (Answer) -> Void
    ) {
        let replay = since.map { log.replay(since: $0.seq, instance: $0.instance) }
        let result: JSONValue = [
            "instance": .string(instance), "seq": JSONValue(log.sequence), "gap": .bool(replay?.gap ?? false),
        ]
        answer(.result(result.bytes))
        let missed = replay?.entries.flatMap(\.event) ?? []
        client.send(missed, allowance: missed.count)
        client.isSubscribed = true
    }

    /// - Parameter isAwaited: whether a client still waits for the answer.
    private func perform(
        _ request: ControlRequest, readAt: MonotonicInstant, isAwaited: @escaping @DaemonActor () -> Bool,
        _ done: @escaping @DaemonActor (Answer) -> Void
    ) {
        switch request {
        case .daemonStatus:
            var status = backend.status
            status.instance = instance
            done(.result(status.json.bytes))
        case .daemonReload: backend.reload { done(Answer($0, \.json)) }
        case .callList:
            let list: JSONValue = ["calls": .array(backend.calls.map(\.json))]
            done(.result(list.bytes))
        case .action(let action): backend.perform(action, readAt: readAt) { done(Answer($0, \.json)) }
        case .callPlay(let call, let file, let loops):
            backend.play(file, loops: loops, to: call, readAt: readAt) { done(Answer($0, \.json)) }
        case .callStopPlaying(let call): backend.stopPlaying(to: call, readAt: readAt) { done(Answer($0, \.json)) }
        case .recordingStart(let call, let file):
            backend.startRecording(call, file: file, readAt: readAt) { done(Answer($0, \.json)) }
        case .recordingStop(let call): backend.stopRecording(call, readAt: readAt) { done(Answer($0, \.json)) }
        case .probeRun(let wish): probe(wish, readAt: readAt, isAwaited: isAwaited, done)
        case .transaction(let actions):
            backend.transaction(actions, readAt: readAt) { reports in
                done(Answer(reports) { ["actions": .array($0.map { TransactionEntry($0).json })] })
            }
        case .historyList, .historyClear, .dndSet, .ringerSet, .blockAdd, .blockRemove, .blockList, .contactsAdd,
            .contactsRemove, .contactsList:
            performReception(request, done)
        case .devicesList:
            backend.listDevices { devices in done(Answer(devices) { ["devices": .array($0.map(\.json))] }) }
        case .volumeSet(let capture, let playback):
            backend.setVolume(capture: capture, playback: playback) { done(Answer($0, \.json)) }
        case .profileSet(let choice): done(.result(backend.setProfile(choice).json.bytes))
        case .statsGet(let call):
            do throws(CallError) {
                done(.result(try backend.statistics(of: call).json.bytes))
            } catch {
                done(.failure(ControlError(error)))
            }
        case .eventsSubscribe: done(.failure(.invalidRequest("events.subscribe is about one connection")))
        }
    }

    /// Its figures are of use only to who waits for them: with the last connection that does, its call ends.
    private func probe(
        _ wish: ProbeWish, readAt: MonotonicInstant, isAwaited: @escaping @DaemonActor () -> Bool,
        _ done: @escaping @DaemonActor (Answer) -> Void
    ) {
        var wish = wish
        let call = wish.id ?? CallID()
        wish.id = call
        // One of that name that goes on is the backend's to refuse.
        let isErrand = !wish.isDetached && errands[call] == nil
        if isErrand {
            let giveUp: @DaemonActor () -> Void = { [backend] in backend.perform(.end(call), readAt: .now) { _ in } }
            errands[call] = Errand(isAwaited: isAwaited, giveUp: giveUp)
        }
        backend.probe(wish, readAt: readAt) { [weak self] result in
            if isErrand { self?.errands[call] = nil }
            done(Answer(result, \.json))
        }
    }
}

extension ControlServer.Answer {
    init<Value>(_ result: Result<Value, CallError>, _ json: (Value) -> JSONValue) {
        self.init(result.mapError(ControlError.init), json)
    }

    init<Value>(_ result: Result<Value, ControlError>, _ json: (Value) -> JSONValue) {
        switch result {
        case .success(let value): self = .result(json(value).bytes)
        case .failure(let error): self = .failure(error)
        }
    }
}

extension ControlClient {
    func send(_ reply: ControlReply) { send(reply.line + [UInt8(ascii: "\n")]) }
}
