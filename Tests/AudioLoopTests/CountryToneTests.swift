import MediaDescription
import Testing

@testable import AudioLoop

@Suite("Tones of countries") struct CountryToneTests {
    /// What the loop's generator makes of a tone, from its beginning.
    private static func play(_ tone: Tone, _ tones: CallProgressTones, milliseconds: Int) -> [Int16] {
        var generator = ToneGenerator(tones)
        var mix = [Int32](repeating: 0, count: milliseconds * 48)
        mix.withUnsafeMutableBufferPointer { buffer in
            if let start = buffer.baseAddress { generator.add(tone.rawValue, to: start, buffer.count) }
        }
        return mix.map { Int16(clamping: $0) }
    }

    @Test(
        "Each sounds and is silent as long as its table says, and has its frequencies",
        arguments: CallProgressTones.countries)
    func measured(country: String) throws {
        let tones = try #require(CallProgressTones(country: country))
        let all: [(Tone, [ToneSegment])] = [
            (.ringBack, tones.ringBack), (.busy, tones.busy), (.congestion, tones.congestion),
            (.callWaiting, tones.callWaiting),
        ]
        for (tone, segments) in all {
            // As much as shows two changes, and no more than 1.5 s of each part.
            let shown = min(segments.reduce(0) { $0 + $1.milliseconds }, 3_000)
            let played = Self.play(tone, tones, milliseconds: shown)
            var begin = 0
            for segment in segments where begin < shown {
                let end = min(begin + segment.milliseconds, shown)
                // Without the soft edges.
                let part = played[(begin * 48 + 300)..<max(begin * 48 + 301, end * 48 - 300)]
                begin = end
                guard segment.hertz > 0 else {
                    #expect(part.allSatisfy { $0 == 0 }, "\(tone) is not silent before \(end) ms")
                    continue
                }
                let level = tone == .callWaiting ? 1_600.0 : 3_300
                try expect(segment, in: part, level: level, "\(tone) before \(end) ms")
            }
        }
    }

