import Testing

@testable import CallRecording

@Suite("Where in a recording sound belongs") struct RecordingTimelineTests {
    private let second: UInt64 = 1_000_000_000

    @Test("Sound follows sound; what is missing in between is silence")
    func gaps() {
        var timeline = RecordingTimeline(now: 0)
        #expect(timeline.place(start: 10_000, count: 480, now: 0) == .init())
        #expect(timeline.place(start: 10_480, count: 480, now: 0) == .init())
        #expect(timeline.place(start: 12_000, count: 480, now: 0) == .init(silence: 1_040))
        #expect(timeline.frames == 2_480)
    }

    @Test("While nothing comes it follows the clock, a second behind; the sound that comes then is in its place")
    func idle() {
        var timeline = RecordingTimeline(now: 0)
        _ = timeline.place(start: 0, count: 480, now: 0)
        #expect(timeline.pass(until: second) == 0)
        #expect(timeline.pass(until: second + second / 4) == 0, "not for every few samples")
        #expect(timeline.pass(until: 2 * second) == 48_000)
        #expect(timeline.pass(until: 2 * second + 1) == 0)
        // The stream says that three seconds have passed.
        #expect(timeline.place(start: 144_480, count: 480, now: 3 * second) == .init(silence: 96_000))
        #expect(timeline.frames == 144_960)
    }

    @Test("Sound from before the first silence is over is not written twice")
    func overlap() {
        var timeline = RecordingTimeline(now: 0)
        _ = timeline.place(start: 0, count: 480, now: 0)
        #expect(timeline.pass(until: 3 * second) == 96_000)
        #expect(timeline.place(start: 96_000, count: 960, now: 3 * second) == .init(skipped: 480))
        #expect(timeline.place(start: 0, count: 480, now: 3 * second) == .init(skipped: 480))
        #expect(timeline.frames == 96_960)
    }

    @Test("One that begins in a hold has the hold's silence before the first sound")
    func beginsSilent() {
        var timeline = RecordingTimeline(now: 5 * second)
        #expect(timeline.pass(until: 7 * second) == 48_000)
        #expect(timeline.place(start: 999_999, count: 480, now: 8 * second) == .init())
        #expect(timeline.place(start: 1_000_479, count: 480, now: 8 * second) == .init())
        #expect(timeline.frames == 48_960)
    }

    @Test("A clock that goes back is none")
    func clock() {
        var timeline = RecordingTimeline(now: 10 * second)
        #expect(timeline.pass(until: 0) == 0 && timeline.pass(until: 10 * second) == 0)
    }
}

@Suite("Names of recordings") struct RecordingNameTests {
    @Test(
        "Time and party, of which only what a file's name may have",
        arguments: [
            ("sip:alice@example.com", "alice@example.com"), ("+49 30 123", "+49_30_123"), ("tel:+4930", "+4930"),
            ("../../etc/passwd", ".._.._etc_passwd"), ("", "unknown"), ("sip:", "unknown"), ("a\u{0}b\n", "a_b_"),
            ("SIP:bob@[2001:db8::1]:5070", "bob@_2001_db8__1__5070"), ("é", "__"),
        ])
    func names(handle: String, expected: String) {
        #expect(RecordingName.name(at: 1_796_047_502, with: handle) == "20261130T140502Z-\(expected)")
    }

    @Test("A long one is cut")
    func long() {
        #expect(RecordingName.cleaned(String(repeating: "x", count: 10_000)).count == 64)
    }

    @Test("The ending says the format")
    func formats() {
        #expect(RecordingFormat(ofFile: "a.WAV") == .wav && RecordingFormat(ofFile: "/x/a.opus") == .opus)
        #expect(RecordingFormat(ofFile: "a.ogg") == .opus && RecordingFormat(ofFile: "a.mp3") == nil)
        #expect(RecordingFormat(ofFile: "") == nil)
    }
}
