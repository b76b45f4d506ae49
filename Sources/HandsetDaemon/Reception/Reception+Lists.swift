internal import CallModel
internal import CallSystem
internal import ControlProtocol
internal import EventLoop
internal import Records
internal import Screening
internal import Settings

/// Contacts, the block list, do-not-disturb and the ringer, as clients see and change them.
extension Reception: ReceptionBackend {
    typealias Changed = @DaemonActor (Result<ListChange, CallError>) -> Void

    // MARK: Do not disturb

    var doNotDisturb: DoNotDisturbInfo {
        let moment = LocalMoment(at: clock.date)
        return DoNotDisturbInfo(
            on: rules.doNotDisturb.isOn, scheduled: rules.doNotDisturb.isScheduled(at: moment))
    }

    func setDoNotDisturb(_ on: Bool?) -> DoNotDisturbInfo {
        setDoNotDisturb(on) { _ in }
        return doNotDisturb
    }

    func setDoNotDisturb(_ on: Bool?, _ done: @escaping @DaemonActor (DoNotDisturbInfo) -> Void) {
        guard let on else { return done(doNotDisturb) }
        let before = rules.doNotDisturb
        rules.doNotDisturb.set(on, at: LocalMoment(at: clock.date))
        let new = rules.doNotDisturb
        tellDoNotDisturb()
        let info = doNotDisturb
        keep(.doNotDisturb, isNews: new != before) {
            $0.put(new, then: $1)
        } isStill: {
            $0.rules.doNotDisturb == new
        } done: { saved in
            var info = info
            info.saved = saved
            done(info)
        }
    }

    // MARK: Ringer

    var ringer: RingerInfo { RingerInfo(silent: isSilent) }

    func setSilent(_ silent: Bool?) -> RingerInfo {
        setSilent(silent) { _ in }
        return ringer
    }

    func setSilent(_ silent: Bool?, _ done: @escaping @DaemonActor (RingerInfo) -> Void) {
        guard let silent else { return done(ringer) }
        let isNews = silent != isSilent
        isSilent = silent
        if isNews { onEvent?(.ringerChanged(ringer)) }
        keep(.ringer, isNews: isNews) {
            $0.put(isRingerSilent: silent, then: $1)
        } isStill: {
            $0.isSilent == silent
        } done: { saved in
            done(RingerInfo(silent: silent, saved: saved))
        }
    }

    // MARK: Block list

    func block(_ entry: String, _ done: @escaping Changed) {
        guard !blockedByHand.contains(entry) else { return done(.success(unchanged)) }
        guard blockedByHand.count < Self.maximumByHand else {
            let message =
                "\(Self.maximumByHand) callers are blocked by hand; put more into a file that block.files names."
            return done(.failure(CallError(.invalidState, message)))
        }
        blockedByHand.append(entry)
        rules.blockedByHand.add(entry)
        save(done) { $0.block(entry, then: $1) }
    }

    func unblock(_ entry: String, _ done: @escaping Changed) {
        // In whatever way it was written.
        let names = blockedByHand.filter { $0 == entry || rules.plan.isSameEntry($0, entry) }
        guard !names.isEmpty else { return done(.success(unchanged)) }
        blockedByHand.removeAll { names.contains($0) }
        takeListsByHand()
        for name in names.dropLast() { store?.unblock(name) { _ in } }
        save(done) { $0.unblock(names[names.count - 1], then: $1) }
    }

    var blockReport: BlockReport {
        BlockReport(handles: blockedByHand, configured: settings.block.handles, files: files.blockFiles)
    }

    // MARK: Contacts

    func add(_ contact: Contact, _ done: @escaping @DaemonActor (Result<ListChange, ControlError>) -> Void) {
        guard !contactsByHand.contains(contact) else { return done(.success(unchanged)) }
        guard RingToneCheck.isFile(contact.ringTone) else { return addChecked(contact, done) }
        Task.detached { [weak self] in
            let problem = RingToneCheck.problem(ofFile: contact.ringTone)
            await self?.add(contact, ringToneProblem: problem, done)
        }
    }

