internal import CSQLite

/// A prepared statement, given back when its owner goes out of scope. It must not outlive its connection.
struct Statement: ~Copyable {
    private let handle: OpaquePointer
    private let connection: OpaquePointer

    init(_ handle: OpaquePointer, of connection: OpaquePointer) {
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds parameters from `?1` on.
    func bind(_ values: [Value]) throws(DatabaseError) {
        for (index, value) in values.enumerated() {
            let parameter = Int32(index + 1)
            let code: Int32 =
                switch value {
                case .null: sqlite3_bind_null(handle, parameter)
                case .integer(let integer): sqlite3_bind_int64(handle, parameter, Int64(integer))
                case .real(let real): sqlite3_bind_double(handle, parameter, real)
                case .text(let text): csqlite_bind_text(handle, parameter, text, Int32(clamping: text.utf8.count))
                }
            guard code == SQLITE_OK else { throw error(code) }
        }
    }

    /// Goes to the next row; false: there is none.
    func step() throws(DatabaseError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw error(code)
        }
    }

    /// Makes it ready to be stepped again; its parameters stay.
    func reset() { sqlite3_reset(handle) }

    // MARK: Columns of the present row, from 0; nil for NULL

    func text(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        let length = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self)
    }

    func integer(_ column: Int32) -> Int? {
        isNull(column) ? nil : Int(sqlite3_column_int64(handle, column))
    }

    func real(_ column: Int32) -> Double? {
        isNull(column) ? nil : sqlite3_column_double(handle, column)
    }

    func flag(_ column: Int32) -> Bool { sqlite3_column_int64(handle, column) != 0 }

    private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    private func error(_ code: Int32) -> DatabaseError {
        let sql = sqlite3_sql(handle).map { String(cString: $0) } ?? ""
        return DatabaseError(operation: Database.firstWords(sql), code: code, connection: connection)
    }
}
