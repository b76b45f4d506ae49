import CallModel
import FoundationEssentials
import Glibc
import Screening
import Testing

@testable import Records

@Suite("When the disk does not do its part") struct FailureTests {
    private func write(_ bytes: [UInt8], _ path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

    private func filled(_ shelf: Shelf) async throws {
        let store = try shelf.open()
        for number in 0..<200 { await store.finished(CallSnapshot.incoming("\(number)").ended(.unanswered)) }
        store.close()
    }

    @Test("A file that is none is put aside, and a new one begun")
    func notADatabase() async throws {
        let shelf = try Shelf()
        try write(Array("this is not a database at all, but long enough to be looked at".utf8), shelf.file)
        let store = try shelf.open()
        #expect(shelf.problems.count == 1)
        #expect(shelf.problems.first?.contains("\(shelf.file).damaged") == true)
        #expect(access("\(shelf.file).damaged", F_OK) == 0)
        #expect(store.isLasting)
        await store.finished(CallSnapshot.incoming("1").ended(.unanswered))
        store.close()
        #expect(try await shelf.open().entries().count == 1)
    }

    @Test("What was put aside before stays beside it, the last few of them")
    func severalAside() async throws {
        let shelf = try Shelf()
        for number in 0..<(RecordFile.keptAside + 2) {
            try write(
                Array("number \(number): this is not a database at all, but long enough to be looked at".utf8),
                shelf.file)
            // A log that was left, which is another one's than the file's that takes its place.
            try write(Array("log \(number)".utf8), "\(shelf.file)-wal")
            let store = try shelf.open()
            #expect(store.isLasting)
            await store.finished(CallSnapshot.incoming("1").ended(.unanswered))
            store.close()
        }
        #expect(shelf.problems.count == RecordFile.keptAside + 2)
        func text(_ suffix: String) -> String {
            (try? Data(contentsOf: URL(filePath: shelf.file + suffix))).map { String(decoding: $0, as: UTF8.self) }
                ?? ""
        }
        #expect(text(".damaged").hasPrefix("number 4:"))
        #expect(text(".damaged.1").hasPrefix("number 3:"))
        #expect(text(".damaged.2").hasPrefix("number 2:"))
        #expect(access("\(shelf.file).damaged.3", F_OK) != 0)
        for suffix in [".damaged", ".damaged.1", ".damaged.2"] {
            #expect(["", "log \(text(suffix).split(separator: ":")[0].dropFirst(7))"].contains(text(suffix + "-wal")))
        }
    }

    @Test("A file damaged while nobody looked is put aside when that is found", arguments: [0, 1, 2])
    func damaged(how: Int) async throws {
        let shelf = try Shelf()
        try await filled(shelf)
        var bytes = Array(try Data(contentsOf: URL(filePath: shelf.file)))
        #expect(bytes.count > 12 * 4_096)
        switch how {
        case 0: bytes = Array(bytes.prefix(bytes.count / 2))
        case 1: for index in 4_096..<bytes.count { bytes[index] = UInt8.random(in: 0...255) }
        default: for index in 0..<100 { bytes[index] = 0x55 }
        }
        try write(bytes, shelf.file)
        let store = try shelf.open()
        await store.finished(CallSnapshot.incoming("new").ended(.unanswered))
        _ = try? await store.entries()
        await store.finished(CallSnapshot.incoming("newer").ended(.unanswered))
        #expect(shelf.problems.contains { $0.contains("damaged") }, "\(shelf.problems)")
        #expect(try await store.entries().first?.call.handle.value == "newer")
        #expect(store.isLasting)
    }

    @Test("A process that was killed leaves what it had written, and a file that is looked through")
    func killed() async throws {
        let shelf = try Shelf()
        let first = try shelf.open()
        await first.finished(CallSnapshot.incoming("1").ended(.unanswered))
        // What a kill leaves: the file and its log, as they are now.
        let copy = try Shelf()
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.copyItem(atPath: shelf.file + suffix, toPath: copy.file + suffix)
        }
        let second = try copy.open()
        #expect(try await second.entries().count == 1)
        #expect(copy.problems.isEmpty)
    }

