import SIP
import Testing

@Suite("Header list") struct HeaderListTests {
    @Test(
        "Values are split at commas outside of quotes and angle brackets",
        arguments: [
            ("a", ["a"]), ("a, b ,c", ["a", "b", "c"]), (",a,,b,", ["a", "b"]), ("", []), (" , ", []),
            (#""a, b" <sip:x@y>, c"#, [#""a, b" <sip:x@y>"#, "c"]),
            ("<sip:a,b@c>,<sip:d>", ["<sip:a,b@c>", "<sip:d>"]),
            (#""quote \", not the end", b"#, [#""quote \", not the end""#, "b"]),
            (#""no end, b"#, [#""no end, b"#]), ("<no end, b", ["<no end, b"]), (#""ends in \"#, [#""ends in \"#]),
        ])
    func splitting(text: String, values: [String]) {
        var headers = HeaderList()
        headers.append(.contact, text)
        #expect(headers.values(.contact) == values)
    }

    @Test("Order is kept, a new topmost Via stands before the others")
    func order() {
        var headers = HeaderList()
        headers.append(.via, "second")
        headers.append(.to, "x")
        headers.append("v", "third")
        headers.prepend(.via, "first")
        #expect(headers.all(.via) == ["first", "second", "third"])
        #expect(headers.first(.via) == "first")
        #expect(headers.fields.map(\.name) == [.via, .via, .to, .via])
    }

    @Test("Set leaves one in the first one's place")
    func set() {
        var headers = HeaderList()
        headers.append(.expires, "1")
        headers.append(.to, "x")
        headers.append(.expires, "2")
        headers.set(.expires, "3")
        #expect(headers.fields.map(\.value) == ["3", "x"])
        headers.set(.subject, "new")
        #expect(headers.fields.map(\.value) == ["3", "x", "new"])
    }

    @Test("Removing takes one or all")
    func removal() {
        var headers = HeaderList()
        for value in ["1", "2", "3"] { headers.append(.route, value) }
        #expect(headers.removeFirst(.route) == "1")
        #expect(headers.all(.route) == ["2", "3"])
        headers.removeAll(.route)
        #expect(headers.removeFirst(.route) == nil)
        #expect(!headers.contains(.route))
    }
}
