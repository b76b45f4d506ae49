/// Actions about calls. Each returns when it is fulfilled, and throws `refused` with the daemon's reason when it failed.
extension Handset {
    /// Starts a call.
    ///
    /// - Parameters:
    ///   - handle: a number, a user name, `user@host`, or a `sip:` or `tel:` URI. Throws `invalidHandle` for anything else.
    ///   - account: the account to call through; nil: the first one.
    ///   - id: the name the call shall have; nil: the daemon chooses.
    ///   - waiting: whether to return when the call is connected, and not already when it has been sent; it throws with
    ///     the reason where the call ends before.
    @discardableResult
    public func dial(
        _ handle: String, account: String? = nil, id: CallID? = nil, waiting: Bool = false, token: String? = nil
    ) async throws(HandsetError) -> ActionResult {
        let parsed: Handle
        do throws(CallError) { parsed = try Handle(parsing: handle) } catch { throw .refused(ControlError(error)) }
        let start = CallRequest.start(parsed, account: account, id: id)
        guard waiting else { return try await perform(start, token: token) }
        // Listens before it dials, so that no event can be missed.
        let events = try await self.events()
        var result = try await perform(start, token: token)
        result.call = try await connected(result.call, events)
        return result
    }

    /// Answers an incoming call; an active one is held first.
    ///
    /// - Parameter endingActive: ends the active one, or one that is being dialled, instead.
    @discardableResult
    public func answer(
        _ call: CallID, endingActive: Bool = false, token: String? = nil
    ) async throws(HandsetError) -> ActionResult {
        try await perform(endingActive ? .endAndAnswer(call) : .answer(call), token: token)
    }

    /// Refuses an incoming call.
    @discardableResult
    public func reject(
        _ call: CallID, as reason: RejectReason = .declined, token: String? = nil
    ) async throws(HandsetError) -> ActionResult {
        try await perform(.reject(call, reason), token: token)
    }

    /// Ends a call.
    @discardableResult
    public func end(_ call: CallID, token: String? = nil) async throws(HandsetError) -> ActionResult {
        try await perform(.end(call), token: token)
    }

    /// Silences both directions and tells the remote party; `peerNotified` of the result says whether it agreed.
    @discardableResult
    public func hold(_ call: CallID, token: String? = nil) async throws(HandsetError) -> ActionResult {
        try await perform(.hold(call), token: token)
    }

    /// Ends a hold; an active call is held first.
    @discardableResult
    public func resume(_ call: CallID, token: String? = nil) async throws(HandsetError) -> ActionResult {
        try await perform(.resume(call), token: token)
    }

    /// Stops sending our sound, or sends it again.
    @discardableResult
    public func setMuted(
        _ muted: Bool, _ call: CallID, token: String? = nil
    ) async throws(HandsetError) -> ActionResult {
        try await perform(muted ? .mute(call) : .unmute(call), token: token)
    }

    /// Stops playing the remote party's sound, or plays it again.
    @discardableResult
    public func setEarmuffed(
        _ earmuffed: Bool, _ call: CallID, token: String? = nil
    ) async throws(HandsetError) -> ActionResult {
        try await perform(earmuffed ? .earmuff(call) : .unearmuff(call), token: token)
    }

    /// Presses keys; fulfilled when the last has left, or a `;` was reached.
    @discardableResult
    public func play(
        _ digits: DigitString, _ call: CallID, token: String? = nil
    ) async throws(HandsetError) -> ActionResult {
        try await perform(.dtmf(call, digits), token: token)
    }

    /// Makes one group of two or more calls: all hear each other, and those that are held are resumed.
    @discardableResult
    public func merge(_ calls: [CallID], token: String? = nil) async throws(HandsetError) -> ActionResult {
        try await perform(.merge(calls), token: token)
    }

    /// Takes a call out of its group: it is the active one then, and the rest of the group is held.
    @discardableResult
    public func split(_ call: CallID, token: String? = nil) async throws(HandsetError) -> ActionResult {
        try await perform(.split(call), token: token)
    }

