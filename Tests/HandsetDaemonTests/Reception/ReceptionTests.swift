import CallModel
import CallSystem
import ControlProtocol
import EventLoop
import FoundationEssentials
import Glibc
import Screening
import Settings
import Testing

@testable import CallFakes
@testable import HandsetDaemon

@Suite("Reception") struct ReceptionTests {
    let folder: String

    init() throws {
        EventLoop.shared.runInBackground()
        folder = "/tmp/handset-reception-\(CallID())"
        try #require(mkdir(folder, 0o700) == 0)
    }

    func write(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
        return "\(folder)/\(name)"
    }

    func settings(_ toml: String) throws -> Settings {
        try Settings(parsing: Array(toml.utf8), file: "\(folder)/handset.toml")
    }

    @DaemonActor func verdict(
        _ reception: Reception, _ handle: String, isVouchedFor: Bool = false, replaces: CallID? = nil
    ) -> ScreeningVerdict {
        reception.verdict(
            on: IncomingCall(
                id: CallID(), from: Handle(kind: .generic, value: handle), displayName: "Liar",
                isVouchedFor: isVouchedFor, replaces: replaces))
    }

    @DaemonActor func changed<Failure: Error>(
        _ body: (@escaping @DaemonActor (Result<ListChange, Failure>) -> Void) -> Void
    ) async throws -> ListChange {
        try await withCheckedContinuation { (waiting: CheckedContinuation<Result<ListChange, Failure>, Never>) in
            body { waiting.resume(returning: $0) }
        }.get()
    }

    /// What `add` fails with; nil where it does not.
    @DaemonActor func refusal(_ reception: Reception, _ contact: Contact) async -> ControlError? {
        do {
            _ = try await changed { reception.add(contact, $0) }
            return nil
        } catch { return error as? ControlError }
    }

    /// A WAV file of a tenth of a second: 8 kHz, mono, 8 bits.
    func writeTone(_ name: String) throws -> String {
        var bytes = Array("RIFF".utf8) + [68, 3, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 1, 0]
        bytes += [0x40, 0x1F, 0, 0, 0x40, 0x1F, 0, 0, 1, 0, 8, 0] + Array("data".utf8) + [32, 3, 0, 0]
        bytes += [UInt8](repeating: 128, count: 800)
        try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
        return "\(folder)/\(name)"
    }

