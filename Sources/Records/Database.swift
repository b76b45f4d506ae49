internal import CSQLite
internal import Glibc

/// A connection to an SQLite database, closed when its owner goes out of scope. For one thread at a time.
struct Database: ~Copyable {
    private let handle: OpaquePointer

    /// Whether the process's settings are in force; they must be made before the first connection.
    private static let isSmall: Bool = csqlite_be_small() == SQLITE_OK

    /// Opens the file at `path`, or makes it; nil: a database in memory. What is wrong with a file may show only later.
    init(path: String?) throws(DatabaseError) {
        // SQLite's own mode would let every user of the machine read who was called; its log has the mode of the file.
        if let path {
            let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o640)
            if file >= 0 {
                close(file)
            } else if errno == ENOSPC || errno == EDQUOT {
                // SQLite would say only that it cannot open it.
                throw DatabaseError(.full, operation: "open", message: String(cString: strerror(errno)))
            }
        }
        handle = try Self.open(path ?? ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "open")
        // A process that copies the file, sqlite3(1) for one, is waited for.
        sqlite3_busy_timeout(handle, 2_000)
    }

    /// Opens the file at `path` as if nothing could ever change it: no log is looked at, and no lock taken.
    init(readingOnly path: String) throws(DatabaseError) {
        var escaped = ""
        for scalar in path.unicodeScalars {
            switch scalar {
            case "%": escaped += "%25"
            case "?": escaped += "%3F"
            case "#": escaped += "%23"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        handle = try Self.open("file:\(escaped)?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, "read")
    }

    private static func open(
        _ name: String, _ flags: Int32, _ operation: String
    ) throws(DatabaseError) -> OpaquePointer {
        _ = isSmall
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, nil)
        guard code == SQLITE_OK, let opened else {
            let error = DatabaseError(operation: operation, code: code, connection: opened)
            sqlite3_close_v2(opened)
            throw error
        }
        sqlite3_extended_result_codes(opened, 1)
        _ = csqlite_be_wary(opened)
        return opened
    }

    deinit { sqlite3_close_v2(handle) }

    /// Carries out statements that return nothing, one after the other.
    func execute(_ sql: String) throws(DatabaseError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(sql, code) }
    }

    /// Prepares one statement; its parameters are `?1`, `?2` and so on.
    func prepare(_ sql: String) throws(DatabaseError) -> Statement {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw error(sql, code) }
        return Statement(prepared, of: handle)
    }

    /// Carries out one statement with `values` as its parameters, and passes over what it returns.
    func run(_ sql: String, _ values: [Value] = []) throws(DatabaseError) {
        let statement = try prepare(sql)
        try statement.bind(values)
        while try statement.step() {}
    }

    /// The first column of the first row as a number; nil where there is none.
    func integer(_ sql: String, _ values: [Value] = []) throws(DatabaseError) -> Int? {
        let statement = try prepare(sql)
        try statement.bind(values)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// Carries out `body` as a whole, or, where it throws, not at all.
    func transaction(_ body: (borrowing Database) throws(DatabaseError) -> Void) throws(DatabaseError) {
        try execute("BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            try body(self)
            try execute("COMMIT")
        } catch {
            // A transaction that a full disk has ended already has nothing to go back to.
            _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            throw error
        }
    }

    /// The number of the row that was added last.
    var lastRow: Int { Int(sqlite3_last_insert_rowid(handle)) }

    /// Rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Rows that all statements have changed since the connection was opened.
    var totalChanges: Int { Int(sqlite3_total_changes(handle)) }

    /// Gives back the memory that only speeds up the next statement.
    func releaseMemory() { sqlite3_db_release_memory(handle) }

    private func error(_ operation: String, _ code: Int32) -> DatabaseError {
        DatabaseError(operation: Self.firstWords(operation), code: code, connection: handle)
    }

    static func firstWords(_ sql: String) -> String {
        sql.split(whereSeparator: \.isWhitespace).prefix(4).joined(separator: " ")
    }
}

/// A value of a column or a parameter.
enum Value: Hashable, Sendable {
    case null
    case integer(Int)
    case real(Double)
    case text(String)

    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    init(_ integer: Int?) { self = integer.map { .integer($0) } ?? .null }
    init(_ real: Double?) { self = real.map { .real($0) } ?? .null }
    init(_ flag: Bool) { self = .integer(flag ? 1 : 0) }
}
