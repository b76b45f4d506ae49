internal import CallModel
internal import CallSystem
internal import ControlProtocol
internal import EventLoop
internal import FoundationEssentials
internal import Records
internal import Screening
internal import Settings
internal import Supervision

/// Who may ring, who is who, and who rang. Decides from memory; what lasts is the record store's.
@DaemonActor final class Reception {
    /// Entries that can be added by hand, each.
    static let maximumByHand = 1_000

    /// nil: nothing lasts.
    let store: RecordStore?
    var settings: Settings
    var rules: ScreeningRules
    var files: ListFiles
    /// Contacts that were added by hand, by name.
    var contactsByHand: [Contact] = []
    /// What was blocked by hand.
    var blockedByHand: [String] = []
    /// The ringer was silenced by hand.
    var isSilent = false
    /// What is switched by hand and outlasts the daemon.
    enum Switch { case doNotDisturb, ringer }
    /// Those whose last position is not in the file.
    var unsavedSwitches: Set<Switch> = []
    /// Missed calls that nobody has seen.
    var missedCalls = 0
    /// Calls that go on and were shown to somebody.
    var shown: Set<CallID> = []
    /// Calls that are connected: while there are some, it is noted now and then that they go on.
    var connected: Set<CallID> = [] {
        didSet { if connected.isEmpty != oldValue.isEmpty { noteAliveLater() } }
    }
    /// Ends of calls that are being written.
    var unwritten = 0
    /// Told of what clients are to know. Set before the first call.
    var onEvent: (@DaemonActor (ControlEvent) -> Void)?
    let clock: any CallClock
    /// What clients were last told of do-not-disturb.
    private var toldDoNotDisturb = DoNotDisturbInfo(on: false, scheduled: false)
    private var cancelScheduleWatch: (@DaemonActor () -> Void)?
    private var cancelAliveNote: (@DaemonActor () -> Void)?
    var cancelPruning: (@DaemonActor () -> Void)?
    /// Ring tones that cannot be played.
    private let ringTones = FileCheck()

    /// Opens the store and reads the lists: before anything listens.
    ///
    /// - Parameter stateDirectory: nil: what is recorded is forgotten at the end.
    init(_ settings: Settings, stateDirectory: String?, clock: any CallClock = LoopClock()) {
        self.settings = settings
        self.clock = clock
        store = RecordStore(
            directory: stateDirectory, limits: settings.historyLimits,
            plan: NumberPlan(countryCode: settings.calls.countryCode), now: clock.date
        ) { message in
            switch message {
            case .problem(let text): Log.write(.warning, text)
            case .recovered(let text): Log.write(.notice, text)
            }
        }
        files = ListFiles(settings)
        rules = ScreeningRules(plan: NumberPlan(countryCode: settings.calls.countryCode))
        if let contents = store?.contents {
            contactsByHand = contents.contacts
            blockedByHand = contents.blocked
            missedCalls = contents.missedCalls
            rules.doNotDisturb = contents.doNotDisturb
            isSilent = contents.isRingerSilent
            if contents.interrupted > 0 {
                Log.write(.notice, Self.report(ofInterrupted: contents.interrupted))
            }
        }
        takeFiles(files)
        toldDoNotDisturb = doNotDisturb
        watchSchedule()
        pruneLater()
    }

    /// What is said of `count` calls whose end an earlier run has not recorded.
    nonisolated static func report(ofInterrupted count: Int) -> String {
        count == 1
            ? "1 call of an earlier run had no end; it is recorded as failed"
            : "\(count) calls of an earlier run had no end; they are recorded as failed"
    }

    /// Takes a new configuration.
    ///
    /// - Parameter files: what the files say that it names.
    func reconfigure(_ new: Settings, _ files: ListFiles) {
        settings = new
        store?.configure(limits: new.historyLimits, plan: NumberPlan(countryCode: new.calls.countryCode))
        takeFiles(files)
        tellDoNotDisturb()
        watchSchedule()
        prune()
    }

    private func takeFiles(_ files: ListFiles) {
        self.files = files
        for problem in files.problems { Log.write(.warning, problem.description) }
        var new = ScreeningRules(plan: NumberPlan(countryCode: settings.calls.countryCode))
        new.doNotDisturb = rules.doNotDisturb
        new.doNotDisturb.schedule = settings.dnd.schedule
        new.blocked = files.blocked
        new.allowed = files.allowed
        new.onlyAllowed = settings.allow.only
        for entry in settings.dnd.through { new.throughDoNotDisturb.add(entry) }
        new.contactsOfFiles = files.phoneBook
        rules = new
        takeListsByHand()
        checkRingTones()
    }

