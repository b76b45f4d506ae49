internal import CallModel
internal import CallSystem
internal import EventLoop
internal import MediaDescription
internal import SDP
internal import SIP

/// One call at work: performs its session's effects on the endpoint and its offers and answers on the negotiator.
@DaemonActor final class SIPCall {
    let id: CallID
    let account: SIPAccount?
    /// Nothing more is said of the call; its session may still have messages to exchange.
    private(set) var isOver = false
    var session: InviteSession?
    var isHeld = false

    private unowned let agent: SIPUserAgent
    var negotiator: OfferAnswer
    /// What an offer of ours goes back to when it is not accepted, and what each fork's answer is an answer to.
    private var beforeOffer: OfferAnswer?
    private var afterOffer: OfferAnswer?
    /// Our address towards the peer, numeric.
    var host: String
    private var local: LocalMediaAddress?
    private var agreed: StreamParameters?
    private var isRemotelyHeld = false
    private var isOfferSolicited = false
    /// The last answer to a re-offer led to no session: why.
    private var answerProblem: String?
    private var hasRung = false
    private var hasInviteLeft = false
    private var rejection: EndReason?
    /// The REFER that this call follows.
    var referral: CallReferral?
    /// Whom the peer wants us to call, until that is decided.
    var wantedReferral: CallReferral?
    private var toldTransferAllowed = true
    /// Of the REFER that was sent last.
    private var transferAttempt = 0

    private var transactions: [ClientToken: ClientTransactionID] = [:]
    private var requests: [ServerToken: ServerTransactionID] = [:]
    private var lastRequest = 0
    private var timer: Timer?

    init(_ id: CallID, account: SIPAccount?, policy: MediaPolicy, host: String, agent: SIPUserAgent) {
        self.id = id
        self.account = account
        self.host = host
        self.agent = agent
        let keys = SRTPSuite.allCases.compactMap { suite in
            Hashes.random(30).map { SRTPKeying(suite: suite, keyAndSalt: $0) }
        }
        negotiator = OfferAnswer(policy: policy, sessionID: UInt64.random(in: 1..<1 << 32), keys: keys)
    }

    /// The token under which the session knows a request of the peer.
    func token(for transaction: ServerTransactionID) -> ServerToken {
        lastRequest += 1
        let token = ServerToken(rawValue: lastRequest)
        requests[token] = transaction
        return token
    }

    /// Whether the call awaits our answer.
    var isRinging: Bool { session?.isCaller == false && !isOver && !isAccepted }
    private var isAccepted = false

    // MARK: What the user wants

    /// Begins an outgoing call.
    func start(_ target: SIPURI) {
        do throws(CallError) {
            let offer = negotiator.offer(direction: .sendrecv, local: try localMedia())
            afterOffer = negotiator
            handle(.start(target: target, offer: offer.serialized()))
        } catch {
            finish(.failed(status: 500, text: error.message))
        }
    }

    /// Sends 180.
    func ring() {
        guard session?.ringNeedsOffer == true else { return handle(.ring(offer: nil)) }
        do throws(CallError) {
            handle(.ring(offer: try solicitedOffer()))
        } catch {
            handle(.abandon(status: 500, text: error.message))
        }
    }

    /// Accepts an incoming call; what has to be done is done after this has returned.
    func answer() {
        isAccepted = true
        Task { @DaemonActor [weak self] in self?.accept() }
    }

    private func accept() {
        guard !isOver, let session else { return }
        do throws(CallError) {
            if session.acceptsWithoutDescription { return handle(.accept(nil)) }
            guard let offer = session.remoteOffer else { return handle(.accept(try solicitedOffer())) }
            let answer = try self.answer(to: offer, local: try localMedia())
            handle(.accept(answer))
        } catch {
            handle(.abandon(status: 500, text: error.message))
        }
    }

    func reject(_ reason: RejectReason) {
        switch reason {
        case .declined:
            rejection = .declined
            handle(.reject(status: 603, reason: "Decline"))
        case .busy:
            rejection = .busy
            handle(.reject(status: 486, reason: "Busy Here"))
        }
    }

