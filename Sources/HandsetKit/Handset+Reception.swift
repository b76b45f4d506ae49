/// The history, contacts, and who may ring.
extension Handset {
    /// Past calls, the latest first; those that go on are among them.
    ///
    /// - Parameter seen: after it, the missed ones count as seen.
    public func history(
        _ query: HistoryQuery = HistoryQuery(), seen: Bool = false
    ) async throws(HandsetError) -> [HistoryEntry] {
        try await result(.historyList(query, seen: seen)) { $0["entries"]?.array?.compactMap(HistoryEntry.init(json:)) }
    }

    /// The last call that was dialled, which a redial dials again; nil where the history has none.
    public func lastDialled() async throws(HandsetError) -> CallSnapshot? {
        try await history(HistoryQuery(limit: 1, direction: .outgoing)).first?.call
    }

    /// Forgets all calls that are over.
    @discardableResult
    public func clearHistory() async throws(HandsetError) -> ListChange {
        try await result(.historyClear, ListChange.init(json:))
    }

    /// Switches do-not-disturb; nil only asks.
    @discardableResult
    public func setDoNotDisturb(_ on: Bool?) async throws(HandsetError) -> DoNotDisturbInfo {
        try await result(.dndSet(on: on), DoNotDisturbInfo.init(json:))
    }

    /// Silences the ringer, whatever calls, or lets it sound again; nil only asks.
    @discardableResult
    public func setSilent(_ silent: Bool?) async throws(HandsetError) -> RingerInfo {
        try await result(.ringerSet(silent: silent), RingerInfo.init(json:))
    }

    /// Blocks a handle, `@domain`, the beginning of a number with `*` after it, or `anonymous`.
    @discardableResult
    public func block(_ entry: String) async throws(HandsetError) -> ListChange {
        try await result(.blockAdd(entry), ListChange.init(json:))
    }

    /// Lets in again who was blocked by hand.
    @discardableResult
    public func unblock(_ entry: String) async throws(HandsetError) -> ListChange {
        try await result(.blockRemove(entry), ListChange.init(json:))
    }

    /// Who is blocked.
    public func blocked() async throws(HandsetError) -> BlockReport {
        try await result(.blockList) { BlockReport(json: $0) }
    }

    /// Adds a contact, or takes the place of the one of that name.
    @discardableResult
    public func add(_ contact: Contact) async throws(HandsetError) -> ListChange {
        try await result(.contactsAdd(contact), ListChange.init(json:))
    }

    @discardableResult
    public func removeContact(_ name: String) async throws(HandsetError) -> ListChange {
        try await result(.contactsRemove(name: name), ListChange.init(json:))
    }

    /// All contacts, and the files that some are from.
    public func contacts() async throws(HandsetError) -> ContactsReport {
        var all = ContactsReport(entries: [], files: [])
        var first: Int? = 0
        while let next = first {
            let part = try await result(.contactsList(from: next)) { ContactsReport(json: $0) }
            all.entries += part.entries
            all.files = part.files
            // A daemon that goes back would never end.
            first = part.next.flatMap { $0 > next ? $0 : nil }
        }
        return all
    }
}
