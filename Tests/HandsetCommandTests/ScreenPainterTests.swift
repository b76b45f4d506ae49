import TerminalScreen
import Testing

@testable import HandsetCommand

@Suite("Drawing on a terminal") struct ScreenPainterTests {
    private let look = Look(isUTF8: true, hasColour: true)
    private let size = ScreenPainter.Size(columns: 12, rows: 4)

    private func lines(_ texts: String...) -> [ScreenLine] { texts.map { ScreenLine($0, .bad, look) } }

    @Test("Only lines that have changed are written, and they are written whole")
    func changes() {
        var (painter, screen) = (ScreenPainter(), TerminalScreen(columns: 12, rows: 4))
        screen.feed(painter.paint(lines("one", "a long second line", "three"), size))
        #expect(screen.lines == ["one", "a long seco…", "three", ""])
        screen.forgetWrites()
        screen.feed(painter.paint(lines("one", "2", "three", "four"), size))
        #expect(screen.lines == ["one", "2", "three", "four"])
        #expect(screen.written == [1, 3])
        #expect(painter.paint(lines("one", "2", "three", "four"), size).isEmpty)
        screen.feed(painter.paint(lines("one"), size))
        #expect(screen.lines == ["one", "", "", ""])
        #expect(screen.unknown.isEmpty)
    }

    @Test("A new size, and a screen that is not known any more, are drawn whole")
    func whole() {
        var (painter, screen) = (ScreenPainter(), TerminalScreen(columns: 12, rows: 4))
        screen.feed(painter.paint(lines("one", "日本語日本語日本語"), size))
        #expect(screen.lines[1] == "日本語日本…")
        screen.resize(columns: 5, rows: 2)
        screen.feed(painter.paint(lines("one", "日本語日本語日本語", "three"), .init(columns: 5, rows: 2)))
        #expect(screen.lines == ["one", "日本…"])
        painter.forget()
        screen = TerminalScreen(columns: 5, rows: 2)
        screen.feed(painter.paint(lines("one", "two"), .init(columns: 5, rows: 2)))
        #expect(screen.lines == ["one", "two"])
    }

    @Test("A line of all columns keeps its last one")
    func full() {
        var (painter, screen) = (ScreenPainter(), TerminalScreen(columns: 12, rows: 4))
        screen.feed(painter.paint(lines("123456789012"), size))
        #expect(screen.lines[0] == "123456789012")
        screen.feed(painter.paint(lines("12345678901x"), size))
        #expect(screen.lines[0] == "12345678901x")
    }

    @Test("After any sequence of frames the screen is as if only the last had been drawn")
    func random() {
        var generator = SystemRandomNumberGenerator()
        var (painter, screen) = (ScreenPainter(), TerminalScreen(columns: 12, rows: 4))
        for _ in 0..<300 {
            let frame = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                let text = (0..<Int.random(in: 0...15, using: &generator)).map { _ in "ab 日é…".randomElement() ?? "x" }
                return ScreenLine(String(text), [.plain, .bad, .reverse].randomElement() ?? .dim, look)
            }
            screen.feed(painter.paint(frame, size))
            var (fresh, reference) = (ScreenPainter(), TerminalScreen(columns: 12, rows: 4))
            reference.feed(fresh.paint(frame, size))
            #expect(screen.lines == reference.lines)
        }
        #expect(screen.unknown.isEmpty)
    }

    @Test(
        "Columns are counted as terminals count them",
        arguments: [("abc", 3), ("日本", 4), ("e\u{301}", 1), ("😀", 2), ("", 0)])
    func widths(text: String, columns: Int) {
        #expect(TextWidth.columns(text) == columns)
    }

    @Test("Keys are read from what terminals send, in any pieces")
    func keys() {
        var decoder = KeyDecoder()
        let sent = "a\u{1B}[A\u{1B}OB\u{1B}[1;5C\r\u{7F}\u{C}ü日\u{1B}q\u{0}\t"
        let keys: [Key] = [
            .character("a"), .up, .down, .enter, .backspace, .control("l"), .character("ü"), .character("日"), .escape,
            .character("q"), .down,
        ]
        #expect(decoder.take(Array(sent.utf8)) == keys)
        #expect(sent.utf8.flatMap { decoder.take([$0]) } == keys)
        #expect(decoder.take([0x1B]).isEmpty && decoder.isWaiting)
        #expect(decoder.flush() == [.escape] && !decoder.isWaiting)
        #expect(decoder.take([0xFF, 0xC0, 0x80, 0x61]) == [.character("a")])
        _ = decoder.take([0x1B, 0x5B] + Array(repeating: 0x30, count: 5_000))
        #expect(!decoder.isWaiting)
        // Also what is too long for a sequence is read the same in any pieces.
        for digits in 25...45 {
            let sent = [0x1B, 0x5B] + Array(repeating: 0x30, count: digits) + Array("Ax".utf8)
            var other = KeyDecoder()
            #expect(other.take(sent) == sent.flatMap { decoder.take([$0]) })
        }
    }

    @Test("No two commands share a key, and every command has one")
    func table() {
        let keys = MonitorKey.all.flatMap(\.keys)
        #expect(Set(keys).count == keys.count)
        #expect(Set(MonitorKey.all.map(\.command)) == Set(MonitorCommand.allCases))
    }
}
