import ControlProtocol
import Testing

@Suite("Line framing") struct LineFramerTests {
    private func lines(_ text: String, limit: Int = 8, pieces: Int = .max) -> [LineFramer.Line] {
        var framer = LineFramer(limit: limit)
        var rest = Array(text.utf8)[...]
        var lines: [LineFramer.Line] = []
        while !rest.isEmpty {
            lines += framer.append(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
        }
        return lines
    }

    private func line(_ text: String) -> LineFramer.Line { .complete(Array(text.utf8)) }

    @Test("Lines come out whole however they arrive", arguments: [1, 2, 3, 100])
    func pieces(size: Int) {
        #expect(lines("one\ntwo\r\n\n\r\nthree\nrest", pieces: size) == [line("one"), line("two"), line("three")])
    }

    @Test("A line that is too long is reported once, and the next one is read", arguments: [1, 5, 100])
    func tooLong(size: Int) {
        #expect(lines("123456789ABCDEFGHIJ\nnext\n", pieces: size) == [.tooLong, line("next")])
    }

    @Test("The end of the stream ends the last line, where one has been begun and is not too long")
    func end() {
        let cases: [(text: String, last: [LineFramer.Line])] = [
            ("one\ntwo", [line("two")]), ("one\r", [line("one")]), ("one\n", []), ("123456789", []),
        ]
        for (text, last) in cases {
            var framer = LineFramer(limit: 8)
            _ = framer.append(Array(text.utf8))
            let ended = [framer.finish(), framer.finish()]
            #expect(ended == [last, []], "\(text)")
        }
    }

    @Test("A line of exactly the limit is taken")
    func limit() {
        #expect(lines("12345678\n") == [line("12345678")])
    }
}