    /// Has the remote party go on with somebody else, without us: with whom it is to call, or with that of another call.
    ///
    /// The call is held meanwhile and ends when the target has answered, 60 s at most; where it does not, the call stays
    /// held. `resume` meanwhile takes it back.
    @discardableResult
    public func transfer(
        _ call: CallID, to target: TransferTarget, token: String? = nil
    ) async throws(HandsetError) -> ActionResult {
        try await perform(.transfer(call, to: target), token: token)
    }

    /// Records a connected call to a new file on the daemon's machine: what its remote party is sent on the left channel, what
    /// is heard of it on the right one. `recording` of the result's call says where it is.
    ///
    /// - Parameter file: a path from the root, or a name in the folder of recordings, ending in `.opus` or `.wav`; nil: the
    ///   daemon makes a name.
    @discardableResult
    public func startRecording(
        _ call: CallID, to file: String? = nil, token: String? = nil
    ) async throws(HandsetError) -> ActionResult {
        try await result(.recordingStart(call, file: file), token: token, ActionResult.init(json:))
    }

    /// Ends a recording; `recordingEnded` tells when its file is complete.
    @discardableResult
    public func stopRecording(_ call: CallID, token: String? = nil) async throws(HandsetError) -> ActionResult {
        try await result(.recordingStop(call), token: token, ActionResult.init(json:))
    }

    /// Has the remote party hear a WAV or Ogg Opus file of the daemon's machine in place of the microphone; fulfilled when it
    /// begins. `callPlayed` tells of its end.
    ///
    /// - Parameter file: a path from the root; ten minutes at most.
    @discardableResult
    public func play(
        file: String, loops: Bool = false, _ call: CallID, token: String? = nil
    ) async throws(HandsetError) -> ActionResult {
        try await result(.callPlay(call, file: file, loops: loops), token: token, ActionResult.init(json:))
    }

    /// Has it hear the microphone again.
    @discardableResult
    public func stopPlaying(_ call: CallID, token: String? = nil) async throws(HandsetError) -> ActionResult {
        try await result(.callStopPlaying(call), token: token, ActionResult.init(json:))
    }

    /// Any action.
    @discardableResult
    public func perform(_ action: CallRequest, token: String? = nil) async throws(HandsetError) -> ActionResult {
        try await result(.action(action), token: token, ActionResult.init(json:))
    }

    /// Several actions in order, all or nothing where that is possible. Throws only where the transaction was not taken
    /// at all: how each action ended is in the result.
    @discardableResult
    public func transaction(
        _ actions: [CallRequest], token: String? = nil
    ) async throws(HandsetError) -> [TransactionEntry] {
        try await result(.transaction(actions), token: token) {
            $0["actions"]?.array?.compactMap(TransactionEntry.init(json:))
        }
    }

    /// Waits until `call`, which was dialled, is connected; throws `refused` with the reason where it ends.
    ///
    /// - Parameter events: a stream that began before the call.
    public func connected(_ call: CallSnapshot, _ events: EventStream) async throws(HandsetError) -> CallSnapshot {
        var call = call
        var notices = events.makeAsyncIterator()
        while call.state != .connected {
            guard call.state != .ended else {
                throw .refused(ControlError(CallError(endOf: call)))
            }
            switch await notices.next() {
            case .event(let event)?:
                switch event.content {
                case .callUpdated(let news, _)? where news.id == call.id: call = news
                case .callEnded(let news)? where news.id == call.id: call = news
                default: break
                }
            case .gap?:
                // What was missed may be the very thing: ask.
                guard let news = try await calls().first(where: { $0.id == call.id }) else {
                    throw .interrupted("the call ended while the connection was lost")
                }
                call = news
            case .disconnected?, .reconnected?: break
            case nil: throw Task.isCancelled ? .cancelled : .interrupted("\(path): the daemon has gone")
            }
        }
        return call
    }
}
