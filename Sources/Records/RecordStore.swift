public import CallModel
internal import EventLoop
public import FoundationEssentials
public import Screening
internal import Synchronization

/// What lasts: the history, contacts, the block list. Everything but the opening happens on a thread of its own, in the
/// order in which it was asked for; nobody waits for the disk.
///
/// What cannot be written is said once, and lost; what follows is tried again. Only how calls ended is kept and written later.
public final class RecordStore: Sendable {
    /// What was there at the start.
    public struct Contents: Sendable {
        public var contacts: [Contact] = []
        public var blocked: [String] = []
        /// Without a schedule.
        public var doNotDisturb = DoNotDisturb()
        /// The ringer was silenced by hand.
        public var isRingerSilent = false
        public var missedCalls = 0
        /// Calls that an earlier run did not end; they are closed now.
        public var interrupted = 0
    }

    /// The file; nil where there is no folder for it.
    public let path: String?
    public let contents: Contents

    private let worker = WorkerThread()
    private let owned: Owned
    private let shared: Mutex<Shared>
    private let say: @Sendable (Message) -> Void

    /// Something for the log.
    public enum Message: Sendable, Hashable {
        case problem(String)
        case recovered(String)
    }

    private struct Shared {
        var limits: HistoryLimits
        var plan: NumberPlan
        /// What is wrong; nil: nothing.
        var problem: String?
        /// It is that the disk is full: what is read all the same does not end that.
        var isFull = false
    }

    /// `@unchecked`: touched on the worker's thread alone, once it is made.
    private final class Owned: @unchecked Sendable {
        var file: RecordFile
        /// The rows of the calls that go on.
        var rows: [CallID: Int] = [:]
        var arrears: Arrears

        init(_ file: consuming RecordFile, untidy: Int?) {
            self.file = file
            arrears = Arrears(untidy: untidy)
        }
    }

    /// Opens the file in `directory`, or memory where that is nil or cannot be used, and reads it. Nil where not even that
    /// works.
    ///
    /// - Parameter say: is told what is wrong, and when it no longer is, from any thread.
    public init?(
        directory: String?, limits: HistoryLimits, plan: NumberPlan, now: Date = Date(),
        say: @escaping @Sendable (Message) -> Void
    ) {
        var contents = Contents()
        var problem: String?
        var isFull = false
        var untidy: Int?
        do throws(DatabaseError) {
            var file = try RecordFile.open(in: directory)
            do throws(DatabaseError) {
                if file.path == nil, let directory, let lists = try? RecordFile.readOnly(in: directory) {
                    // It cannot be written to; who is blocked is blocked all the same.
                    try Self.readLists(lists, into: &contents)
                } else {
                    try Self.readLists(file.database, into: &contents)
                    contents.missedCalls = try file.database.missedCalls()
                }
                try Self.tidy(file.database, limits, now, &contents)
            } catch {
                if error.kind == .damaged {
                    try file.startAnew(because: error)
                } else {
                    let place = file.path ?? "the database in memory"
                    let words = error.explain("bring the history up to date", at: place)
                    say(.problem(words))
                    (problem, isFull) = (words, error.kind == .full)
                    let last: Int? = try? file.database.lastOpenCall()
                    untidy = last ?? 0
                }
            }
            path = file.path
            if let problem = file.problem { say(.problem(problem)) }
            // What was put aside is no fault of what is there now.
            if file.path == nil, let found = file.problem { problem = found }
            shared = Mutex(Shared(limits: limits, plan: plan, problem: problem, isFull: isFull))
            owned = Owned(file, untidy: untidy)
        } catch {
            say(.problem("no database can be opened, not even in memory: \(error)"))
            return nil
        }
        self.contents = contents
        self.say = say
    }

    private static func readLists(
        _ database: borrowing Database, into contents: inout Contents
    ) throws(DatabaseError) {
        contents.contacts = try database.contacts()
        contents.blocked = try database.blocked()
        contents.doNotDisturb = try database.doNotDisturb()
        contents.isRingerSilent = try database.isRingerSilent()
    }

    /// Ends what an earlier run left open, and removes what is too old.
    private static func tidy(
        _ database: borrowing Database, _ limits: HistoryLimits, _ now: Date, _ contents: inout Contents
    ) throws(DatabaseError) {
        // A file that was opened on a full disk is told of here.
        try database.markOpen()
        contents.interrupted = try database.closeInterrupted()
        try database.prune(limits, now: now)
        contents.missedCalls = try database.missedCalls()
        database.releaseMemory()
    }

