import Testing

@testable import Screening

@Suite("vCards") struct VCardTests {
    private func contacts(_ lines: String...) -> [Contact] {
        VCardReader(Array(lines.joined(separator: "\r\n").utf8)).contacts
    }

    @Test("vCard 4.0: numbers as tel: URIs, sip: URIs, folded lines, escapes")
    func four() {
        let found = contacts(
            "\u{FEFF}BEGIN:VCARD", "VERSION:4.0", "N:Doe;Jane;;Dr.;", "FN:Jane \\, \"the", "  boss\\\" Doe",
            "item1.TEL;VALUE=uri;TYPE=\"voice;home\":tel:+49-30-1234567;ext=12", "TEL;TYPE=cell:0151 234 567 89",
            "IMPP:sip:jane@example.com", "IMPP:xmpp:jane@example.com", "EMAIL:jane@example.com",
            "X-HANDSET-RING-TONE:/tones/jane.wav", "X-HANDSET-AUTO-ANSWER:yes", "X-HANDSET-THROUGH-DND:TRUE",
            "END:VCARD")
        #expect(
            found == [
                Contact(
                    name: "Jane , \"the boss\" Doe",
                    handles: ["+49-30-1234567", "015123456789", "sip:jane@example.com", "jane@example.com"],
                    ringTone: "/tones/jane.wav", autoAnswer: true, throughDoNotDisturb: true)
            ])
    }

    @Test("vCard 2.1: quoted-printable with soft line breaks, Latin-1, parameters without names")
    func two() {
        let found = contacts(
            "BEGIN:VCARD", "VERSION:2.1", "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg;;;",
            "FN;CHARSET=UTF-8;QUOTED-PRINTABLE:J=C3=B6rg=", " M=C3=BC=", "ller", "TEL;CELL;PREF:+49 (151) 1234",
            "PHOTO;ENCODING=BASE64;JPEG:", " /9j/4AAQ:TEL:666", "END:VCARD", "begin:vcard",
            "FN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:Andr=E9", "tel:1", "end:vcard")
        #expect(found.map(\.name) == ["J\u{F6}rg M\u{FC}ller", "Andr\u{E9}"])
        #expect(found.map(\.handles) == [["+49(151)1234"], ["1"]])
    }

    @Test("vCard 3.0: a name is made of what there is")
    func three() {
        let found = contacts(
            "BEGIN:VCARD", "VERSION:3.0", "ORG:ACME\\; Inc.;Sales", "TEL:1", "END:VCARD", "BEGIN:VCARD",
            "N:Doe;Jane;Q.;Dr.;jr", "TEL:2", "END:VCARD", "BEGIN:VCARD", "FN:", "NICKNAME:Jo", "TEL:3", "END:VCARD")
        #expect(found.map(\.name) == ["ACME; Inc.", "Dr. Jane Q. Doe jr", "Jo"])
    }

    /// The findings about a text, one a line.
    private func findings(_ lines: [String]) -> [String] {
        VCardReader(Array(lines.joined(separator: "\n").utf8)).findings.sentences
    }

    @Test("Cards without a name or a handle are none, and said so; cards within cards are passed over")
    func none() {
        let text = [
            "BEGIN:VCARD", "FN:Nobody", "END:VCARD", "", "BEGIN:VCARD", "TEL:6", "END:VCARD", "BEGIN:VCARD",
            "FN:Boss", "TEL:7", "AGENT:", "BEGIN:VCARD", "FN:Agent", "TEL:8", "END:VCARD", "END:VCARD", "BEGIN:VCARD",
            "FN:Chief", "TEL:9", "AGENT:BEGIN:VCARD", "FN:Agent", "TEL:8", "END:VCARD", "END:VCARD",
        ]
        let reader = VCardReader(Array(text.joined(separator: "\n").utf8))
        #expect(
            reader.entries.map { [$0.contact.name, "\($0.contact.handles)", "\($0.line)"] } == [
                ["Boss", "[\"7\"]", "8"], ["Chief", "[\"9\"]", "17"],
            ])
        #expect(
            reader.findings.sentences == [
                "line 1: Nobody has nothing to call; left out",
                "line 5: the card that begins here has no name; left out",
            ])
    }

    @Test("A card without an end ends where the next begins, and hides none of those after it")
    func unfinished() {
        let text = [
            "BEGIN:VCARD", "FN:Open", "TEL:1", "BEGIN:VCARD", "FN:Boss", "TEL:2", "AGENT:", "BEGIN:VCARD", "FN:Agent",
            "TEL:3", "BEGIN:VCARD", "FN:Jane", "TEL:4", "END:VCARD", "TEL:5", "TEL:6", "BEGIN:VCARD", "FN:Cut off",
            "TEL:7",
        ]
        let reader = VCardReader(Array(text.joined(separator: "\r\n").utf8))
        #expect(reader.contacts.map(\.name) == ["Open", "Boss", "Jane"])
        #expect(reader.contacts.map(\.handles) == [["1"], ["2"], ["4"]])
        #expect(
            reader.findings.sentences == [
                "line 1: the card that begins here has no END before line 4, where another begins; it ends there",
                "line 4: the card that begins here has no END before line 11, where another begins; it ends there",
                "line 15: TEL stands in no card: BEGIN:VCARD is missing; left out, as all up to the next",
                "line 17: the card that begins here has no END: the file may be cut off; the card is left out",
            ])
    }

    @Test("What is too long or too much is left out and said so, and the rest is taken")
    func bounds() {
        let long = String(repeating: "x", count: 9_000)
        let numbers = (100..<200).map { "TEL:\($0)" }
        let lines =
            ["BEGIN:VCARD", "FN:\(long)", "FN:Jo\u{1B}[31m\\nX", "PHOTO:\(long)", " \(long)"] + numbers + ["END:VCARD"]
        let found = VCardReader(Array(lines.joined(separator: "\n").utf8)).contacts
        #expect(found.map(\.name) == ["Jo [31m X"])
        #expect(found.first?.handles.count == Contact.maximumHandles)
        #expect(
            findings(lines) == [
                "line 2: FN is longer than 8192 bytes; left out",
                "line 38: Jo [31m X has more than 32 handles; the last 68 are left out",
            ])
        let many = String(repeating: "BEGIN:VCARD\nFN:a\nTEL:1\nEND:VCARD\n", count: PhoneBook.maximumCount + 5)
        let reader = VCardReader(Array(many.utf8))
        #expect(reader.contacts.count == PhoneBook.maximumCount)
        #expect(reader.findings.sentences == ["line 40001: 10000 contacts are taken; the rest of the file is not"])
    }

    @Test("A name is cut between its characters, and said to be")
    func longName() {
        func name(_ text: String) -> [String] {
            let reader = VCardReader(Array("BEGIN:VCARD\nFN:\(text)\nTEL:1\nEND:VCARD".utf8))
            return reader.contacts.map(\.name) + reader.findings.sentences
        }
        let fits = String(repeating: "\u{F6}", count: 128)
        #expect(name(fits) == [fits])
        #expect(name(fits + "x") == [fits, "line 2: the name is longer than 256 bytes; cut to \"\(fits)\""])
        // One that another takes the place of is not missed.
        #expect(findings(["BEGIN:VCARD", "N:\(fits)x", "FN:a", "TEL:1", "END:VCARD"]).isEmpty)
    }

    @Test("Handles, ring tones and words that are none are said so; of many findings the first are kept")
    func wrongValues() {
        let long = String(repeating: "1", count: 257)
        let path = "/" + String(repeating: "p", count: 1_024)
        let card = [
            "BEGIN:VCARD", "FN:a", "TEL:1", "TEL:", "TEL:\u{F6}", "EMAIL:\(long)", "X-HANDSET-RING-TONE:\(path)",
            "X-HANDSET-AUTO-ANSWER:perhaps", "X-HANDSET-THROUGH-DND:No", "not a property", "END:VCARD",
        ]
        for text in ["TEL:+49 30 123 ext. 5", "EMAIL:jane at example.com", "IMPP:sip:jane@"] {
            let name = text.prefix { $0 != ":" }
            #expect(
                findings(["BEGIN:VCARD", "FN:a", "TEL:1", text, "END:VCARD"]) == [
                    "line 4: what \(name) has cannot be called: it is no number, no user name and no address; left out"
                ])
        }
        let expected = [
            "line 5: what TEL has cannot be called: up to 256 ASCII characters are wanted; left out",
            "line 6: what EMAIL has cannot be called: up to 256 ASCII characters are wanted; left out",
            "line 7: X-HANDSET-RING-TONE is no path of at most 1024 bytes; left out",
            "line 8: X-HANDSET-AUTO-ANSWER is neither true nor false; taken as false",
            "line 10: this is no property of a vCard, NAME:VALUE; left out",
        ]
        #expect(findings(card) == expected)
        let many = VCardReader(Array(Array(repeating: card, count: 1_000).flatMap { $0 }.joined(separator: "\n").utf8))
        #expect(many.findings.count == 5_000 && many.contacts.count == 1_000)
        #expect(many.findings.sentences.count == LineFindings.limit + 1)
        #expect(many.findings.sentences.last == "and 4992 more")
    }

    @Test("A handle that two contacts have stays with the first, and whoever asks is told")
    func clashes() {
        var book = PhoneBook(plan: NumberPlan(countryCode: "49"))
        var clashes: [String] = []
        let contacts = [
            Contact(name: "Jane", handles: ["030 123456", "+49 30 123456"]), Contact(name: "Ann", handles: ["1"]),
            Contact(name: "Bob", handles: ["sip:+4930123456@pbx.example", "2"]),
        ]
        #expect(book.add(contacts) { clashes.append("\($0) \($1) \($2.name)") } == 3)
        #expect(clashes == ["2 sip:+4930123456@pbx.example Jane"])
    }

    @Test("Whatever the bytes are, there is an end")
    func garbage() {
        var generator = SystemRandomNumberGenerator()
        let pieces = [
            "BEGIN:VCARD\n", "END:VCARD\n", "FN;ENCODING=QUOTED-PRINTABLE:=\n", "TEL:", ";", ":", "\"", "=C", "\r\n ",
        ]
        for _ in 0..<300 {
            var bytes: [UInt8] = []
            for _ in 0..<60 {
                bytes += Array((pieces.randomElement(using: &generator) ?? "").utf8)
                bytes.append(UInt8.random(in: 0...255, using: &generator))
            }
            for contact in VCardReader(bytes).contacts {
                #expect(contact.name.utf8.count <= Contact.maximumNameLength && !contact.handles.isEmpty)
            }
        }
    }
}
