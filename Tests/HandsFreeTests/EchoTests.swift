import Testing

@testable import HandsFree

/// What the speakerphone owes to the other party, in rooms that are computed.
@Suite("Echo") struct EchoTests {
    static func far(seconds: Double) -> [Float] {
        var voice = Voice(seed: 5)
        return voice.speak(seconds: seconds)
    }

    static func near(seconds: Double, level: Double = 1_500) -> [Float] {
        var voice = Voice(seed: 77, pitch: 210, formants: 1.15)
        return voice.speak(seconds: seconds, level: level)
    }

    /// Of so many seconds of the other party alone: how much quieter the echo is than the microphone heard it.
    static func reduction(_ scene: EchoScene, _ sent: [Int16], _ seconds: Range<Double>) -> Double {
        EchoScene.decibels(
            EchoScene.energy(scene.microphone, seconds) / EchoScene.energy(sent, seconds))
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var reverberation: Double
        var gain: Double
        /// What the devices do not tell of their delay.
        var delayMilliseconds: Int
        var testDescription: String {
            "\(reverberation) s of reverberation, echo at \(gain), \(delayMilliseconds) ms late"
        }
    }

    @Test(
        "is 30 dB down after three seconds of the other party",
        arguments: [
            Case(reverberation: 0.2, gain: 0.5, delayMilliseconds: 5),
            Case(reverberation: 0.3, gain: 1, delayMilliseconds: 20),
            Case(reverberation: 0.45, gain: 0.3, delayMilliseconds: 60),
            Case(reverberation: 0.6, gain: 0.5, delayMilliseconds: 100),
            Case(reverberation: 0.3, gain: 2, delayMilliseconds: 200),
        ])
    func convergence(_ room: Case) {
        var walls = Room()
        walls.reverberation = room.reverberation
        let response = walls.response(milliseconds: 300, gain: room.gain, delay: room.delayMilliseconds * 48)
        let scene = EchoScene(far: Self.far(seconds: 7), room: response)
        var canceller = HandsFree(period: 480)
        let sent = scene.run(&canceller)
        #expect(Self.reduction(scene, sent, 3..<5) >= 30)
        #expect(Self.reduction(scene, sent, 5..<7) >= 30)
    }

    /// Without plain walls: noise that dies away is as rough as rooms are, and is longer than the filter.
    @Test(
        "is 30 dB down where it is mostly reverberation", arguments: [(0.6, 1, UInt64(4)), (0.7, 0.3, 5)])
    func reverberation(seconds: Double, gain: Double, seed: UInt64) {
        let response = Room.tail(reverberation: seconds, gain: gain, seed: seed)
        var voice = Voice(seed: seed, pitch: 180, formants: 1.1)
        let scene = EchoScene(far: voice.speak(seconds: 7), room: response)
        var canceller = HandsFree(period: 480)
        let sent = scene.run(&canceller)
        #expect(Self.reduction(scene, sent, 3..<5) >= 30)
        #expect(Self.reduction(scene, sent, 5..<7) >= 30)
    }

    @Test("stays down where clocks are not quite one", arguments: [(5.0, 33.0), (-5, 33), (20, 27), (-20, 27)])
    func skew(partsPerMillion: Double, least: Double) {
        let response = Room().response(milliseconds: 250, gain: 0.5)
        let far = Self.far(seconds: 10)
        var scene = EchoScene(far: far, room: response)
        scene.echo = Self.resampled(scene.echo, partsPerMillion)
        var canceller = HandsFree(period: 480)
        let sent = scene.run(&canceller)
        #expect(Self.reduction(scene, sent, 3..<10) >= least)
    }

    private static func resampled(_ sound: [Float], _ partsPerMillion: Double) -> [Float] {
        (0..<sound.count).map { index in
            let place = Double(index) * (1 + partsPerMillion / 1e6)
            let whole = Int(place)
            guard whole + 1 < sound.count else { return 0 }
            return sound[whole] + Float(place - Double(whole)) * (sound[whole + 1] - sound[whole])
        }
    }

