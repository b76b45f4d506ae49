import RTP
import Testing

/// Rates of sound and of events in Hz, until a change of codec and from it on.
private struct ClockChange {
    var old: (clock: Int, events: Int)
    var new: (clock: Int, events: Int)

    static let all: [ClockChange] = [
        ClockChange(old: (48_000, 48_000), new: (8_000, 8_000)),
        ClockChange(old: (8_000, 8_000), new: (48_000, 48_000)),
        ClockChange(old: (48_000, 8_000), new: (8_000, 8_000)),
        ClockChange(old: (8_000, 8_000), new: (48_000, 8_000)),
        ClockChange(old: (48_000, 48_000), new: (48_000, 8_000)),
        ClockChange(old: (8_000, 8_000), new: (8_000, 8_000)),
    ]
}

@Suite("Sending keys (RFC 4733)") struct DigitSenderTests {
    /// Runs packets of 20 ms at 8 kHz until the sender is done, and a few more.
    private func run(_ sender: inout DigitSender, packets: Int, from start: UInt32 = 0) -> [DigitSender.Packet] {
        (0..<packets).map { sender.next(timestamp: start &+ UInt32($0) * 160, duration: 160) }
    }

    @Test("A key has one timestamp, growing durations, its marker first and three ends")
    func key() {
        var sender = DigitSender(clockRate: 8_000)
        sender.enqueue("5")
        let sent = run(&sender, packets: 8, from: 1_000)
        let durations: [UInt16] = [160, 320, 480, 640, 800, 800, 800]
        for (index, duration) in durations.enumerated() {
            let event = TelephoneEvent(code: 5, end: index >= 4, duration: duration)
            #expect(sent[index] == .event(event, timestamp: 1_000, marker: index == 0))
        }
        #expect(sent[7] == .sound)
        #expect(sender.isFinished)
    }

    @Test("Keys are apart by the gap, a comma by two seconds, and other characters are left out")
    func several() {
        var sender = DigitSender(clockRate: 8_000)
        sender.enqueue("1x2,#")
        let sent = run(&sender, packets: 140)
        let starts = sent.indices.filter {
            if case .event(_, _, true) = sent[$0] { true } else { false }
        }
        // Seven packets of event and five of gap each; then 2 s of pause from the end of the gap.
        #expect(starts == [0, 12, 12 + 12 + 100])
        #expect(sender.isFinished)
    }

    @Test("A same key again has a new timestamp")
    func again() {
        var sender = DigitSender(clockRate: 8_000)
        sender.enqueue("77")
        let stamps = Set(
            run(&sender, packets: 40).compactMap { packet -> UInt32? in
                if case .event(_, let timestamp, _) = packet { timestamp } else { nil }
            })
        #expect(stamps.sorted() == [0, 1_920])
    }

    @Test("Beyond 16 bits a key goes on in segments, without another marker")
    func segments() {
        var sender = DigitSender(clockRate: 48_000, timing: .init(on: 3_000))
        sender.enqueue("9")
        var segments: [UInt32: UInt16] = [:]
        var markers = 0
        for index in 0..<160 {
            let packet = sender.next(timestamp: UInt32(index) * 960, duration: 960)
            guard case .event(let event, let timestamp, let marker) = packet else { continue }
            #expect(event.duration >= segments[timestamp] ?? 0)
            segments[timestamp] = event.duration
            if marker { markers += 1 }
        }
        #expect(segments[0] == 0xFFFF && segments[0xFFFF] == 0xFFFF)
        #expect(segments.values.reduce(0) { $0 + Int($1) } >= 144_000)
        #expect(markers == 1)
    }

    @Test("Where the events' clock is not the sound's, durations are in the one and timestamps in the other")
    func clocks() {
        var sender = DigitSender(clockRate: 48_000, eventRate: 8_000, timing: .init(on: 9_000))
        var receiver = DigitReceiver(clockRate: 48_000, eventRate: 8_000)
        sender.enqueue("5")
        var durations: [UInt32: [UInt16]] = [:]
        var heard: [DigitReceiver.Digit] = []
        for index in 0..<460 {
            let packet = sender.next(timestamp: UInt32(index) * 960, duration: 960)
            guard case .event(let event, let timestamp, _) = packet else { continue }
            durations[timestamp, default: []].append(event.duration)
            heard += receiver.receive(event, timestamp: timestamp, at: UInt64(index) * 20_000_000)
        }
        #expect(durations[0]?.prefix(3) == [160, 320, 480])
        #expect(durations.keys.sorted() == [0, 393_210 as UInt32])
        #expect(heard.map(\.digit) == ["5"])
        #expect(9_000...9_020 ~= heard.first?.milliseconds ?? 0)
    }

    @Test("Over a change of clock a key stays down for its time, and the next comes at its time", arguments: 0..<13)
    func changeOfClock(packets: Int) {
        for change in ClockChange.all {
            var sender = DigitSender(clockRate: change.old.clock, eventRate: change.old.events)
            sender.enqueue("12")
            let (before, after) = (UInt32(change.old.clock / 50), UInt32(change.new.clock / 50))
            let start: UInt32 = .max - 100
            var sent = (0..<packets).map { sender.next(timestamp: start &+ UInt32($0) * before, duration: before) }
            // As `StreamClock` does, so that no timestamp is used twice.
            let old = start &+ UInt32(packets) * before
            let new = old &+ before
            sender.changeClock(to: change.new.clock, eventRate: change.new.events, from: old, at: new)
            sent += (0..<30).map { sender.next(timestamp: new &+ UInt32($0) * after, duration: after) }
            // As without a change: the first key's packets, the gap, and the second's.
            let lengths = [20, 40, 60, 80, 100, 100, 100]
            for (index, packet) in sent.enumerated() {
                guard case .event(let event, let timestamp, let marker) = packet else {
                    #expect((7..<12).contains(index) || index >= 19, "packet \(index) is none of a key")
                    continue
                }
                let place = index < 12 ? index : index - 12
                let rate = index < packets ? change.old.events : change.new.events
                #expect(place < 7 && event.code == (index < 12 ? 1 : 2))
                #expect(place < 7 && Int(event.duration) * 1_000 / rate == lengths[place], "packet \(index)")
                #expect(event.end == (place >= 4) && marker == (place == 0))
                let begin = index < 12 ? 0 : 12
                let begun = begin < packets ? start &+ UInt32(begin) * before : new &+ UInt32(begin - packets) * after
                #expect(timestamp == begun)
            }
            #expect(sender.isFinished)
        }
    }

    @Test("A key so long that it does not fit the new clock's lengths goes on in segments")
    func changeOfClockInLongKey() {
        var sender = DigitSender(clockRate: 8_000, timing: .init(on: 3_000))
        sender.enqueue("9")
        for index in 0..<100 { _ = sender.next(timestamp: UInt32(index) * 160, duration: 160) }
        // Two seconds are 96,000 units now.
        sender.changeClock(to: 48_000, from: 16_000, at: 16_160)
        var segments: [UInt32: UInt16] = [:]
        for index in 0..<60 {
            let packet = sender.next(timestamp: 16_160 + UInt32(index) * 960, duration: 960)
            if case .event(let event, let timestamp, _) = packet { segments[timestamp] = event.duration }
        }
        #expect(segments.keys.sorted() == [0, 0xFFFF, 0x1_FFFE])
        #expect(segments.values.reduce(0) { $0 + Int($1) } == 144_000)
        #expect(sender.isFinished)
    }

    @Test("The last packet of a segment leaves three times, as that of a key does")
    func segmentEnds() {
        var sender = DigitSender(clockRate: 48_000, timing: .init(on: 2_000))
        sender.enqueue("4")
        var ends: [UInt32: Int] = [:]
        for index in 0..<120 {
            let packet = sender.next(timestamp: UInt32(index) * 960, duration: 960)
            guard case .event(let event, let timestamp, let marker) = packet else { continue }
            #expect(marker == (index == 0))
            if event.end || event.duration == 0xFFFF { ends[timestamp, default: 0] += 1 }
        }
        #expect(ends == [0: 3, 0xFFFF: 3])
        #expect(sender.isFinished)
    }

    @Test("Cancelling lets a key go that is down, with its three ends")
    func cancel() {
        var sender = DigitSender(clockRate: 8_000)
        sender.enqueue("12")
        _ = run(&sender, packets: 2)
        sender.cancel()
        #expect(!sender.isFinished)
        let rest = run(&sender, packets: 5, from: 320)
        let ends = rest.filter { if case .event(let event, _, _) = $0 { event.end } else { false } }
        #expect(ends.count == 3 && rest[3] == .sound)
        #expect(sender.isFinished)
    }

    @Test("Event codes and keys", arguments: Array("0123456789*#ABCD").enumerated().map { ($0.offset, $0.element) })
    func codes(code: Int, digit: Character) {
        #expect(TelephoneEvent.code(for: digit) == UInt8(code))
        #expect(TelephoneEvent.digit(for: UInt8(code)) == digit)
    }
}

