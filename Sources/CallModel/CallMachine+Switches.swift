/// Mute and earmuff: two switches that know nothing of each other, nor of hold.
extension CallMachine {
    struct Switch: Hashable, Sendable {
        var isOn = false
        /// Who waits for the loop's acknowledgement of the gates of `generation`.
        var waiting: Pending?
        var generation = 0
        /// Requests for the same, which end with it.
        var joined: [ActionID] = []

        var pendingCount: Int { (waiting == nil ? 0 : 1) + joined.count }
    }

    typealias SwitchPath = WritableKeyPath<CallMachine, Switch>

    mutating func set(
        _ path: SwitchPath, _ on: Bool, as action: ActionID, at now: Duration, _ effects: inout [CallEffect]
    ) throws(CallError) {
        guard ending == nil else { throw invalid("is being ended") }
        guard self[keyPath: path].isOn != on else {
            if self[keyPath: path].waiting == nil {
                effects.append(.fulfil(action, changed: false, peerNotified: nil))
            } else {
                self[keyPath: path].joined.append(action)
            }
            return
        }
        stopSwitch(path, because: CallError(.superseded, "Call \(id) was asked for the opposite meanwhile."), &effects)
        self[keyPath: path].isOn = on
        setGates(&effects)
        self[keyPath: path].waiting = Pending(id: action, deadline: now + Limit.gates)
        self[keyPath: path].generation = gateGeneration
    }

    mutating func switchApplied(_ path: SwitchPath, _ generation: Int, _ effects: inout [CallEffect]) {
        guard let waiting = self[keyPath: path].waiting, generation >= self[keyPath: path].generation else { return }
        effects += [.applied(waiting.id), .fulfil(waiting.id, changed: true, peerNotified: nil)]
        for action in self[keyPath: path].joined {
            effects.append(.fulfil(action, changed: false, peerNotified: nil))
        }
        self[keyPath: path].waiting = nil
        self[keyPath: path].joined = []
    }

    mutating func stopSwitch(_ path: SwitchPath, because error: CallError, _ effects: inout [CallEffect]) {
        if let waiting = self[keyPath: path].waiting { effects.append(.fail(waiting.id, error)) }
        for action in self[keyPath: path].joined { effects.append(.fail(action, error)) }
        self[keyPath: path].waiting = nil
        self[keyPath: path].joined = []
    }

    mutating func switchTimePassed(_ path: SwitchPath, at now: Duration, _ effects: inout [CallEffect]) {
        guard let waiting = self[keyPath: path].waiting, waiting.deadline <= now else { return }
        // As with hold: what could not be made sure of is taken back.
        self[keyPath: path].isOn.toggle()
        setGates(&effects)
        stopSwitch(path, because: timedOut("the audio loop did not acknowledge the switch within 2 s"), &effects)
    }
}