    @Test("is 20 dB down where the loudspeaker is overdriven, which no linear filter follows")
    func clipping() {
        let response = Room().response(milliseconds: 250, gain: 0.5)
        let far = Self.far(seconds: 10)
        var scene = EchoScene(far: far, room: response)
        // What the loudspeaker makes of it: the loudest tenth of its amplitude is cut off.
        let most = 0.5 * far.reduce(0) { max($0, abs($1)) }
        scene.echo = EchoScene.convolve(far.map { max(-most, min(most, $0)) }, response)
        var canceller = HandsFree(period: 480)
        let sent = scene.run(&canceller)
        #expect(Self.reduction(scene, sent, 4..<10) >= 20)
    }

    @Test("is down again within two seconds after its way has changed")
    func pathChange() {
        let walls = Room()
        var others = walls
        others.microphone = (x: 2.6, y: 3.1, z: 1.2)
        let far = Self.far(seconds: 10)
        var scene = EchoScene(far: far, room: walls.response(milliseconds: 250, gain: 0.5))
        let other = EchoScene.convolve(far, others.response(milliseconds: 250, gain: 0.6))
        for index in 5 * 48_000..<far.count { scene.echo[index] = other[index] }
        var canceller = HandsFree(period: 480)
        let sent = scene.run(&canceller)
        #expect(Self.reduction(scene, sent, 3..<5) >= 30)
        #expect(Self.reduction(scene, sent, 7..<8) >= 30)
        #expect(Self.reduction(scene, sent, 8..<10) >= 30)
    }

    @Test("What is told of it is not told of a way that is no more", arguments: [0, 0.6])
    func toldAfterChange(gain: Double) {
        var others = Room()
        others.microphone = (x: 2.6, y: 3.1, z: 1.2)
        let far = Self.far(seconds: 10)
        var scene = EchoScene(far: far, room: Room().response(milliseconds: 250, gain: 0.5))
        // Another way, or none: a microphone that is switched off.
        let other = EchoScene.convolve(far, gain == 0 ? [0] : others.response(milliseconds: 250, gain: gain))
        for index in 5 * 48_000..<far.count { scene.echo[index] = other[index] }
        var canceller = HandsFree(period: 480)
        var told: [EchoFigures] = []
        let sent = scene.run(&canceller) { told.append($0) }
        #expect(told[499].isConverged && told[499].reduction > 1_000)
        // The canceller needs a fifth of a second to find it out, in which it is of no use.
        #expect(Self.reduction(scene, sent, 5..<5.2) < 10)
        #expect(!told[530].isConverged && told[530].reduction < 100)
        #expect(gain == 0 ? told[999].reduction == 0 : told[999].reduction > 1_000)
        #expect(told[999].isConverged == (gain > 0))
    }

    @Test("Who speaks here while the other party speaks is sent", arguments: [0.25, 0.5, 1.0])
    func doubleTalk(gain: Double) {
        let response = Room().response(milliseconds: 250, gain: gain)
        var near = [Float](repeating: 0, count: 12 * 48_000)
        for (index, sample) in Self.near(seconds: 6).enumerated() { near[4 * 48_000 + index] = sample }
        let scene = EchoScene(far: Self.far(seconds: 12), room: response, near: near)
        var canceller = HandsFree(period: 480)
        let sent = scene.run(&canceller)
        // By less than 3 dB: what there is of it in what is sent.
        #expect(Self.share(of: near, in: sent, canceller.latency, 4.5..<10) > -3)
        // And the echo is where it was as soon as nobody speaks here.
        #expect(Self.reduction(scene, sent, 10.3..<12) >= 30)
    }