    func end() {
        guard session != nil else { return finish(.localEnded) }
        handle(.end)
        // An INVITE that waits for a name or a connection need not leave at all.
        guard session?.isCaller == true, !hasInviteLeft else { return }
        for transaction in transactions.values { agent.endpoint.cancel(transaction) }
    }

    /// Asks the peer to call somebody.
    func transfer(to target: ReferTarget, attempt: Int) {
        transferAttempt = attempt
        handle(.refer(target))
    }

    /// Asks the peer whether it still has the call.
    func enquire() { handle(.enquire) }

    func finish(_ reason: EndReason) {
        guard !isOver else { return }
        tellReferrer(StatusFragment(of: reason))
        isOver = true
        agent.emit(.ended(id, reason))
        agent.forgetIfFinished(self)
    }

    // MARK: Session

    func handle(_ event: InviteSession.Event) {
        guard let effects = session?.handle(event, at: now) else { return }
        for effect in effects { perform(effect) }
        tellTransferAllowed()
        timer?.cancel()
        timer = session?.deadline.map { deadline in
            Timer(after: deadline - now) { [weak self] in self?.handle(.timer) }
        }
        agent.forgetIfFinished(self)
    }

    private var now: SIPInstant { SIPInstant(nanoseconds: MonotonicInstant.now.nanoseconds) }

    private func perform(_ effect: InviteSession.Effect) {
        switch effect {
        case .send(let token, let request, let hop): send(token, request, hop)
        case .cancel(let token): if let transaction = transactions[token] { agent.endpoint.cancel(transaction) }
        case .acknowledge(let ack, let hop): agent.endpoint.sendACK(ack, to: .uri(hop))
        case .respond(let token, let response): respond(token, response)
        case .ringing(let earlyMedia):
            hasRung = true
            tellReferrer(StatusFragment(status: earlyMedia ? 183 : 180))
            emit(.ringing(id, earlyMedia: earlyMedia))
        case .answerReceived(let answer, let first): take(answer, isFirst: first)
        case .answerNeeded(let offer):
            do throws(CallError) {
                handle(.localAnswer(try self.answer(to: offer, local: try localMedia())))
            } catch {
                handle(.offerRefused(status: error.sipStatus ?? 500, reason: error.message.reasonPhrase))
            }
        case .offerNeeded(let solicited):
            do throws(CallError) {
                handle(.localOffer(solicited ? try solicitedOffer() : try reoffer()))
            } catch {
                handle(.offerRefused(status: 500, reason: error.message.reasonPhrase))
            }
        case .offerWithdrawn: if let beforeOffer { negotiator = beforeOffer }
        case .established:
            tellReferrer(StatusFragment(status: 200))
            emit(.established(id))
        case .digit(let digit, let milliseconds): emit(.digit(id, digit, milliseconds: milliseconds))
        case .reofferSettled(let attempt, let outcome): settle(attempt, outcome)
        case .referProgress(let fragment): emit(.transferProgress(id, status: fragment.status))
        case .referSettled(let outcome):
            emit(.transferSettled(id, attempt: transferAttempt, TransferOutcome(outcome, of: id)))
        case .referred(let target, let referrer):
            wantedReferral = CallReferral(call: id, target: target, referrer: referrer)
            emit(.transferRequested(id, to: Handle(caller: target.uri, hasAccount: account != nil)))
        case .peerLost: emit(.peerLost(id))
        case .ended(let ending):
            if case .rejected(let status, let reason) = ending {
                tellReferrer(StatusFragment(status: status, reason: reason))
            }
            finish(rejection ?? EndReason(ending, hasRung: hasRung))
        }
    }

    /// Tells the peer that referred us to this call how far it has come.
    private func tellReferrer(_ fragment: StatusFragment) {
        if let referral { agent.calls[referral.call]?.handle(.tellReferrer(fragment)) }
    }

    private func tellTransferAllowed() {
        guard let allowed = session?.peerTakesRefer, allowed != toldTransferAllowed else { return }
        toldTransferAllowed = allowed
        emit(.transferAllowed(id, allowed))
    }

    private func emit(_ event: SignallingEvent) { if !isOver { agent.emit(event) } }

