internal import CallModel
internal import ControlProtocol
internal import FoundationEssentials
internal import Glibc
internal import HandsetKit

/// `handset monitor` on a terminal: what is known is drawn, and keys ask for more.
actor LiveMonitor {
    /// Between two looks at the figures while there is sound, and while all calls are held.
    private static let period = (active: Duration.milliseconds(150), held: Duration.seconds(1))
    /// A burst of events is drawn once.
    private static let drawDelay = Duration.milliseconds(25)
    private static let messageTime = Duration.seconds(8)

    private let handset: Handset
    private let terminal: LiveTerminal
    private let look: Look
    private var state = MonitorState()
    private var painter = ScreenPainter()
    private var measuring: Task<Void, Never>?
    private var drawing: Task<Void, Never>?
    private var forgetting: Task<Void, Never>?

    init(_ handset: Handset, _ terminal: LiveTerminal, _ look: Look) {
        self.handset = handset
        self.terminal = terminal
        self.look = look
    }

    /// Runs until the user ends it.
    func run() async throws(Failure) {
        let events: EventStream
        do throws(HandsetError) { events = try await handset.events() } catch { throw Failure(error) }
        let inputs = try terminal.inputs()
        terminal.take()
        draw()
        perform(MonitorState.first)
        let listening = Task { for await notice in events { take(.notice(notice)) } }
        defer {
            for task in [listening, measuring, drawing, forgetting] { task?.cancel() }
            terminal.giveBack()
        }
        for await input in inputs {
            switch input {
            case .keys(let keys):
                for key in keys { if take(.key(key)) { return } }
                draw()
            case .signal(SIGWINCH), .signal(SIGCONT): redraw()
            case .signal(SIGTSTP):
                terminal.stop()
                redraw()
            case .signal(let number): terminal.end(by: number)
            case .end: return
            }
        }
    }

    // MARK: State

    /// Returns whether the user wants to end.
    @discardableResult
    private func take(_ input: MonitorState.Input) -> Bool {
        let before = state.message
        let effects = state.handle(input, now: Date())
        if state.message != before, state.message != nil { forgetMessageLater() }
        if state.hasSound, measuring == nil { measuring = Task { await measure() } }
        perform(effects)
        drawLater()
        return effects.contains(.quit)
    }

    private func perform(_ effects: [MonitorState.Effect]) {
        for effect in effects {
            switch effect {
            case .askStatus: ask { handset throws(HandsetError) in .status(try await handset.status()) }
            case .askCalls(let asOf):
                ask { handset throws(HandsetError) in .calls(try await handset.calls(), asOf: asOf) }
            case .request(let words, let method, let params):
                take(.done("\(words) \(look.ellipsis)"))
                ask { handset throws(HandsetError) in
                    Self.outcome(words, try await handset.request(method, params))
                }
            case .changeVolume(let step):
                ask { handset throws(HandsetError) in
                    guard let level = try await handset.setVolume().playback else {
                        return .failed("the loudspeaker has no level to set")
                    }
                    let now = try await handset.setVolume(playback: min(max(0, level + step), 100)).playback
                    return .done("playback \(now ?? level)")
                }
            case .setDoNotDisturb(let on):
                ask { handset throws(HandsetError) in
                    let state = try await handset.setDoNotDisturb(on)
                    let rest = state.saved == false ? "; \(Reports.notKept)" : ""
                    return .done((state.active ? "do not disturb" : "calls ring again") + rest)
                }
            case .redial:
                ask { handset throws(HandsetError) in
                    guard let last = try await handset.lastDialled() else {
                        return .failed("there is no outgoing call in the history")
                    }
                    let start = CallRequest.start(last.handle, account: last.account, id: nil)
                    return Self.outcome("redial", try await handset.request(.action(start)))
                }
            case .redraw: redraw()
            case .quit: break
            }
        }
    }

    /// Asks the daemon, and takes the answer when it comes.
    private func ask(
        _ question: @escaping @Sendable (Handset) async throws(HandsetError) -> MonitorState.Input
    ) {
        let handset = handset
        Task {
            let input: MonitorState.Input
            do throws(HandsetError) { input = try await question(handset) } catch { input = .failed(error.message) }
            take(input)
        }
    }

    /// What a request came to, in a few words.
    private static func outcome(_ words: String, _ result: JSONValue) -> MonitorState.Input {
        let entries = result["actions"]?.array?.compactMap(TransactionEntry.init(json:)) ?? []
        if let failed = entries.first(where: { !$0.fulfilled }) {
            return .failed("\(words): \(failed.reason ?? "failed"): \(failed.message ?? failed.method.rawValue)")
        }
        var text = "\(words): done"
        if let milliseconds = result["elapsedMs"]?.double { text += ", \(Reports.milliseconds(milliseconds)) ms" }
        if result["changed"]?.bool == false { text += ", was so already" }
        if result["peerNotified"]?.bool == false { text += ", the remote party did not agree" }
        return .done(text)
    }

    // MARK: Time

    /// Looks at the figures for as long as there is sound, and not at all when there is none.
    private func measure() async {
        while !Task.isCancelled, state.hasSound {
            do throws(HandsetError) { take(.statistics(try await handset.statistics())) } catch {}
            let isActive = state.calls.contains { !$0.held }
            do { try await Task.sleep(for: isActive ? Self.period.active : Self.period.held) } catch { break }
        }
        measuring = nil
        drawLater()
    }

    private func forgetMessageLater() {
        forgetting?.cancel()
        forgetting = Task {
            do { try await Task.sleep(for: Self.messageTime) } catch { return }
            state.message = nil
            drawLater()
        }
    }

    // MARK: Drawing

    private func drawLater() {
        guard drawing == nil else { return }
        drawing = Task {
            do { try await Task.sleep(for: Self.drawDelay) } catch { return }
            drawing = nil
            draw()
        }
    }

    private func draw() {
        let size = terminal.size
        let view = MonitorView(state: state, now: Date(), size: size, look: look)
        let output = painter.paint(view.lines, size)
        if !output.isEmpty { terminal.write(output) }
    }

    private func redraw() {
        painter.forget()
        draw()
    }
}
