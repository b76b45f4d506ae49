import Testing

@testable import Screening

@Suite("Lists of callers") struct CallerListTests {
    private func list(_ entries: String..., country: String = "49") -> CallerList {
        var list = CallerList(plan: NumberPlan(countryCode: country))
        for entry in entries where !list.add(entry) { Issue.record("\(entry) is not taken") }
        return list
    }

    private func has(_ list: CallerList, _ handle: String, country: String = "49") -> Bool {
        list.contains(CallerKeys(handle.utf8, plan: NumberPlan(countryCode: country)))
    }

    static let sameNumber = [
        "+4930123456", "004930123456", "030123456", "030 / 12-34.56", "tel:+49-30-123456;phone-context=x",
        "sip:+4930123456@pbx.example:5060;user=phone", "sip:030123456@10.0.0.1", "SIPS:%2B4930123456@Other.Example",
        "sip:+4930123456;npdi@gateway",
    ]

    @Test(
        "A number is the same in every way of writing it, with and without the national prefix", arguments: sameNumber)
    func numbers(written: String) {
        for other in Self.sameNumber { #expect(has(list(written), other), "\(written) is \(other)") }
        #expect(!has(list(written), "+4930123457"))
        #expect(!has(list(written), "30123456"))
    }

    @Test(
        "Each country has its own way",
        arguments: [
            ("1", "2125550123", "+12125550123"), ("1", "12125550123", "+12125550123"),
            ("1", "0114930123456", "+4930123456"), ("7", "84951234567", "+74951234567"),
            ("36", "0611234567", "+3611234567"), ("39", "0612345678", "+390612345678"),
            ("39", "3331234567", "+393331234567"), ("34", "912345678", "+34912345678"),
            ("45", "32123456", "+4532123456"), ("61", "0298765432", "+61298765432"),
            ("61", "00114930123456", "+4930123456"), ("49", "4930123456789", "+4930123456789"),
        ])
    func countries(country: String, national: String, international: String) {
        #expect(has(list(national, country: country), international, country: country))
        #expect(has(list(international, country: country), national, country: country))
    }

    @Test("Without a country national numbers are as they are written")
    func noCountry() {
        #expect(has(list("004930123456", country: ""), "+4930123456", country: ""))
        #expect(!has(list("030123456", country: ""), "+4930123456", country: ""))
    }

    @Test("An extension belongs to its PBX where the entry names one")
    func extensions() {
        #expect(has(list("101"), "sip:101@pbx.example"))
        #expect(has(list("sip:101@pbx.example"), "sip:101@PBX.example:5070"))
        #expect(!has(list("sip:101@pbx.example"), "sip:101@other.example"))
        #expect(!has(list("sip:101@pbx.example"), "101"))
    }

    @Test("Names are the same in either case, and with their escapes")
    func names() {
        #expect(has(list("bob"), "sip:Bob@anywhere.example"))
        #expect(has(list("sip:b%6Fb@Example.com"), "sip:bob:secret@example.com.;transport=tcp"))
        #expect(!has(list("bob"), "sip:bobby@example.com"))
        #expect(has(list("sip:bob@[2001:db8::1]:5060"), "sip:bob@[2001:DB8::1]"))
        #expect(has(list("sip:10.0.0.7"), "sip:10.0.0.7:5060"))
    }

    @Test("A domain is all that is in it")
    func domains() {
        #expect(has(list("@Spam.Example."), "sip:anybody@spam.example."))
        #expect(has(list("@[2001:db8::1]"), "sip:anybody@[2001:DB8::1]:5060"))
        #expect(has(list("@spam.example"), "sip:anybody@spam.example"))
        #expect(has(list("@spam.example"), "sip:anybody@sip.SPAM.example:5061"))
        #expect(!has(list("@spam.example"), "sip:anybody@notspam.example"))
        #expect(!has(list("@spam.example"), "spam.example"))
        #expect(has(list("@192.0.2.1"), "sip:x@192.0.2.1"))
    }

    @Test("The beginning of a number is a number, too")
    func prefixes() {
        #expect(has(list("0900*"), "+49900123456"))
        #expect(has(list("+49900*"), "0900 123456"))
        #expect(has(list("+49900*"), "+49900"))
        #expect(!has(list("+49900*"), "+4990"))
        #expect(has(list("00*"), "+33123456789"))
        #expect(!has(list("00*"), "101"))
    }

    @Test(
        "Who keeps back who they are is anonymous",
        arguments: [
            "sip:anonymous@anonymous.invalid", "sip:anonymous@pbx.example", "sip:x@anonymous.invalid", "Unknown", "",
        ])
    func anonymous(handle: String) {
        #expect(has(list("anonymous"), handle))
        #expect(has(list("Anonymous"), handle))
        #expect(!has(list("anonymous"), "sip:bob@pbx.example"))
        #expect(!has(list("anonymous"), "sip:10.0.0.7"))
    }

    private static let impossible = [
        "", "*", "bob*", "@", "@.example", "@a@b", "sip:", "b\u{F6}b", String(repeating: "1", count: 251),
        // Words, marks, several on one line.
        "spam callers", "the number +4930123456", "+4930123456 spam", "+4930123456,+4930123457",
        "+4930123456;+4930123457",
        "030123456;030123457", "\"Bob\"", "<sip:bob@example.com>", "Bob <sip:bob@example.com>", "+", "++49", "-", "(.)",
        // Other schemes, and parts that are none.
        "http://spam.example", "mailto:bob@", "tel:bob", "tel:", "sip:@example.com", "bob@", "bob@exa mple.com",
        "bob@example.com, ann@example.com", "bob smith@example.com", "b%6@example.com", "sip:bob@[::1", "sip:bob@[bob]",
        "@exa mple", "@spam.example:5060", "@*.example", "@spam.example;x", "0900;0800*", "tel:+49900;x*", "+49 30 x*",
    ]

    @Test("What can be no caller is no entry", arguments: impossible)
    func wrong(entry: String) {
        #expect(!CallerList.accepts(entry))
    }

    @Test("A file has one entry a line, remarks, and wrong lines that are named")
    func file() {
        var list = CallerList(plan: NumberPlan(countryCode: "49"))
        let text = "# spam\r\n\r\n 030 123456 # twice\n+4930123456\nb\u{F6}se\n@x.example\n*\n+49900*\t# dear"
        let wrong = list.add(lines: Array(text.utf8))
        #expect(wrong.first.map(\.line) == [5, 7])
        #expect(wrong.sentences.first == "line 5: nothing that can be on a list; passed over")
        #expect(list.count == 3)
        #expect(has(list, "+4930123456") && has(list, "sip:a@x.example") && has(list, "+4990055"))
    }

    enum Kind: CaseIterable {
        case international, national, address, name

        func entry(_ number: Int) -> String {
            switch self {
            case .international: "+49\(3_000_000_000 + number * 7)"
            case .national: "0\(300_000_000 + number * 7)"
            case .address: "sip:user\(number * 7).name@host\(number % 5_000).example.com"
            case .name: "user\(number * 7).name"
            }
        }
    }

    @Test(
        "A hundred thousand entries are found, and nobody else, in little memory and as quickly as in a short list",
        arguments: Kind.allCases)
    func bulk(kind: Kind) {
        let plan = NumberPlan(countryCode: "49")
        let entries = (0..<100_000).map(kind.entry)
        var list = CallerList(plan: plan)
        let clock = ContinuousClock()
        let text = Array(entries.joined(separator: "\n").utf8)
        var lines = 0
        let reading = clock.measure { for byte in text where byte == UInt8(ascii: "\n") { lines += 1 } }
        let loading = clock.measure { #expect(list.add(lines: text).isEmpty) }
        #expect(list.count == 100_000 && lines == 99_999)
        for entry in entries where !has(list, entry) { Issue.record("\(entry) is missing") }
        for entry in entries where has(list, kind == .address ? "\(entry).org" : entry + "1") {
            Issue.record("\(entry) is found with more at its end")
        }
        // Less than 15 times, in a build that is optimized, too; what goes through all for each is far from it.
        #expect(loading / reading < 100, "loading takes \(loading / reading) times as long as counting lines")
        // The bytes of the file, and what finds them.
        #expect(list.octets < text.count + (3 << 20), "\(list.octets) bytes")

        var short = CallerList(plan: plan)
        for entry in entries.prefix(100) { short.add(entry) }
        let keys = entries.prefix(2_000).map { CallerKeys($0.utf8, plan: plan) }
        func time(_ list: CallerList) -> Duration {
            (0..<5).map { _ in clock.measure { _ = keys.count { list.contains($0) } } }.min() ?? .zero
        }
        let ratio = time(list) / time(short)
        // Not twice as much, had the machine nothing else to do; a search through all would be a thousand times.
        #expect(ratio < 20, "a look-up takes \(ratio) times as long")
        print(
            "\(kind): 100,000 entries, \(text.count) bytes, are loaded in \(loading), \(loading / reading) times what counting the "
                + "lines takes; \(list.octets) bytes, a look-up takes \(time(list) / keys.count)")
    }
}