    @Test("Of who speaks loudly here, nothing makes the way look changed", arguments: [UInt64(77), 78])
    func noFalseChange(seed: UInt64) {
        let response = Room().response(milliseconds: 250, gain: 0.5)
        var voice = Voice(seed: seed, pitch: 210, formants: 1.15)
        var near = [Float](repeating: 0, count: 10 * 48_000)
        for (index, sample) in voice.speak(seconds: 6, level: 3_000).enumerated() { near[4 * 48_000 + index] = sample }
        let scene = EchoScene(far: Self.far(seconds: 10), room: response, near: near)
        var filter = EchoFilter(milliseconds: HandsFree.tailMilliseconds)
        let microphone = scene.microphone.map(Float.init)
        var (error, echo) = ([Float](repeating: 0, count: 240), [Float](repeating: 0, count: 240))
        var before = 0
        for start in stride(from: 0, to: microphone.count - 239, by: 240) {
            if start == 4 * 48_000 { before = filter.changes }
            filter.process(
                reference: Array(scene.far[start..<start + 240]), microphone: Array(microphone[start..<start + 240]),
                error: &error, echo: &echo)
        }
        #expect(filter.changes == before)
    }

    /// Somebody else plays the same, later and with turns of its phase that no filter follows: the strongest likeness is there.
    @Test("What was found of it is not given up for what is like it")
    func noFalseMove() {
        let far = Self.far(seconds: 10)
        var random = Noise(seed: 7)
        var sign: Float = 1
        var near = [Float](repeating: 0, count: far.count)
        for index in 4 * 48_000..<7 * 48_000 {
            if index % 480 == 0 { sign = random.next() < 0.5 ? -2 : 2 }
            near[index] = sign * far[index - 150 * 48]
        }
        let scene = EchoScene(far: far, room: Room().response(milliseconds: 250, gain: 0.5), near: near)
        var canceller = HandsFree(period: 480)
        var delays: Set<Int> = []
        let sent = scene.run(&canceller) { delays.insert($0.delaySamples) }
        #expect(delays.allSatisfy { $0 < 20 * 48 })
        #expect(Self.reduction(scene, sent, 7.5..<10) >= 30)
    }

    /// How loud `near` is within `sent`, in dB: the projection of the one on the other.
    static func share(of near: [Float], in sent: [Int16], _ latency: Int, _ seconds: Range<Double>) -> Double {
        var (product, energy) = (0.0, 0.0)
        for index in Int(seconds.lowerBound * 48_000)..<Int(seconds.upperBound * 48_000) {
            let (x, y) = (Double(near[index - latency]), Double(sent[index]))
            product += x * y
            energy += x * x
        }
        return 2 * EchoScene.decibels(max(product / energy, 1e-9))
    }

    @Test("Where there is none, both may talk as if no canceller were there")
    func cleanDoubleTalk() {
        let near = Self.near(seconds: 10)
        let scene = EchoScene(far: Self.far(seconds: 10), room: [0], near: near, noiseLevel: 1)
        var canceller = HandsFree(period: 480)
        let sent = scene.run(&canceller)
        let share = Self.share(of: near, in: sent, canceller.latency, 2..<10)
        #expect(share > -1)
    }

    @Test("Periods of any length give the same sound", arguments: [240, 336, 480, 528, 720, 960])
    func periods(period: Int) {
        let response = Room().response(milliseconds: 150, gain: 0.5)
        var scene = EchoScene(far: Self.far(seconds: 5), room: response)
        var reference = HandsFree(period: 480)
        let wanted = scene.run(&reference)
        scene.period = period
        var canceller = HandsFree(period: period)
        let sent = scene.run(&canceller)
        let late = canceller.latency - reference.latency
        #expect(late == (period % 240 == 0 ? 0 : 240))
        let count = 4 * 48_000
        #expect(Array(sent[late..<late + count]) == Array(wanted[0..<count]))
    }

    @Test("is found where it is: the delay is told")
    func delay() {
        let response = Room().response(milliseconds: 150, gain: 0.5, delay: 30 * 48)
        let scene = EchoScene(far: Self.far(seconds: 5), room: response)
        var canceller = HandsFree(period: 480)
        _ = scene.run(&canceller)
        let milliseconds = Double(canceller.figures.delaySamples + HandsFree.leadSamples) / 48
        #expect(canceller.figures.isConverged)
        #expect(25...36 ~= milliseconds)
    }
}