    /// Waits until `condition` is true; false after 10 s.
    @DaemonActor func becomes(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<1_000 {
            if condition() { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test("Lists of the configuration and of its files keep out, as configured")
    @DaemonActor func lists() throws {
        // Nobody ever writes to it: it must not be waited for.
        try #require(mkfifo("\(folder)/pipe", 0o600) == 0)
        _ = try write("spam.txt", "# spam\n0900*\nanonymous\n")
        _ = try write("friends.txt", "+49900111\n")
        _ = try write("book.vcf", "BEGIN:VCARD\nFN:Jane\nTEL:030 123456\nX-HANDSET-THROUGH-DND:1\nEND:VCARD\n")
        let settings = try settings(
            """
            [calls]
            country_code = "49"
            [block]
            handles = ["@spam.example"]
            files = ["spam.txt", "missing.txt", "pipe"]
            answer = "silent"
            [allow]
            files = ["friends.txt"]
            [contacts]
            files = ["book.vcf"]
            """)
        let reception = Reception(settings, stateDirectory: nil)
        let blocked = ScreeningVerdict.Refusal(answer: nil, reason: .blocked)
        #expect(verdict(reception, "sip:x@spam.example").refusal == blocked)
        #expect(verdict(reception, "+49900222").refusal == blocked)
        #expect(verdict(reception, "sip:anonymous@anonymous.invalid").refusal == blocked)
        #expect(verdict(reception, "0900111").refusal == nil)
        #expect(verdict(reception, "sip:004930123456@gw").displayName == "Jane")
        #expect(verdict(reception, "sip:x@example.com").displayName == "Liar")
        #expect(reception.blockReport.configured == ["@spam.example"])
        #expect(reception.blockReport.files.map(\.entries) == [2, 0, 0])
        #expect(
            reception.blockReport.files.map(\.problem) == [
                nil, "cannot be read: there is no such file", "cannot be read: it is no regular file",
            ])
        #expect(reception.contacts(from: 0).entries.map(\.file) == ["\(folder)/book.vcf"])
    }

    @Test("While a call is connected, it is noted that it goes on: so much is known of it after a kill")
    @DaemonActor func killed() async throws {
        let clock = VirtualClock()
        // Another run looks at it years later.
        let settings = try settings("[history]\ndays = 0\n")
        let reception = Reception(settings, stateDirectory: folder, clock: clock)
        var call = CallSnapshot(
            id: CallID(), direction: .incoming, state: .incoming, handle: Handle(kind: .generic, value: "a"))
        call.startedConnectingAt = clock.date
        reception.note(.incoming(call))
        clock.run(.seconds(20))
        call.state = .connected
        call.connectedAt = clock.date
        reception.note(.updated(call, changed: ["state"]))
        clock.run(.seconds(63))
        _ = try await entries(reception)
        // It is not closed: as if the process had been killed.
        let entry = try #require(try await entries(Reception(settings, stateDirectory: folder)).first)
        #expect(entry.durationSeconds == 60)
        #expect(entry.call.endReason == .failed(status: nil, text: "the daemon was interrupted"))
    }

    @Test("One call of an earlier run is one")
    func interruptedCalls() {
        #expect(Reception.report(ofInterrupted: 1).hasPrefix("1 call of an earlier run had no end; it is"))
        #expect(Reception.report(ofInterrupted: 2).hasPrefix("2 calls of an earlier run had no end; they are"))
    }

    @Test("What is too old goes in time, though nobody calls, and the missed among it count no more")
    @DaemonActor func pruning() async throws {
        let clock = VirtualClock()
        let reception = Reception(try settings("[history]\ndays = 2\n"), stateDirectory: nil, clock: clock)
        var call = CallSnapshot(
            id: CallID(), direction: .incoming, state: .incoming, handle: Handle(kind: .generic, value: "a"))
        call.startedConnectingAt = clock.date
        reception.note(.incoming(call))
        (call.state, call.endReason, call.endedAt) = (.ended, .unanswered, clock.date)
        reception.note(.ended(call))
        clock.run(.seconds(47 * 3_600))
        #expect(await becomes { reception.unwritten == 0 } && reception.missedCalls == 1)
        clock.run(.seconds(2 * 3_600))
        #expect(await becomes { reception.missedCalls == 0 })
        #expect(try await entries(reception).isEmpty)
        // A new configuration is in force at once.
        (call.startedConnectingAt, call.endedAt) = (clock.date, clock.date)
        reception.note(.incoming(call))
        reception.note(.ended(call))
        #expect(try await entries(reception).count == 1)
        let none = try settings("[history]\nentries = 0\n")
        reception.reconfigure(none, ListFiles(none))
        #expect(try await entries(reception).isEmpty)
    }

    @DaemonActor func entries(_ reception: Reception) async throws -> [HistoryEntry] {
        try await withCheckedContinuation {
            (waiting: CheckedContinuation<Result<[HistoryEntry], CallError>, Never>) in
            reception.history(HistoryQuery(), seen: true) { waiting.resume(returning: $0) }
        }.get()
    }

    @Test("What is added by hand counts at once, is kept, and goes again in whatever way it is written")
    @DaemonActor func byHand() async throws {
        let settings = try settings("[calls]\ncountry_code = \"49\"\n")
        let reception = Reception(settings, stateDirectory: folder)
        #expect(try await changed { reception.block("030123456", $0) } == ListChange(changed: true, saved: true))
        #expect(try await changed { reception.block("030123456", $0) }.changed == false)
        #expect(verdict(reception, "+4930123456").refusal?.reason == .blocked)
        let tone = try writeTone("jane.wav")
        let jane = Contact(name: "Jane", handles: ["101"], ringTone: tone, autoAnswer: true)
        #expect(try await changed { reception.add(jane, $0) } == ListChange(changed: true, saved: true))
        #expect(verdict(reception, "sip:101@pbx").ringTone == tone)
        // Anybody can say that they are Jane.
        #expect(!verdict(reception, "sip:101@pbx").answersByItself)
        #expect(verdict(reception, "sip:101@pbx", isVouchedFor: true).answersByItself)
        reception.close()
        let second = Reception(settings, stateDirectory: folder)
        #expect(verdict(second, "+4930123456").refusal?.reason == .blocked)
        #expect(second.name(of: Handle(kind: .phoneNumber, value: "101")) == "Jane")
        #expect(try await changed { second.unblock("+49 30 12 34 56", $0) }.changed)
        #expect(try await changed { second.removeContact("Jane", $0) }.changed)
        #expect(verdict(second, "+4930123456").refusal == nil)
        #expect(second.blockReport.handles.isEmpty && second.contacts(from: 0).entries.isEmpty)
    }

    @Test("A contact whose ring tone cannot be played, or who has another one's handle, is not added")
    @DaemonActor func refusedContacts() async throws {
        let reception = Reception(try settings("[calls]\ncountry_code = \"49\"\n"), stateDirectory: folder)
        let noWave = try write("no.wav", "RIFF, but nothing else")
        for path in ["\(folder)/missing.wav", noWave, folder] {
            let error = await refusal(reception, Contact(name: "Ann", handles: ["1"], ringTone: path))
            #expect(error?.code == ControlError.invalidParamsCode)
            #expect(error?.message.hasPrefix("ringTone: \(path) cannot be played: ") == true, "\(error?.message ?? "")")
        }
        let ann = Contact(name: "Ann", handles: ["030 123456"], ringTone: "silent")
        #expect(await refusal(reception, ann) == nil)
        let error = await refusal(reception, Contact(name: "Bob", handles: ["2", "+4930123456"]))
        #expect(error?.code == ControlError.invalidParamsCode)
        #expect(error?.message.hasPrefix("handles: +4930123456 is Ann's: ") == true, "\(error?.message ?? "")")
        #expect(reception.contacts(from: 0).entries.map(\.contact) == [ann])
        // Her own handles are no clash, nor is what a file says of them.
        #expect(await refusal(reception, Contact(name: "Ann", handles: ["030 123456", "3"])) == nil)
    }

    @Test("What is wrong with lists, contacts and ring tones is said, with the file and the line")
    @DaemonActor func problems() async throws {
        let tone = try writeTone("good.wav")
        let spam = try write("spam.txt", "0900*\nb\u{F6}se\n")
        let book = try write(
            "book.vcf",
            """
            BEGIN:VCARD
            FN:Jane
            TEL:1
            X-HANDSET-RING-TONE:good.wav
            BEGIN:VCARD
            FN:Bob
            TEL:1
            X-HANDSET-RING-TONE:bad.wav
            END:VCARD
            """)
        let settings = try settings(
            """
            [audio]
            ring_tone = "\(folder)/none.wav"
            [block]
            files = ["\(spam)"]
            [allow]
            files = ["/nowhere/friends.txt"]
            [contacts]
            files = ["\(book)"]
            [[account]]
            name = "office"
            uri = "sip:1@pbx.example"
            ring_tone = "\(tone)"
            """)
        let reception = Reception(settings, stateDirectory: nil)
        let lists = [
            "block.files: \(spam): line 2: nothing that can be on a list; passed over",
            "allow.files: /nowhere/friends.txt: cannot be read: there is no such file",
            "contacts.files: \(book): line 1: the card that begins here has no END before line 5, where another begins; "
                + "it ends there",
            "contacts.files: \(book): line 5: 1 of Bob is also Jane's, who keeps it",
        ]
        #expect(reception.problems.prefix(4).map(\.description) == lists)
        #expect(await becomes { reception.problems.count == 6 })
        let tones = reception.problems.dropFirst(4).map(\.description)
        #expect(
            tones.first?.hasPrefix("audio.ring_tone: the ring tone, \(folder)/none.wav, cannot be played: ") == true)
        #expect(tones.last?.hasPrefix("contacts: the ring tone of Bob, \(folder)/bad.wav, cannot be played: ") == true)
        #expect(verdict(reception, "1").ringTone == tone)
        #expect(reception.contacts(from: 0).files.first?.problem?.contains("line 5: 1 of Bob") == true)
        // As the lists are read again.
        _ = try write("none.wav", "")
        _ = try write("book.vcf", "BEGIN:VCARD\nFN:Jane\nTEL:1\nEND:VCARD\n")
        reception.reconfigure(settings, ListFiles(settings))
        #expect(await becomes { reception.problems.count == 3 })
    }

    @Test("Contacts come in parts that fit")
    @DaemonActor func parts() throws {
        let card = "BEGIN:VCARD\nFN:\(String(repeating: "n", count: 200))\nTEL:%\nEND:VCARD\n"
        let text = (1_000..<4_000).map { card.replacing("%", with: "\($0)") }.joined()
        let path = try write("many.vcf", text)
        let reception = Reception(try settings("[contacts]\nfiles = [\"\(path)\"]\n"), stateDirectory: nil)
        var handles: [String] = []
        var first: Int? = 0
        while let next = first {
            let part = reception.contacts(from: next)
            #expect(part.json.bytes.count < 1 << 20)
            handles += part.entries.flatMap(\.contact.handles)
            first = part.next
        }
        #expect(handles == (1_000..<4_000).map { "\($0)" })
    }

    @Test("Missed calls are counted at once, kept, and seen when somebody looks")
    @DaemonActor func missed() async throws {
        let reception = Reception(Settings(), stateDirectory: folder)
        var call = CallSnapshot(
            id: CallID(), direction: .incoming, state: .incoming, handle: Handle(kind: .generic, value: "a"))
        reception.note(.incoming(call))
        call.state = .ended
        call.endReason = .unanswered
        reception.note(.ended(call))
        #expect(reception.missedCalls == 1)
        let entries = try await entries(reception)
        #expect(entries.map(\.missed) == [true] && entries.map(\.seen) == [false])
        #expect(reception.missedCalls == 0)
        reception.close()
        #expect(Reception(Settings(), stateDirectory: folder).missedCalls == 0)
    }
}