    @Test("Without a folder, or in one that may not be written to, all is kept in memory", .enabled(if: getuid() != 0))
    func readOnlyFolder() async throws {
        let shelf = try Shelf()
        chmod(shelf.folder, 0o500)
        let store = try shelf.open()
        #expect(store.path == nil && !store.isLasting)
        #expect(shelf.problems.first?.contains("cannot be written to") == true)
        await store.finished(CallSnapshot.incoming("1").ended(.unanswered))
        #expect(try await store.entries().count == 1)
    }

    @Test("Where the file cannot be written to, who is blocked is blocked all the same")
    func readOnlyLists() async throws {
        let shelf = try Shelf()
        do {
            let store = try shelf.open()
            #expect(await store.saved { store.block("@spam.example", then: $0) })
            #expect(await store.saved { store.put(Contact(name: "Jane", handles: ["1"]), then: $0) })
            store.close()
        }
        // A folder in the log's place: root, too, cannot write there.
        #expect(mkdir(shelf.file + "-wal", 0o700) == 0)
        let store = try shelf.open()
        #expect(store.path == nil && shelf.problems.count == 1, "\(shelf.problems)")
        #expect(store.contents.blocked == ["@spam.example"])
        #expect(store.contents.contacts.map(\.name) == ["Jane"])
        #expect(await store.finished(CallSnapshot.incoming("1").ended(.unanswered)) == 1)
    }

    @Test("A link in place of the file is not followed")
    func link() async throws {
        let shelf = try Shelf()
        let other = try Shelf()
        #expect(symlink(other.file, shelf.file) == 0)
        let store = try shelf.open()
        #expect(access(other.file, F_OK) != 0)
        #expect(store.path == nil)
        #expect(shelf.problems.count == 1)
    }

    @Test("No folder at all is no problem for now")
    func memory() async throws {
        let shelf = try Shelf()
        let store = try shelf.open(inMemory: true)
        #expect(store.path == nil && shelf.messages.isEmpty)
        #expect(await store.finished(CallSnapshot.incoming("1").ended(.unanswered)) == 1)
        #expect(!(await store.saved { store.block("1", then: $0) }))
    }

    @Test("A file of a later version is left as it is")
    func newer() async throws {
        let shelf = try Shelf()
        try await filled(shelf)
        do {
            let database = try Database(path: shelf.file)
            try database.execute("PRAGMA user_version = 99")
        }
        let store = try shelf.open()
        #expect(store.path == nil)
        #expect(shelf.problems.first?.contains("later version") == true)
        #expect(access("\(shelf.file).damaged", F_OK) != 0)
    }

    @Test("A file of the first version is taken over with what is in it")
    func older() async throws {
        let shelf = try Shelf()
        let call = CallSnapshot.incoming("1").ended(.unanswered)
        do {
            let database = try Database(path: shelf.file)
            try database.execute(Schema.steps[0])
            try database.execute("PRAGMA application_id = \(Schema.applicationID)")
            try database.execute("PRAGMA user_version = 1")
            try database.execute(
                """
                INSERT INTO call (id, direction, handleType, handle, started, ended, endReason, missed, packetsSent) \
                VALUES ('\(call.id)', 'incoming', 'phoneNumber', '1', 1, 2, 'unanswered', 1, 7)
                """)
        }
        let store = try shelf.open(limits: HistoryLimits(days: 0))
        #expect(store.isLasting && shelf.problems.isEmpty)
        let entries = try await store.entries()
        #expect(entries.map(\.call.id) == [call.id])
        #expect(entries.first?.call.quality?.packetsSent == 7 && entries.first?.call.quality?.mos == nil)
    }

    @Test("A database of another program is put aside")
    func foreign() async throws {
        let shelf = try Shelf()
        do {
            let database = try Database(path: shelf.file)
            try database.execute("CREATE TABLE other (a)")
        }
        let store = try shelf.open()
        #expect(store.isLasting && shelf.problems.count == 1)
    }