    /// What is wrong with the file, for people; nil: nothing.
    public var problem: String? { shared.withLock { $0.problem } }

    /// Whether what is written now is still there after a restart.
    public var isLasting: Bool { path != nil && problem == nil }

    /// Calls that are kept in memory where there is no file, at most.
    static let inMemory = 500

    private var limits: HistoryLimits {
        var limits = shared.withLock { $0.limits }
        if path == nil { limits.entries = min(limits.entries, Self.inMemory) }
        return limits
    }

    /// Sets how much is kept, from the next call or `prune` on, and how numbers are compared.
    public func configure(limits: HistoryLimits, plan: NumberPlan) {
        shared.withLock { ($0.limits, $0.plan) = (limits, plan) }
    }

    /// Waits, 2 s at most, until everything is written, and closes the file.
    public func close() {
        // Where it cannot be said that all is in order, the next start looks through the file.
        worker.run { [self] in
            try? payArrears()
            try? owned.file.close()
        }
        worker.finish(within: 2)
    }

    /// Lets the file have so many pages, as a full disk would: for tests.
    func limitPages(to count: Int) {
        worker.run { [owned] in
            _ = try? owned.file.database.integer("PRAGMA max_page_count = \(count)")
        }
    }

    // MARK: Calls

    /// A call has begun, or has changed: recorded now, so that it is known whatever comes.
    public func note(_ call: CallSnapshot) {
        worker.run { [self] in
            _ = attempt("record call \(call.id)") { database throws(DatabaseError) in
                try database.record(call, missed: false, row: &owned.rows[call.id])
            }
        }
    }

    /// The calls that are connected go on until `now`, at the least: what their history says should the process be killed.
    public func noteAlive(at now: Date) {
        worker.run { [self] in
            _ = attempt("record how long calls last") { database throws(DatabaseError) in
                try database.noteAlive(at: now)
            }
        }
    }

    /// A call is over; `then` is told how many missed calls nobody has seen; nil where the file does not say.
    ///
    /// - Parameters:
    ///   - rang: whether anybody was shown the call.
    ///   - now: what is too old by then goes.
    public func finish(
        _ call: CallSnapshot, rang: Bool, at now: Date = Date(), then: @escaping @DaemonActor (Int?) -> Void
    ) {
        worker.run(
            { [self] () -> Int? in
                let missed = call.isMissed(rang: rang)
                var isWritten = false
                let count = attempt("record the end of call \(call.id)", isKept: true) {
                    database throws(DatabaseError) -> Int in
                    try database.record(call, missed: missed, row: &owned.rows[call.id])
                    isWritten = true
                    try database.prune(limits, now: now)
                    return try database.missedCalls()
                }
                let row = owned.rows.removeValue(forKey: call.id)
                if !isWritten { owned.arrears.keep(call, missed: missed, row: row) }
                return count
            }, then: then)
    }

    private func payArrears() throws(DatabaseError) { try owned.arrears.pay(to: owned.file.database) }

    /// Removes what is too old by `now`, and more than is wanted; `then` is told how many missed calls nobody has seen; nil where
    /// the file does not say.
    public func prune(at now: Date, then: @escaping @DaemonActor (Int?) -> Void) {
        worker.run(
            { [self] in
                attempt("remove what is too old") { database throws(DatabaseError) in
                    try database.prune(limits, now: now)
                    return try database.missedCalls()
                }
            }, then: then)
    }

    /// The calls that are wanted, the latest first, and how many missed ones nobody has seen.
    ///
    /// Fails with `unknownCall` where the call is not known that they shall be older than.
    /// - Parameter seen: after this, the missed ones count as seen.
    public func history(
        _ query: HistoryQuery, seen: Bool,
        then: @escaping @DaemonActor (Result<[HistoryEntry], CallError>, Int?) -> Void
    ) {
        worker.run(
            { [self] () -> (Result<[HistoryEntry], CallError>, Int?) in
                let plan = shared.withLock { $0.plan }
                let found = attempt("read the history") {
                    database throws(DatabaseError) -> (entries: [HistoryEntry]?, missed: Int) in
                    let entries = try database.calls(query, plan: plan)
                    if seen { try database.markSeen() }
                    return (entries.map(owned.arrears.completing), try database.missedCalls())
                }
                guard let found else {
                    let why = problem ?? "the database does not answer"
                    return (.failure(CallError(.invalidState, "The history cannot be read: \(why)")), nil)
                }
                guard let entries = found.entries else {
                    let message = "The history has no call \(query.before?.description ?? "") any more."
                    return (.failure(CallError(.unknownCall, message)), found.missed)
                }
                return (.success(entries), found.missed)
            }, then: { then($0.0, $0.1) })
    }