    /// Looks whether all ring tones can be played.
    private func checkRingTones() {
        let check = RingToneCheck(settings, contacts: contactsByHand + files.phoneBook.contacts)
        guard !check.isEmpty else { return ringTones.clear() }
        ringTones.look { check.problems }
    }

    /// After a change of what was added by hand.
    func takeListsByHand() {
        rules.contacts = PhoneBook(plan: rules.plan)
        rules.contacts.add(contactsByHand)
        rules.blockedByHand = CallerList(plan: rules.plan)
        for entry in blockedByHand { rules.blockedByHand.add(entry) }
    }

    // MARK: By the hour

    /// Looks once a minute, as it begins, whether the hours of do-not-disturb have begun or ended: so a clock that was set
    /// and a time zone that was changed count, too.
    private func watchSchedule() {
        cancelScheduleWatch?()
        cancelScheduleWatch = nil
        guard !rules.doNotDisturb.schedule.isEmpty else { return }
        let seconds = clock.date.timeIntervalSince1970
        let rest = 60 - seconds.truncatingRemainder(dividingBy: 60)
        cancelScheduleWatch = clock.schedule(after: .milliseconds(Int(rest * 1_000) + 1)) { [weak self] in
            self?.tellDoNotDisturb()
            self?.watchSchedule()
        }
    }

    /// Tells of do-not-disturb where it is not as it was told last.
    func tellDoNotDisturb() {
        let state = doNotDisturb
        guard state != toldDoNotDisturb else { return }
        toldDoNotDisturb = state
        onEvent?(.dndChanged(state))
    }

    // MARK: What a kill leaves

    /// How often it is noted that conversations go on: so much of one that is cut off is not known, at most.
    private static let aliveInterval = Duration.seconds(5)

    private func noteAliveLater() {
        cancelAliveNote?()
        cancelAliveNote = nil
        guard !connected.isEmpty, let store else { return }
        cancelAliveNote = clock.schedule(after: Self.aliveInterval) { [weak self] in
            guard let self else { return }
            store.noteAlive(at: clock.date)
            noteAliveLater()
        }
    }

    /// What is wrong with what lasts, for people; nil: nothing.
    var problem: String? {
        guard let store else { return "there is no database, not even in memory" }
        if let problem = store.problem { return problem }
        return store.path == nil ? "no folder for it can be used (the log says why): it is forgotten at the end" : nil
    }

    /// What is wrong with the lists, the contacts and the ring tones, and is passed over.
    var problems: [ProblemInfo] { files.problems + ringTones.problems }

    /// Waits until all is written, 2 s at most.
    func close() { store?.close() }
}

extension Reception: CallScreening {
    func verdict(on call: IncomingCall) -> ScreeningVerdict {
        let found = rules.verdict(on: call.from.value, at: LocalMoment(at: clock.date))
        // What the user calls them, not what they call themselves: that may be anything.
        var verdict = ScreeningVerdict(displayName: found.contact?.name ?? call.displayName)
        if let contact = found.contact {
            verdict.ringTone = contact.ringTone.isEmpty ? nil : contact.ringTone
            // Who may listen in is whom somebody vouches for: From may say anything.
            verdict.answersByItself = contact.autoAnswer && call.isVouchedFor
        }
        switch found.refused {
        case nil: break
        case .blocked: verdict.refusal = .init(answer: settings.block.answer.reply, reason: .blocked)
        // Who takes the place of a call that goes on does not ring, nor does a service.
        case .doNotDisturb where call.replaces != nil || call.service != nil: break
        case .doNotDisturb: verdict.refusal = .init(answer: settings.dnd.answer.reply, reason: .doNotDisturb)
        }
        return verdict
    }

    func name(of handle: Handle) -> String? { rules.contact(of: handle.value)?.name }
}

extension Refusal {
    /// What the caller is told; nil: nothing.
    fileprivate var reply: RejectReason? {
        switch self {
        case .declined: .declined
        case .busy: .busy
        case .silent: nil
        }
    }
}

extension Settings {
    var historyLimits: HistoryLimits { HistoryLimits(days: history.days, entries: history.entries) }
}
