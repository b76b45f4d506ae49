import Playout
import SoundMeters
import Testing

@testable import AudioLoop

@Suite("A clock that is half a thousandth off is not heard") struct ClockDriftTests {
    /// A tone in packets of 20 ms by a sender's clock, through the jitter buffer and played at its pace as a call is; a codec
    /// would be heard itself.
    private struct Listener: ~Copyable {
        private static let turnSamples = 480
        /// What was played lies before what waits, as far as the pace looks back.
        private static let history = 32

        var buffer = JitterBuffer(clockRate: 48_000, turnSamples: turnSamples)
        private var paced = PacedSound()
        private var line = [Int16](repeating: 0, count: history)
        private(set) var heard: [Int16] = []
        /// Times that time was to be scaled, and samples that were made up.
        private(set) var scalings = 0
        private(set) var madeUp = 0
        private var now = 0.0
        /// Of a sample, while nobody listens.
        private var offset = 0.0
        private var sent = 0
        private let period: Double
        private let hertz: Double

        /// - Parameter partsPerMillion: what the sender's clock is faster.
        init(hertz: Double, partsPerMillion: Double) {
            self.hertz = hertz
            period = 960 / (1 + partsPerMillion / 1e6)
        }

        /// - Parameter listens: whether there is a tone, and what is heard is kept; else sound is only counted.
        mutating func turn(listens: Bool) {
            while Double(sent) * period <= now {
                let number = UInt16(truncatingIfNeeded: sent)
                let packet = PlayoutPacket(
                    sequenceNumber: number, timestamp: UInt32(truncatingIfNeeded: sent * 960), duration: 960,
                    age: Int(now - Double(sent) * period))
                let payload = [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
                _ = buffer.insert(packet, payload, payload.count, decoded: waiting)
                sent += 1
            }
            let pace = buffer.nextPace(decoded: waiting)
            let end = offset + Double(Self.turnSamples) * pace
            fill(
                listens ? paced.needed(Self.turnSamples, pace: pace) : Int(end) + JitterBuffer.lookahead,
                listens: listens)
            if buffer.scaling(decoded: waiting) != .none { scalings += 1 }
            if listens { listen(pace) } else { offset = end - Double(Int(end)) }
            line.removeFirst(listens ? paced.consumed : Int(end))
            buffer.advance(samples: Self.turnSamples, decoded: waiting)
            now += Double(Self.turnSamples)
        }

        private mutating func listen(_ pace: Double) {
            var sound = line
            sound.withUnsafeMutableBufferPointer { sound in
                guard let base = sound.baseAddress else { return }
                let voice = paced.turn(base + Self.history, Self.turnSamples, pace: pace)
                heard += UnsafeBufferPointer(start: voice, count: Self.turnSamples)
            }
        }

        private var waiting: Int { line.count - Self.history }

        private mutating func fill(_ wanted: Int, listens: Bool) {
            while waiting < wanted {
                let decision = buffer.decide(needed: wanted - waiting, decoded: waiting)
                switch decision {
                case .packet(let slot, let skip):
                    let bytes = buffer.payload(in: slot).bytes
                    // Their numbers have come round only after 20 minutes.
                    let first = (Int(bytes[0]) << 8 | Int(bytes[1])) * 960
                    for index in first + skip..<first + 960 {
                        line.append(listens ? Signals.wave(hertz, at: index, peak: 12_000) : 0)
                    }
                    buffer.carriedOut(decision, samples: 960)
                case .redundancy(_, let samples, _), .conceal(let samples, _), .bridge(let samples),
                    .pause(let samples), .silence(let samples):
                    line += [Int16](repeating: 0, count: samples)
                    madeUp += samples
                    buffer.carriedOut(decision, samples: samples)
                }
            }
        }
    }

    @Test("where it is the sender's", arguments: [500.0, -500], [440.0, 3_000])
    func sender(partsPerMillion: Double, hertz: Double) {
        var listener = Listener(hertz: hertz, partsPerMillion: partsPerMillion)
        for _ in 0..<6_000 { listener.turn(listens: false) }
        let (scalings, madeUp) = (listener.scalings, listener.madeUp)
        for _ in 0..<1_000 { listener.turn(listens: true) }
        #expect(listener.scalings == scalings && listener.madeUp == madeUp)
        // The first packet of it lies behind silence.
        check(listener.heard.dropFirst(4_800), hertz: hertz, partsPerMillion: partsPerMillion)
    }

    @Test("where it is the loudspeaker's, beside a microphone with one of its own", arguments: [500.0, -500])
    func loudspeaker(partsPerMillion: Double) {
        let loudspeaker = PlaybackClockTests.Loudspeaker()
        for turn in 0..<3_000 {
            loudspeaker.turn(partsPerMillion: partsPerMillion)
            // 2.5 ms, and one once the drift is known.
            #expect(abs(loudspeaker.fill) < (turn < 2_000 ? 120 : 48))
        }
        // A loudspeaker that is so much slower makes it the tone that it was.
        check(loudspeaker.heard.suffix(480_000), hertz: 440, partsPerMillion: partsPerMillion, peak: 10_000)
    }

    /// At 3 ppm sound is corrected now and then, and left alone in between.
    @Test("for an hour, in which less than 5 ms more or less ever lie ahead", arguments: [500.0, -3])
    func hour(partsPerMillion: Double) {
        let loudspeaker = PlaybackClockTests.Loudspeaker()
        var (least, most, begun, wasCorrecting) = (0.0, 0.0, 0, false)
        for turn in 0..<360_000 {
            loudspeaker.turn(
                partsPerMillion: partsPerMillion, unrest: [-6, 6, 0, 3, -3][turn % 5], isHeard: turn >= 359_000)
            (least, most) = (min(least, loudspeaker.fill), max(most, loudspeaker.fill))
            if loudspeaker.isCorrecting && !wasCorrecting { begun += 1 }
            wasCorrecting = loudspeaker.isCorrecting
        }
        #expect(least > -240 && most < 240, "\(least)...\(most)")
        #expect(partsPerMillion == 500 ? begun == 1 : begun > 5)
        // Before it lay silence.
        check(
            loudspeaker.heard.dropFirst(4_800), hertz: 440, partsPerMillion: partsPerMillion, peak: 10_000)
    }

    /// - Parameter partsPerMillion: what the tone is to be higher, by the clock that counts the samples.
    private func check(
        _ sound: some Collection<Int16>, hertz: Double, partsPerMillion: Double, peak: Double = 12_000
    ) {
        let meter = ToneMeter(sound, hertz: hertz)
        // A cent is what a practised ear tells at best, one tone after the other: 578 parts per million.
        let wanted = hertz * (1 + partsPerMillion / 1e6)
        #expect(abs(meter.pitches.lowest / wanted - 1) < 350e-6 && abs(meter.pitches.highest / wanted - 1) < 350e-6)
        // A twentieth of a decibel.
        #expect(meter.peaks.least > peak * 0.994 && meter.peaks.most < peak * 1.006)
        // Of which most is that the pitch moves during a block.
        #expect(meter.residual < -50, "\(meter)")
    }
}