    private func expect(_ segment: ToneSegment, in part: ArraySlice<Int16>, level: Double, _ what: String) throws {
        // Whole periods of 5 Hz hold whole periods of every frequency here; short parts show less.
        let window = part.prefix(max(part.count / 9_600 * 9_600, min(part.count, 9_600)))
        let peak = Signals.peak(of: Double(segment.hertz), in: window)
        if segment.addedHertz > 0 {
            #expect(abs(peak / (level * 0.707) - 1) < 0.1, "\(what): \(peak)")
            #expect(
                abs(Signals.peak(of: Double(segment.addedHertz), in: window) / (level * 0.707) - 1) < 0.1, "\(what)")
        } else if segment.modulationHertz > 0 {
            #expect(abs(peak / (level / 1.85) - 1) < 0.1, "\(what): \(peak)")
            for side in [segment.hertz - segment.modulationHertz, segment.hertz + segment.modulationHertz] {
                let share = Signals.peak(of: Double(side), in: window) / peak
                #expect(abs(share - 0.425) < 0.06, "\(what): \(share)")
            }
        } else {
            #expect(abs(peak / level - 1) < 0.1, "\(what): \(peak)")
        }
    }

    @Test("A tone starts over at its end")
    func cycle() throws {
        let tones = try #require(CallProgressTones(country: "de"))
        let played = Self.play(.congestion, tones, milliseconds: 1_440)
        let cycle = 480 * 48
        // The first begins with the fade of the generator itself.
        #expect(Array(played[cycle..<(2 * cycle)]) == Array(played[(2 * cycle)...]))
    }

    @Test("Every table is fit for the loop", arguments: CallProgressTones.countries)
    func bounds(country: String) throws {
        let tones = try #require(CallProgressTones(country: country))
        for tone in [tones.ringBack, tones.busy, tones.congestion, tones.callWaiting] {
            #expect(2...CallProgressTones.mostSegments ~= tone.count)
            #expect(tone.count % 2 == 0)
            #expect(tone.allSatisfy { 40...15_000 ~= $0.milliseconds && 0...3_400 ~= $0.hertz })
            #expect(tone.enumerated().allSatisfy { ($0.element.hertz == 0) == ($0.offset % 2 == 1) })
        }
        #expect(ToneTable.capacity == CallProgressTones.mostSegments)
    }

    /// Ring-back, busy, congestion and call waiting: frequencies in Hz, and lengths of sound and silence in ms. Of the ITU's
    /// list of national tones (E.180 supplement 2 and its later editions), BT's SIN 350, Australia's S002 and New Zealand's
    /// TNA 102.
    private static let published: [(country: String, tones: [String])] = [
        ("at", ["420: 1000 5000", "420: 400 400", "420: 200 200", "420: 40 1950"]),
        ("au", ["413+438: 400 200 400 2000", "425: 375 375", "425: 375 375", "425: 200 200 200 4400"]),
        ("be", ["425: 1000 3000", "425: 500 500", "425: 167 167", "1400: 175 175 175 3500"]),
        ("ca", ["440+480: 2000 4000", "480+620: 500 500", "480+620: 250 250", "440: 300 10000"]),
        ("ch", ["425: 1000 4000", "425: 500 500", "425: 200 200", "425: 200 200 200 4000"]),
        ("cz", ["425: 1000 4000", "425: 330 330", "425: 165 165", "425: 330 9000"]),
        ("de", ["425: 1000 4000", "425: 480 480", "425: 240 240", "425: 200 200 200 5000"]),
        ("dk", ["425: 1000 4000", "425: 500 500", "425: 200 200", "425: 200 600 200 3000"]),
        ("es", ["425: 1500 3000", "425: 200 200", "425: 200 200 200 200 200 600", "425: 175 175 175 3500"]),
        ("fi", ["425: 1000 4000", "425: 300 300", "425: 200 200", "425: 150 150 150 8000"]),
        ("fr", ["440: 1500 3500", "440: 500 500", "440: 250 250", "440: 300 10000"]),
        ("gb", ["400+450: 400 200 400 2000", "400: 375 375", "400: 400 350 225 525", "400: 100 4000"]),
        ("gr", ["425: 1000 4000", "425: 300 300", "425: 200 200", "425: 150 150 150 8000"]),
        ("it", ["425: 1000 4000", "425: 500 500", "425: 200 200", "425: 400 100 250 100 150 14000"]),
        ("jp", ["400*16: 1000 2000", "400: 500 500", "400: 500 500", "400*16: 500 8000"]),
        ("nl", ["425: 1000 4000", "425: 500 500", "425: 250 250", "425: 500 9500"]),
        ("no", ["425: 1000 4000", "425: 500 500", "425: 200 200", "425: 200 600 200 10000"]),
        ("nz", ["400+450: 400 200 400 2000", "400: 500 500", "400: 250 250", "400: 200 3000"]),
        ("pl", ["425: 1000 4000", "425: 500 500", "425: 500 500", "425: 150 150 150 4000"]),
        ("se", ["425: 1000 5000", "425: 250 250", "425: 250 750", "425: 200 500 200 9100"]),
        ("us", ["440+480: 2000 4000", "480+620: 500 500", "480+620: 250 250", "440: 300 10000"]),
    ]

    @Test("Each country's tones are those that are published", arguments: published.map(\.country))
    func asPublished(country: String) throws {
        let tones = try #require(CallProgressTones(country: country))
        let expected = Self.published.first { $0.country == country }?.tones
        #expect(
            [tones.ringBack, tones.busy, tones.congestion, tones.callWaiting].map(Self.words) == expected)
    }

    @Test("No country is without its published tones")
    func allPublished() {
        #expect(Self.published.map(\.country) == CallProgressTones.countries.filter { $0 != "itu" })
    }

    private static func words(_ tone: [ToneSegment]) -> String {
        guard let first = tone.first else { return "" }
        let added = first.addedHertz > 0 ? "+\(first.addedHertz)" : ""
        let modulation = first.modulationHertz > 0 ? "*\(first.modulationHertz)" : ""
        let lengths = tone.map { "\($0.milliseconds)" }.joined(separator: " ")
        return "\(first.hertz)\(added)\(modulation): \(lengths)"
    }

    @Test("A country that nobody knows has none")
    func unknown() {
        #expect(CallProgressTones(country: "xx") == nil)
        #expect(CallProgressTones(country: "DE") == nil)
        #expect(CallProgressTones.countries.count >= 12)
    }
}