    private func add(
        _ contact: Contact, ringToneProblem: String?,
        _ done: @escaping @DaemonActor (Result<ListChange, ControlError>) -> Void
    ) {
        guard let ringToneProblem else { return addChecked(contact, done) }
        done(.failure(.invalidParams("ringTone: \(contact.ringTone) cannot be played: \(ringToneProblem)")))
    }

    private func addChecked(
        _ contact: Contact, _ done: @escaping @DaemonActor (Result<ListChange, ControlError>) -> Void
    ) {
        let others = contactsByHand.filter { $0.name != contact.name }
        guard others.count < Self.maximumByHand else {
            let message =
                "\(Self.maximumByHand) contacts were added by hand; put more into a file that contacts.files names."
            return done(.failure(.failed(.invalidState, message)))
        }
        if let (handle, owner) = clash(of: contact, with: others) {
            let message =
                "handles: \(handle) is \(owner)'s: remove that contact first, or add it again without this handle"
            return done(.failure(.invalidParams(message)))
        }
        contactsByHand = others
        contactsByHand.append(contact)
        contactsByHand.sort { $0.name < $1.name }
        takeListsByHand()
        save({ done($0.mapError(ControlError.init)) }) { $0.put(contact, then: $1) }
    }

    /// The first handle of `contact` that one of `others` has, in whatever way it is written, and whose it is.
    private func clash(of contact: Contact, with others: [Contact]) -> (handle: String, owner: String)? {
        var book = PhoneBook(plan: rules.plan)
        book.add(others)
        var found: (String, String)?
        book.add([contact]) { _, handle, owner in found = found ?? (handle, owner.name) }
        return found
    }

    func removeContact(_ name: String, _ done: @escaping Changed) {
        guard contactsByHand.contains(where: { $0.name == name }) else { return done(.success(unchanged)) }
        contactsByHand.removeAll { $0.name == name }
        takeListsByHand()
        save(done) { $0.removeContact(name, then: $1) }
    }

    func contacts(from first: Int) -> ContactsReport {
        var report = ContactsReport(entries: [], files: files.contactFiles)
        var octets = 0
        var number = 0
        for (file, contacts) in [(nil, contactsByHand)] + files.contacts.map({ (Optional($0.file), $0.contacts) }) {
            guard number + contacts.count > first else {
                number += contacts.count
                continue
            }
            for contact in contacts.dropFirst(max(0, first - number)) {
                octets += contact.name.utf8.count + contact.handles.reduce(200) { $0 + $1.utf8.count + 3 }
                guard octets < 256 << 10 else {
                    report.next = first + report.entries.count
                    return report
                }
                report.entries.append(.init(contact: contact, file: file))
            }
            number += contacts.count
        }
        return report
    }

    // MARK: Saving

    private var unchanged: ListChange { ListChange(changed: false, saved: store?.isLasting ?? false) }

    /// Stores the position of a switch where it is news, or where it could not be stored when it was asked for last.
    ///
    /// - Parameters:
    ///   - isStill: whether the switch has not been turned again meanwhile.
    ///   - done: is told whether what is in the file is what was asked for.
    private func keep(
        _ item: Switch, isNews: Bool, _ put: (RecordStore, @escaping @DaemonActor (Bool) -> Void) -> Void,
        isStill: @escaping @DaemonActor (Reception) -> Bool, done: @escaping @DaemonActor (Bool) -> Void
    ) {
        guard let store else { return done(false) }
        guard isNews || unsavedSwitches.contains(item) else { return done(true) }
        unsavedSwitches.insert(item)
        put(store) { [weak self] saved in
            if let self, saved, isStill(self) { unsavedSwitches.remove(item) }
            done(saved)
        }
    }

    private func save(
        _ done: @escaping Changed, _ body: (RecordStore, @escaping @DaemonActor (Bool) -> Void) -> Void
    ) {
        guard let store else { return done(.success(ListChange(changed: true, saved: false))) }
        body(store) { done(.success(ListChange(changed: true, saved: $0))) }
    }
}