    private func send(_ token: ClientToken, _ request: SIPMessage, _ hop: SIPURI) {
        var target = SIPTarget.uri(hop)
        if let account, hop == account.configuration.proxy, let registered = account.target { target = registered }
        let isInvite = request.method == .invite
        transactions[token] = agent.endpoint.send(request, to: target) { [weak self] event in
            guard let self else { return }
            switch event {
            case .sent:
                guard isInvite, !self.hasInviteLeft else { return }
                self.hasInviteLeft = true
                self.emit(.inviteSent(self.id))
            case .response(let response, _):
                // A final answer can overtake the word that the INVITE has left.
                if isInvite { self.hasInviteLeft = true }
                if !isInvite, (response.status ?? 0) >= 200 { self.transactions[token] = nil }
                self.handle(.response(token, response))
            case .failed(let failure):
                self.transactions[token] = nil
                self.handle(.requestFailed(token, RequestFailure(failure)))
            }
        }
    }

    private func respond(_ token: ServerToken, _ response: SIPMessage) {
        guard let transaction = requests[token] else { return }
        let status = response.status ?? 0
        // A 2xx to INVITE is repeated until its ACK comes; anything else is the transaction's from here on.
        if status >= 300 || (status >= 200 && response.method != .invite) { requests[token] = nil }
        agent.endpoint.respond(transaction, response)
    }

    private func settle(_ attempt: Int, _ outcome: InviteSession.Outcome) {
        let told: OfferOutcome =
            switch outcome {
            case .accepted: answerProblem.map { .refused(status: 488, text: $0) } ?? .accepted
            case .refused(let status, let reason): .refused(status: status, text: reason)
            case .superseded: .superseded
            }
        answerProblem = nil
        emit(.offerSettled(id, attempt: attempt, told))
    }

    // MARK: Offers and answers

    private func localMedia() throws(CallError) -> LocalMediaAddress {
        if let local { return local }
        guard let observer = agent.observer else {
            throw CallError(.mediaFailed, "There is nobody who opens the call's sockets.")
        }
        let ports = try observer.localMedia(for: id)
        let opened = LocalMediaAddress(host: host, rtpPort: ports.rtpPort, rtcpPort: ports.rtcpPort)
        local = opened
        return opened
    }

    private func reoffer() throws(CallError) -> [UInt8] {
        let local = try localMedia()
        beforeOffer = negotiator
        isOfferSolicited = false
        return negotiator.offer(direction: negotiator.wantedDirection(held: isHeld), local: local).serialized()
    }

    /// What an offerless INVITE asks for: what we want, whatever the peer wanted before (RFC 6337 §5.3).
    private func solicitedOffer() throws(CallError) -> [UInt8] {
        let local = try localMedia()
        beforeOffer = negotiator
        isOfferSolicited = true
        return negotiator.offer(direction: isHeld ? .sendonly : .sendrecv, local: local).serialized()
    }

    private func answer(to offer: [UInt8], local: LocalMediaAddress) throws(CallError) -> [UInt8] {
        let result = try negotiator.answer(to: offer, held: isHeld, local: local)
        beforeOffer = nil
        take(result.parameters)
        tellRemoteHold()
        return result.answer.serialized()
    }

    private func take(_ answer: [UInt8], isFirst: Bool) {
        if isFirst, let afterOffer { negotiator = afterOffer }
        do throws(CallError) {
            let parameters = try negotiator.take(answer)
            if isOfferSolicited { negotiator.remoteHold = !parameters.direction.sends }
            take(parameters)
            if isOfferSolicited { tellRemoteHold() }
        } catch {
            guard agreed != nil, !isFirst else { return handle(.abandon(status: 488, text: error.message)) }
            // The session goes on as it was before the offer.
            answerProblem = error.message
            if let beforeOffer { negotiator = beforeOffer }
        }
    }

    private func take(_ parameters: StreamParameters?) {
        var new = parameters ?? agreed
        // A stream that was taken away is one in which nothing flows.
        if parameters == nil { new?.direction = .inactive }
        guard let new, new != agreed else { return }
        agreed = new
        emit(.media(id, new))
    }

    private func tellRemoteHold() {
        guard negotiator.remoteHold != isRemotelyHeld else { return }
        isRemotelyHeld = negotiator.remoteHold
        emit(.remoteHold(id, isRemotelyHeld))
    }
}
