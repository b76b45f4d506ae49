internal import Glibc

/// The database of the daemon: a file, or, where that cannot be, memory. A damaged file is put aside.
struct RecordFile: ~Copyable {
    /// The name of the file in the state directory.
    static let name = "records.db"

    /// nil: what is recorded is forgotten at the end.
    let path: String?
    private(set) var database: Database
    /// What is wrong with it, for people; nil: nothing.
    private(set) var problem: String?

    private init(path: String?, database: consuming Database, problem: String? = nil) {
        self.path = path
        self.database = database
        self.problem = problem
    }

    /// Opens `records.db` in `directory`, or memory where that is nil or cannot be used. Throws only where not even that
    /// works.
    static func open(in directory: String?) throws(DatabaseError) -> RecordFile {
        guard let directory else { return RecordFile(path: nil, database: try database(at: nil)) }
        let path = "\(directory)/\(name)"
        do throws(DatabaseError) {
            return RecordFile(path: path, database: try database(at: path))
        } catch {
            guard error.kind == .damaged else { return try inMemory(because: error, path) }
            let aside = putAside(path)
            do throws(DatabaseError) {
                let file = try database(at: path)
                return RecordFile(path: path, database: file, problem: damaged(path, aside, error))
            } catch {
                return try inMemory(because: error, path)
            }
        }
    }

    private static func inMemory(because error: DatabaseError, _ path: String) throws(DatabaseError) -> RecordFile {
        RecordFile(path: nil, database: try database(at: nil), problem: explain(error, path))
    }

    private static func damaged(_ path: String, _ aside: String?, _ error: DatabaseError) -> String {
        "\(path) was damaged (\(error.message)); it is now \(aside ?? "gone"), and a new one was begun"
    }

    /// Takes a new file in place of one that has turned out to be damaged.
    mutating func startAnew(because error: DatabaseError) throws(DatabaseError) {
        guard let path else { return }
        database = try Database(path: nil)
        let aside = Self.putAside(path)
        database = try Self.database(at: path)
        problem = Self.damaged(path, aside, error)
    }

    private static func database(at path: String?) throws(DatabaseError) -> Database {
        let database = try Database(path: path)
        // 64 KiB of pages: a daemon that writes a line a call needs no more. Every commit is in the file when the process
        // dies; the last ones may be lost with the power, the file never. Only what takes the log into the file waits for
        // the disk, and with it who wants to know of a record: once in a thousand pages, some hundreds of calls.
        try database.execute(
            """
            PRAGMA cache_size = -64;
            PRAGMA temp_store = MEMORY;
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = NORMAL;
            PRAGMA wal_autocheckpoint = 1000;
            PRAGMA journal_size_limit = 262144;
            """)
        try Schema.migrate(database)
        if try database.integer("SELECT value FROM state WHERE name = 'open'") != nil,
            let found = try quickCheck(database)
        {
            throw DatabaseError(.damaged, operation: "check", message: found)
        }
        do throws(DatabaseError) {
            // Also shows whether it can be written to, before anything depends on it.
            try database.markOpen()
        } catch {
            // On a full disk there is still much to read; who writes first is told.
            guard error.kind == .full else { throw error }
        }
        database.releaseMemory()
        return database
    }

    /// The file of `directory` for reading only, as it was when it was last closed: for what a daemon that cannot write to it
    /// is to know all the same.
    static func readOnly(in directory: String) throws(DatabaseError) -> Database {
        let database = try Database(readingOnly: "\(directory)/\(name)")
        let version = try database.integer("PRAGMA user_version")
        guard version == Schema.steps.count else {
            throw DatabaseError(.newer(version: version ?? 0), operation: "read", message: "another version wrote it")
        }
        return database
    }

    /// Says that the file was left in order: the next start need not look through it.
    mutating func close() throws(DatabaseError) {
        try database.execute("DELETE FROM state WHERE name = 'open'")
        database = try Database(path: nil)
    }

    /// What is wrong with the pages; nil: nothing. It reads the whole file, which pruning keeps small.
    private static func quickCheck(_ database: borrowing Database) throws(DatabaseError) -> String? {
        let check = try database.prepare("PRAGMA quick_check(1)")
        guard try check.step(), let found = check.text(0), found != "ok" else { return nil }
        return found
    }

    /// Damaged files that are kept, at most.
    static let keptAside = 3

    /// Renames the file and what belongs to it, after those that were put aside before: the latest is `.damaged`, the one
    /// before it `.damaged.1`, and so on; the oldest goes where there are more than are kept. Returns its new path; nil where
    /// it could not be.
    private static func putAside(_ path: String) -> String? {
        let names = [path] + (0..<keptAside).map { "\(path).damaged" + ($0 == 0 ? "" : ".\($0)") }
        // Those before a gap stay where they are.
        let used: Int = names.indices.dropFirst().first { access(names[$0], F_OK) != 0 } ?? names.endIndex - 1
        var isAside = false
        for index in stride(from: used, to: 0, by: -1) { isAside = move(names[index - 1], to: names[index]) }
        return isAside ? names[1] : nil
    }

    /// Renames a database and its log, in place of another one. Returns whether it is there.
    private static func move(_ old: String, to new: String) -> Bool {
        // A log that is not its own would spoil it.
        for suffix in ["-wal", "-shm"] where rename(old + suffix, new + suffix) != 0 { unlink(new + suffix) }
        return rename(old, new) == 0
    }

    private static func explain(_ error: DatabaseError, _ path: String) -> String {
        let until = "until then history, contacts and block list are kept in memory only"
        let what =
            switch error.kind {
            case .full: "make room and restart handsetd"
            case .notAccessible: "it cannot be written to (\(error.message)); give it to the user that handsetd runs as"
            case .damaged: "it is damaged (\(error.message)) and cannot be put aside; remove it"
            case .newer, .other: error.message
            }
        return error.kind == .full ? "the disk is full (\(path)); \(what); \(until)" : "\(path): \(what); \(until)"
    }
}