@Suite("Receiving keys (RFC 4733)") struct DigitReceiverTests {
    private struct Sent {
        var code: UInt8 = 1
        var end = false
        var duration: UInt16
        var timestamp: UInt32 = 0
        var at: UInt64 = 0
    }

    private func run(_ sent: [Sent], until: UInt64 = 0) -> [DigitReceiver.Digit] {
        var receiver = DigitReceiver(clockRate: 8_000)
        var digits: [DigitReceiver.Digit] = []
        for one in sent {
            let event = TelephoneEvent(code: one.code, end: one.end, duration: one.duration)
            digits += receiver.receive(event, timestamp: one.timestamp, at: one.at * 1_000_000)
        }
        if let digit = receiver.expire(at: until * 1_000_000) { digits.append(digit) }
        return digits
    }

    @Test("Three ends are one key")
    func ends() {
        let sent =
            [160, 320, 480].map { Sent(duration: $0) } + Array(repeating: Sent(end: true, duration: 800), count: 3)
        #expect(run(sent, until: 1_000) == [.init(digit: "1", milliseconds: 100)])
    }

    @Test("One end alone is a key: everything before it was lost")
    func lostStart() { #expect(run([Sent(end: true, duration: 800)]) == [.init(digit: "1", milliseconds: 100)]) }

    @Test("A key whose ends were lost is let go after 150 ms, and late packets of it are nothing")
    func lostEnd() {
        #expect(run([Sent(duration: 640, at: 80)], until: 229) == [])
        #expect(run([Sent(duration: 640, at: 80)], until: 230) == [.init(digit: "1", milliseconds: 80)])
        var receiver = DigitReceiver(clockRate: 8_000)
        _ = receiver.receive(TelephoneEvent(code: 1, end: false, duration: 640), timestamp: 0, at: 0)
        _ = receiver.expire(at: 200_000_000)
        let late = receiver.receive(TelephoneEvent(code: 1, end: true, duration: 800), timestamp: 0, at: 200_000_001)
        #expect(late.isEmpty)
        #expect(receiver.deadline == nil)
    }

    @Test("The next key ends one whose ends were lost")
    func nextKey() {
        let digits = run([Sent(duration: 640), Sent(code: 2, end: true, duration: 800, timestamp: 1_600)])
        #expect(digits.map(\.digit) == ["1", "2"])
    }

    @Test("A same key again counts again; reordered packets count once")
    func orders() {
        let again = run([Sent(end: true, duration: 800), Sent(end: true, duration: 800, timestamp: 1_600)])
        #expect(again.count == 2)
        let reordered = run([
            Sent(duration: 480), Sent(duration: 160), Sent(end: true, duration: 800), Sent(duration: 640),
            Sent(code: 2, duration: 160, timestamp: 1_600), Sent(end: true, duration: 800),
            Sent(code: 2, end: true, duration: 800, timestamp: 1_600),
        ])
        #expect(reordered.map(\.digit) == ["1", "2"])
    }

    @Test("Segments are one long key")
    func segments() {
        let digits = run([
            Sent(duration: 0xFFFF), Sent(duration: 160, timestamp: 0xFFFF),
            Sent(end: true, duration: 14_465, timestamp: 0xFFFF),
        ])
        #expect(digits == [.init(digit: "1", milliseconds: 10_000)])
    }

    @Test("Segments are one long key also where the last packet of one is lost")
    func lostBorder() {
        let digits = run([
            Sent(duration: 0xFF00), Sent(duration: 160, timestamp: 0xFFFF),
            Sent(end: true, duration: 14_465, timestamp: 0xFFFF),
        ])
        #expect(digits == [.init(digit: "1", milliseconds: 10_000)])
    }

    @Test("Codes that are no key, and payloads too short for an event, are nothing")
    func strange() {
        #expect(run([Sent(code: 16, end: true, duration: 800), Sent(code: 255, end: true, duration: 1)]).isEmpty)
        let short: [UInt8] = [1, 0x80, 0]
        #expect(TelephoneEvent(parsing: short.span) == nil)
        let whole: [UInt8] = [1, 0x8A, 3, 0x20]
        #expect(TelephoneEvent(parsing: whole.span) == TelephoneEvent(code: 1, end: true, duration: 800))
    }

    @Test("A sender whose clock jumped back is heard again")
    func jump() {
        let digits = run([
            Sent(end: true, duration: 800, timestamp: 1_000_000), Sent(code: 3, end: true, duration: 800, timestamp: 5),
        ])
        #expect(digits.map(\.digit) == ["1", "3"])
    }

    @Test("Over a change of clock a key is heard once, and one that is earlier by its timestamp is another one")
    func changeOfClock() {
        for isOver in [false, true] {
            var receiver = DigitReceiver(clockRate: 8_000)
            func hear(_ event: TelephoneEvent, _ timestamp: UInt32) -> [DigitReceiver.Digit] {
                receiver.receive(event, timestamp: timestamp, at: 0)
            }
            let first = hear(TelephoneEvent(code: 1, end: isOver, duration: 800), 40_000)
            receiver.changeClock(to: 48_000)
            let end = hear(TelephoneEvent(code: 1, end: true, duration: 4_800), 40_000)
            #expect(first + end == [.init(digit: "1", milliseconds: 100)])
            #expect(hear(TelephoneEvent(code: 2, end: true, duration: 4_800), 8_000).map(\.digit) == ["2"])
            // Of this clock, it is a packet that comes late.
            #expect(hear(TelephoneEvent(code: 3, end: true, duration: 4_800), 7_000).isEmpty)
        }
    }

    @Test("What the sender sends the receiver hears, each second packet lost")
    func pair() {
        var sender = DigitSender(clockRate: 48_000)
        var receiver = DigitReceiver(clockRate: 48_000)
        sender.enqueue("0123456789*#ABCD")
        var heard = ""
        for index in 0..<400 {
            let packet = sender.next(timestamp: UInt32(index) * 960, duration: 960)
            let now = UInt64(index) * 20_000_000
            if case .event(let event, let timestamp, _) = packet, index % 2 == 0 {
                heard += receiver.receive(event, timestamp: timestamp, at: now).map(\.digit)
            }
            if let digit = receiver.expire(at: now) { heard.append(digit.digit) }
        }
        #expect(heard == "0123456789*#ABCD")
    }
}
