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

    @Test("Cards without a name or a handle are none, cards within cards are passed over")
    func none() {
        let text = [
            "BEGIN:VCARD", "FN:Nobody", "END:VCARD", "TEL:5", "BEGIN:VCARD", "TEL:6", "END:VCARD", "BEGIN:VCARD",
            "FN:Boss", "TEL:7", "AGENT:", "BEGIN:VCARD", "FN:Agent", "TEL:8", "END:VCARD", "END:VCARD", "BEGIN:VCARD",
            "FN:Cut off", "TEL:9",
        ].joined(separator: "\n")
        let reader = VCardReader(Array(text.utf8))
        #expect(reader.contacts == [Contact(name: "Boss", handles: ["7"])])
        #expect(reader.passedOver == 2)
    }

    @Test("What is too long or too much is left out, and the rest is taken")
    func bounds() {
        let long = String(repeating: "x", count: 9_000)
        let numbers = (100..<200).map { "TEL:\($0)" }
        let text =
            (["BEGIN:VCARD", "FN:\(long)", "FN:Jo\u{1B}[31m\\nX", "PHOTO:\(long)", " \(long)"] + numbers + ["END:VCARD"])
            .joined(separator: "\n")
        let found = VCardReader(Array(text.utf8)).contacts
        #expect(found.map(\.name) == ["Jo [31m X"])
        #expect(found.first?.handles.count == Contact.maximumHandles)
        let many = String(repeating: "BEGIN:VCARD\nFN:a\nTEL:1\nEND:VCARD\n", count: PhoneBook.maximumCount + 5)
        #expect(VCardReader(Array(many.utf8)).contacts.count == PhoneBook.maximumCount)
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
