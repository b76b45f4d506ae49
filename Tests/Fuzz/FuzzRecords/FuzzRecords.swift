// Looks into the module: where that cannot be, in a release build that is none for fuzzing, there is nothing here.
#if DEBUG || FUZZING
    import CallModel
    import ControlProtocol
    import FoundationEssentials
    import Screening

    @testable import Records

    /// Rows of the database as another hand, or a failing memory card, may have left them: the input is their values.
    @_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        var values = ValueReader(bytes: Array(UnsafeBufferPointer(start: start, count: count))[...])
        do throws(DatabaseError) {
            let database = try Database(path: nil)
            try Schema.migrate(database)
            while let table = values.byte() {
                switch table % 4 {
                case 0: insert(CallRow.insert, values.take(24), database)
                case 1: insert("INSERT INTO contact VALUES (NULL, ?1, ?2, ?3, ?4, ?5)", values.take(5), database)
                case 2: insert("INSERT INTO blocked VALUES (?1)", values.take(1), database)
                default: insert("INSERT OR REPLACE INTO state VALUES (?1, ?2)", values.take(2), database)
                }
            }
            try readCalls(database)
            try readLists(database)
        } catch {
            preconditionFailure("rows that cannot be read: \(error.message)")
        }
        return 0
    }

    /// The tables are strict: a value of another type than the column's is refused.
    private func insert(_ sql: String, _ values: [Value], _ database: borrowing Database) {
        do throws(DatabaseError) { try database.run(sql, values) } catch {}
    }

    private func readCalls(_ database: borrowing Database) throws(DatabaseError) {
        let plan = NumberPlan(countryCode: "49")
        for isClosed in [false, true] {
            for entry in try database.calls(HistoryQuery(limit: 500, handle: nil), plan: plan) ?? [] {
                let text = entry.json.bytes
                guard let json = try? JSONValue(parsing: text), let again = HistoryEntry(json: json) else {
                    preconditionFailure("an entry that our own clients cannot read")
                }
                precondition(again.call.id == entry.call.id && again.missed == entry.missed, "another entry")
                _ = try database.calls(HistoryQuery(before: entry.call.id, handle: entry.call.handle.value), plan: plan)
            }
            if !isClosed { _ = try database.closeInterrupted() }
        }
        _ = try database.missedCalls()
        try database.prune(HistoryLimits(days: 1, entries: 2), now: Date(timeIntervalSince1970: 1_700_000_000))
        try database.markSeen()
        try database.clearHistory()
    }

    private func readLists(_ database: borrowing Database) throws(DatabaseError) {
        var rules = ScreeningRules(plan: NumberPlan(countryCode: "49"))
        let contacts = try database.contacts()
        rules.contacts.add(contacts)
        for entry in try database.blocked() { _ = rules.blocked.add(lines: Array(entry.utf8)) }
        rules.doNotDisturb = try database.doNotDisturb()
        for minute in [0, 600, 1_439] {
            let moment = LocalMoment(day: 20_000, minute: minute)
            for contact in contacts {
                for handle in contact.handles { _ = rules.verdict(on: handle, at: moment) }
            }
        }
    }

    /// Values after each other: a byte for the type, then eight octets of a number, or a length and a text.
    private struct ValueReader {
        var bytes: ArraySlice<UInt8>

        mutating func byte() -> UInt8? { bytes.popFirst() }

        mutating func take(_ count: Int) -> [Value] { (0..<count).map { _ in value() } }

        private mutating func value() -> Value {
            guard let type = byte() else { return .null }
            switch type % 5 {
            case 0: return .null
            case 1: return .integer(Int(truncatingIfNeeded: number()))
            case 2: return .real(Double(bitPattern: number()))
            case 3: return .integer(Int(byte() ?? 0))
            default:
                let length = Int(byte() ?? 0)
                defer { bytes = bytes.dropFirst(length) }
                return .text(String(decoding: bytes.prefix(length), as: UTF8.self))
            }
        }

        private mutating func number() -> UInt64 {
            (0..<8).reduce(0) { number, _ in number << 8 | UInt64(byte() ?? 0) }
        }
    }
#endif
