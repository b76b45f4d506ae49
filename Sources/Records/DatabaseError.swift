internal import CSQLite
internal import Glibc

/// Why something could not be done with a database.
struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    enum Kind: Hashable, Sendable {
        /// The file is not a database, or not a whole one.
        case damaged
        /// The disk is full.
        case full
        /// The file or its folder may not be written to, or cannot be read.
        case notAccessible
        /// A later version of the program has written it.
        case newer(version: Int)
        case other
    }

    var kind: Kind
    /// What was tried.
    var operation: String
    /// SQLite's own extended code.
    var code: Int32
    /// SQLite's own words.
    var message: String

    init(_ kind: Kind, operation: String, code: Int32 = 0, message: String) {
        self.kind = kind
        self.operation = operation
        self.code = code
        self.message = message
    }

    /// - Parameter connection: whose last error it is; nil where there is none.
    init(operation: String, code: Int32, connection: OpaquePointer?) {
        // Of a write to its log's index on a full disk, and of waiting for the disk, SQLite says only that it went wrong.
        let system = connection.map { sqlite3_system_errno($0) } ?? 0
        let isFull = code & 0xFF == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT)
        let kind: Kind =
            switch code & 0xFF {
            case _ where isFull: .full
            case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
            case SQLITE_FULL: .full
            case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH, SQLITE_IOERR: .notAccessible
            default: .other
            }
        // sqlite3_errmsg is never nil, and of static words where there is no connection.
        let text = connection == nil ? sqlite3_errstr(code) : sqlite3_errmsg(connection)
        self.init(kind, operation: operation, code: code, message: text.map { String(cString: $0) } ?? "error \(code)")
    }

    /// For people: that `what` cannot be done with the file `place`, and why.
    func explain(_ what: String, at place: String) -> String {
        kind == .full ? "the disk is full (\(place)): cannot \(what)" : "\(place): cannot \(what): \(message)"
    }

    var description: String { "\(operation): \(message) (SQLite \(code))" }
}
