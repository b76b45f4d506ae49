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

    @Test("A country that nobody knows has none")
    func unknown() {
        #expect(CallProgressTones(country: "xx") == nil)
        #expect(CallProgressTones(country: "DE") == nil)
        #expect(CallProgressTones.countries.count >= 12)
    }
}
