import ControlProtocol
import FoundationEssentials
import Testing

@Suite("JSON") struct JSONValueTests {
    private func parse(_ text: String) -> JSONValue? { try? JSONValue(parsing: Array(text.utf8)) }

    @Test(
        "What is JSON is read and written back",
        arguments: [
            "null", "true", "false", "0", "-1", "9223372036854775807", "1.5", "-0.25", "\"\"", "[]", "{}",
            "[1,[2,[]],{\"a\":null}]", "{\"b\":1,\"a\":\"x\"}", "\"\\\"\\\\\\n\\r\\t\\u0001\"", "\"äöü €😀\"",
        ])
    func roundTrip(text: String) {
        #expect(parse(text)?.text == text)
    }

    @Test("Other spellings of the same values are read")
    func spellings() {
        #expect(parse(" [ 1e2 , \"\\u00e4\\ud83d\\ude00\\/\\b\\f\" ] ") == .array([.number(100), "ä😀/\u{8}\u{C}"]))
        #expect(parse("1.0")?.integer == 1)
        #expect(parse("18446744073709551616")?.double == 18_446_744_073_709_551_616)
    }

    @Test(
        "What is not JSON is refused",
        arguments: [
            "", " ", "nul", "tru", "01", "-", "1.", ".5", "1e", "+1", "1e999", "\"", "\"\\x\"", "\"\\u12\"",
            "\"\u{1}\"",
            "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "[", "[1", "[1,]", "[,]", "{", "{\"a\"}", "{\"a\":}",
            "{\"a\":1,}", "{a:1}", "1 2", "[] x", "NaN", "'a'", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}",
            String(repeating: "1", count: 65),
        ])
    func refused(text: String) {
        #expect(parse(text) == nil)
    }

    @Test(
        "A string that is not UTF-8 is refused", arguments: [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xE2, 0x82]])
    func encoding(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22] + bytes + [0x22]) }
    }

    @Test("Sixteen levels are read, more are not, and a bomb is no trouble")
    func depth() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(parse(nested(JSONValue.maximumDepth)) != nil)
        #expect(parse(nested(JSONValue.maximumDepth + 1)) == nil)
        #expect(parse(String(repeating: "[", count: 65_536)) == nil)
        #expect(parse(String(repeating: "{\"a\":", count: 10_000)) == nil)
    }

    @Test("Milliseconds are written in thousandths, what is not finite as null")
    func thousandths() {
        #expect(JSONValue(thousandths: 1.23456).text == "1.235")
        #expect(JSONValue(thousandths: .infinity) == .null)
        #expect(JSONValue.number(.nan).text == "null")
        #expect(JSONValue(thousandths: nil) == .null)
    }

    @Test("Times are RFC 3339, UTC, in milliseconds")
    func times() {
        let date = Date(timeIntervalSince1970: 1_700_000_000.123)
        #expect(JSONValue(date).text == "\"2023-11-14T22:13:20.123Z\"")
        #expect(abs((JSONValue(date).date ?? .distantPast).timeIntervalSince(date)) < 0.001)
        #expect(JSONValue(nil as Date?) == .null)
        #expect(JSONValue(Date.distantFuture.addingTimeInterval(1e12)) == .null)
        #expect(JSONValue(Date(timeIntervalSince1970: -0.001)).text == "\"1969-12-31T23:59:59.999Z\"")
    }

    @Test("Every day has its date, leap days and turns of centuries included")
    func days() {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // About every eleventh day of four centuries, at an ever later time of day.
        for step in 0..<13_300 {
            let date = Date(timeIntervalSince1970: -2_208_988_800 + Double(step) * 950_461)
            #expect(JSONValue(date).string == format.format(date))
        }
    }

    @Test("Random bytes never trap")
    func noise() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("{}[]\",:\\u0019aefnrtl-+. \u{1}".utf8) + [0xC3, 0xA4, 0xFF]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            guard let value = try? JSONValue(parsing: bytes) else { continue }
            #expect((try? JSONValue(parsing: value.bytes)) == value)
        }
    }
}