    @Test("A full disk is said once, and what follows is tried again")
    func full() async throws {
        let shelf = try Shelf()
        let store = try shelf.open()
        store.limitPages(to: 20)
        let long = String(repeating: "x", count: 20_000)
        var failed = 0
        for _ in 0..<8 where !(await store.saved { store.put(Contact(name: long, handles: ["1"]), then: $0) }) {
            failed += 1
        }
        for number in 0..<20 {
            let contact = Contact(name: "\(number)\(long)", handles: ["1"])
            if !(await store.saved { store.put(contact, then: $0) }) { failed += 1 }
        }
        #expect(failed > 0)
        #expect(shelf.problems.count == 1)
        #expect(shelf.problems.first?.contains("the disk is full") == true)
        #expect(!store.isLasting && store.problem != nil)
        store.limitPages(to: 10_000)
        await store.finished(CallSnapshot.incoming("1").ended(.unanswered))
        #expect(store.isLasting)
        #expect(shelf.messages.last == .recovered("\(shelf.file) is written again"))
        #expect(try await store.entries().count == 1)
    }

    /// A call that needs more room than what was written of it before.
    private func longer(_ call: CallSnapshot) -> CallSnapshot {
        var call = call
        call.displayName = String(repeating: "x", count: 20_000)
        return call
    }

    @Test("How a call ended while the disk was full is written when there is room again", arguments: [false, true])
    func lateEnd(atTheEnd: Bool) async throws {
        let shelf = try Shelf()
        let store = try shelf.open()
        let call = CallSnapshot.incoming("1").connected()
        store.note(call)
        store.limitPages(to: 1)
        let ended = longer(call).ended(.declined)
        #expect(await store.finished(ended) == nil)
        #expect(shelf.problems.count == 1)
        #expect(shelf.problems.first?.contains("the disk is full (\(shelf.file))") == true)
        // What can be read says how it ended, and that the disk is full is still so.
        #expect(try await store.entries().map(\.call) == [ended])
        #expect(store.problem != nil)
        store.limitPages(to: 10_000)
        if !atTheEnd {
            #expect(try await store.entries().map(\.call) == [ended])
            #expect(store.isLasting && shelf.messages.last == .recovered("\(shelf.file) is written again"))
        }
        store.close()
        let next = try shelf.open()
        #expect(next.contents.interrupted == 0)
        #expect(try await next.entries().map(\.call) == [ended])
    }

    @Test("Of ends that cannot be written the last ones are kept")
    func manyLateEnds() async throws {
        let shelf = try Shelf()
        let store = try shelf.open()
        store.limitPages(to: 1)
        let count = Arrears.maximumEnds + 3
        for number in 0..<count { await store.finished(longer(.incoming("\(number)")).ended(.unanswered)) }
        store.limitPages(to: 1_000_000)
        let entries = try await store.entries(HistoryQuery(limit: count))
        #expect(entries.map(\.call.handle.value) == (3..<count).reversed().map { "\($0)" })
    }

    @Test("What the start could not bring up to date is a problem until it is made up for")
    func lateTidying() async throws {
        let shelf = try Shelf()
        let cutOff = CallSnapshot.incoming("1").connected()
        do {
            let store = try shelf.open()
            store.note(cutOff)
            store.close()
        }
        do {
            let database = try Database(path: shelf.file)
            try database.execute(
                "CREATE TRIGGER refuse BEFORE UPDATE ON call BEGIN SELECT RAISE(ABORT, 'refused'); END")
        }
        let store = try shelf.open()
        #expect(store.problem == "\(shelf.file): cannot bring the history up to date: refused")
        #expect(store.problem.map { [$0] } == shelf.problems)
        let call = CallSnapshot.incoming("2")
        store.note(call)
        #expect(try await store.entries().map(\.call.endReason) == [nil, nil])
        #expect(store.problem != nil)
        do {
            let database = try Database(path: shelf.file)
            try database.execute("DROP TRIGGER refuse")
        }
        let reasons = try await store.entries().map(\.call.endReason)
        #expect(reasons == [nil, .failed(status: nil, text: "the daemon was interrupted")])
        #expect(store.isLasting && shelf.messages.last == .recovered("\(shelf.file) is written again"))
    }

    @Test("Of a full disk it is said that it is full, in no words of SQLite's")
    func words() {
        let full = DatabaseError(.full, operation: "INSERT INTO", code: 13, message: "database or disk is full")
        #expect(full.explain("record call 1", at: "/a") == "the disk is full (/a): cannot record call 1")
        let other = DatabaseError(.other, operation: "UPDATE call", code: 5, message: "database is locked")
        #expect(other.explain("record call 1", at: "/a") == "/a: cannot record call 1: database is locked")
    }
}
