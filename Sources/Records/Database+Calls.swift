internal import CallModel
internal import FoundationEssentials
internal import Screening

/// How much of the past is kept.
public struct HistoryLimits: Sendable, Hashable {
    /// Days; 0: no limit.
    public var days: Int
    /// Calls; 0: none at all.
    public var entries: Int

    public init(days: Int = 365, entries: Int = 10_000) {
        self.days = days
        self.entries = entries
    }
}

extension Database {
    /// Adds a call. Returns the number of its row.
    func add(_ call: CallSnapshot, missed: Bool) throws(DatabaseError) -> Int {
        try run(CallRow.insert, CallRow.values(call, missed: missed))
        return lastRow
    }

    /// Writes a call anew. False where its row is gone.
    func update(_ call: CallSnapshot, missed: Bool, row: Int) throws(DatabaseError) -> Bool {
        try run(CallRow.update, CallRow.values(call, missed: missed) + [.integer(row)])
        return changes > 0
    }

    /// Writes a call as it is now: anew in `row`, or in a row of its own where it has none, or no more.
    func record(_ call: CallSnapshot, missed: Bool, row: inout Int?) throws(DatabaseError) {
        if let row, try update(call, missed: missed, row: row) { return }
        row = try add(call, missed: missed)
    }

    /// Notes that the conversations of the calls that go on have lasted until now.
    func noteAlive(at now: Date) throws(DatabaseError) {
        try run(
            "UPDATE call SET alive = ?1 WHERE endReason IS NULL AND connected IS NOT NULL",
            [.real(now.timeIntervalSince1970)])
    }

    /// Ends the calls that an earlier run of the daemon left open: a conversation when it was last known to go on.
    /// Returns how many there were.
    ///
    /// - Parameter last: the number of the last row that may be one of them.
    func closeInterrupted(upTo last: Int = .max) throws(DatabaseError) -> Int {
        try run(
            """
            UPDATE call SET endReason = 'failed', endText = 'the daemon was interrupted', \
            ended = max(connected, coalesce(alive, connected)), \
            missed = (direction = 'incoming' AND connected IS NULL) WHERE endReason IS NULL AND number <= ?1
            """,
            [.integer(last)])
        return changes
    }

    /// The number of the last row of a call that goes on; nil where there is none.
    func lastOpenCall() throws(DatabaseError) -> Int? {
        try integer("SELECT max(number) FROM call WHERE endReason IS NULL")
    }

    /// Notes that the file is in use: it is looked through at the next start where that is not taken back. Also shows whether it
    /// can be written to.
    func markOpen() throws(DatabaseError) {
        try execute("INSERT OR REPLACE INTO state (name, value) VALUES ('open', 1)")
    }

    /// Removes what is older or more than `limits` allow; calls that go on stay.
    func prune(_ limits: HistoryLimits, now: Date) throws(DatabaseError) {
        if limits.days > 0 {
            let oldest = now.timeIntervalSince1970 - Double(limits.days) * 86_400
            try run("DELETE FROM call WHERE endReason IS NOT NULL AND started < ?1", [.real(oldest)])
        }
        let newest = "SELECT number FROM call ORDER BY number DESC LIMIT 1 OFFSET ?1"
        if let first = try integer(newest, [.integer(limits.entries)]) {
            try run("DELETE FROM call WHERE endReason IS NOT NULL AND number <= ?1", [.integer(first)])
        }
    }

    /// Missed calls that nobody has looked at.
    func missedCalls() throws(DatabaseError) -> Int {
        try integer("SELECT count(*) FROM call WHERE missed = 1 AND seen = 0") ?? 0
    }

    func markSeen() throws(DatabaseError) {
        try execute("UPDATE call SET seen = 1 WHERE missed = 1 AND seen = 0")
    }

    /// Forgets all calls but those that go on.
    func clearHistory() throws(DatabaseError) {
        try execute("DELETE FROM call WHERE endReason IS NOT NULL")
    }

    /// The calls that are wanted, the latest first; nil where the one that they shall be older than is not known.
    func calls(_ query: HistoryQuery, plan: NumberPlan) throws(DatabaseError) -> [HistoryEntry]? {
        var before = Int.max
        if let call = query.before {
            let row = try integer(
                "SELECT number FROM call WHERE id = ?1 ORDER BY number DESC LIMIT 1", [.text(call.description)])
            guard let row else { return nil }
            before = row
        }
        let rows = try prepare(CallRow.select)
        try rows.bind([.integer(before)])
        var entries: [HistoryEntry] = []
        while entries.count < query.limit, try rows.step() {
            guard let entry = CallRow.entry(rows) else { continue }
            if query.missedOnly, !entry.missed { continue }
            if let direction = query.direction, entry.call.direction != direction { continue }
            if let handle = query.handle, !plan.matches(entry.call.handle.value, handle) { continue }
            entries.append(entry)
        }
        return entries
    }
}