    /// Forgets the calls that are over; `then` is told whether that is so.
    public func clearHistory(then: @escaping @DaemonActor (Bool) -> Void) {
        change("clear the history", then) { database throws(DatabaseError) in try database.clearHistory() }
    }

    // MARK: Lists

    /// Each of these tells `then` whether it is in the file.
    public func put(_ contact: Contact, then: @escaping @DaemonActor (Bool) -> Void) {
        change("record a contact", then) { database throws(DatabaseError) in try database.put(contact) }
    }

    public func removeContact(_ name: String, then: @escaping @DaemonActor (Bool) -> Void) {
        change("remove a contact", then) { database throws(DatabaseError) in try database.removeContact(name) }
    }

    public func block(_ entry: String, then: @escaping @DaemonActor (Bool) -> Void) {
        change("record a blocked caller", then) { database throws(DatabaseError) in try database.block(entry) }
    }

    public func unblock(_ entry: String, then: @escaping @DaemonActor (Bool) -> Void) {
        change("remove a blocked caller", then) { database throws(DatabaseError) in try database.unblock(entry) }
    }

    public func put(_ doNotDisturb: DoNotDisturb, then: @escaping @DaemonActor (Bool) -> Void) {
        change("record do-not-disturb", then) { database throws(DatabaseError) in try database.put(doNotDisturb) }
    }

    public func put(isRingerSilent: Bool, then: @escaping @DaemonActor (Bool) -> Void) {
        change("record the silent ringer", then) { database throws(DatabaseError) in
            try database.put(isRingerSilent: isRingerSilent)
        }
    }

    private func change(
        _ what: String, _ then: @escaping @DaemonActor (Bool) -> Void,
        _ body: @escaping @Sendable (borrowing Database) throws(DatabaseError) -> Void
    ) {
        worker.run({ [self] in attempt(what, body) != nil && path != nil }, then: then)
    }

    // MARK: Failure

    /// Does something with the database, on the worker's thread; nil where that failed. A file that turns out to be damaged
    /// is put aside, and a new one is tried.
    ///
    /// - Parameter isKept: whether what cannot be written is kept until it can be.
    private func attempt<Outcome>(
        _ what: String, isKept: Bool = false, _ body: (borrowing Database) throws(DatabaseError) -> Outcome
    ) -> Outcome? {
        defer { owned.file.database.releaseMemory() }
        let changes = owned.file.database.totalChanges
        // What fails here has been told of, and is tried again.
        try? payArrears()
        do throws(DatabaseError) {
            let outcome = try body(owned.file.database)
            recovered(hasWritten: owned.file.database.totalChanges != changes)
            return outcome
        } catch {
            guard error.kind == .damaged, path != nil else {
                failed(what, error, isKept)
                return nil
            }
        }
        do throws(DatabaseError) {
            try owned.file.startAnew(
                because: DatabaseError(.damaged, operation: what, message: "found while it was in use"))
            owned.rows = [:]
            owned.arrears.startAnew()
            if let problem = owned.file.problem { say(.problem(problem)) }
            return try body(owned.file.database)
        } catch {
            failed(what, error, isKept)
            return nil
        }
    }

    private func failed(_ what: String, _ error: DatabaseError, _ isKept: Bool) {
        let fate = isKept ? "it is written as soon as that can be" : "it is lost, the next one is tried again"
        let problem = "\(error.explain(what, at: path ?? "the database in memory")); \(fate)"
        let isNew = shared.withLock { shared in
            defer { (shared.problem, shared.isFull) = (problem, error.kind == .full) }
            return shared.problem == nil
        }
        if isNew { say(.problem(problem)) }
    }

    /// - Parameter hasWritten: whether anything was changed, and not only read.
    private func recovered(hasWritten: Bool) {
        guard let path, owned.arrears.isEmpty else { return }
        let had = shared.withLock { shared in
            guard hasWritten || !shared.isFull else { return false }
            defer { (shared.problem, shared.isFull) = (nil, false) }
            return shared.problem != nil
        }
        if had { say(.recovered("\(path) is written again")) }
    }
}
