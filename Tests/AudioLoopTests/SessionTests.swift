import AudioLoop
import Codecs
import Glibc
import MediaDescription
import Realtime
import SoundDevices
import Testing

/// Waits until `condition` holds, for two seconds at most.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<400 {
        if condition() { return true }
        usleep(5_000)
    }
    return condition()
}

@Suite("An audio session", .serialized) struct SessionTests {
    private func call(_ codec: Codec = .opus, held: Bool = false) throws -> CallAudio {
        try CallAudio(CallAudioConfiguration(codec: codec, receivePayloadType: 96), held: held, signalling: -1)
    }

    @Test("turns at true speed, encodes for its calls and acknowledges their gates")
    func turns() throws {
        let session = try AudioSession(capture: nil, playback: nil)
        defer { session.close() }
        let call = try call()
        guard let ends = call.takeNetworkEnds() else { throw Peer.Missing() }
        let again = call.takeNetworkEnds() != nil
        #expect(!again)
        try session.attach(call)
        usleep(300_000)
        let packets = call.statistics.encodedPackets
        #expect(packets >= 8 && packets <= 18)
        let request = call.requestGates(held: true, muted: false, earmuffed: false)
        #expect(!request.isSettled)
        #expect(eventually { call.gatesAreSettled })
        var words: [UInt32] = []
        while let packet = ends.outbound.pop() {
            if packet.kind == .settled { words.append(packet.gates) }
        }
        #expect(words.last == request.word)
        let statistics = session.statistics
        #expect(statistics.turns >= 20)
        #expect(statistics.work.longest > 0)
        #expect(session.periodMilliseconds == 10)
        #expect(session.scheduling.hasPrefix("SCHED_"))
    }

    @Test("acknowledges hold within two periods and 5 ms, usually")
    func holdIsQuick() throws {
        let session = try AudioSession(capture: nil, playback: nil)
        defer { session.close() }
        let call = try call()
        guard let ends = call.takeNetworkEnds() else { throw Peer.Missing() }
        try session.attach(call)
        #expect(eventually { call.gatesAreSettled && call.statistics.encodedPackets > 0 })
        var taken: [UInt64] = []
        for round in 0..<40 {
            let begun = LoopBench.now
            _ = call.requestGates(held: round % 2 == 0, muted: false, earmuffed: false)
            while !call.gatesAreSettled && LoopBench.now - begun < 1_000_000_000 { usleep(200) }
            taken.append(LoopBench.now - begun)
            _ = ends.outbound.removeAll()
            usleep(UInt32(7_000 + round * 330))
        }
        // The median: a busy machine may be late now and then.
        #expect(taken.sorted()[20] <= 25_000_000)
    }

    @Test("has a stack that is deep enough for Opus at its most complex", arguments: [10, 60])
    func stack(milliseconds: Int) throws {
        let path = "/tmp/handset-stack-\(getpid()).wav"
        defer { unlink(path) }
        let session = try AudioSession(capture: nil, playback: .file(input: nil, output: path), periodMilliseconds: 5)
        defer { session.close() }
        let call = try CallAudio(
            CallAudioConfiguration(
                codec: .opus, receivePayloadType: 96, packetMilliseconds: milliseconds,
                opus: OpusSettings(bitRate: 510_000, complexity: 10)), signalling: -1)
        guard let ends = call.takeNetworkEnds() else { throw Peer.Missing() }
        try session.attach(call)
        // What it says is played back to it.
        var sequence: UInt16 = 0
        for _ in 0..<100 {
            usleep(5_000)
            while let packet = ends.outbound.pop() {
                guard packet.count > 0 else { continue }
                var echo = InboundPacket()
                (echo.sequenceNumber, echo.payloadType, echo.timestamp) = (sequence, 96, packet.timestamp)
                (echo.payload, echo.count) = (packet.payload, packet.count)
                echo.arrival = LoopBench.now
                sequence &+= 1
                _ = ends.inbound.push(echo)
            }
        }
        #expect(call.statistics.decodedPackets >= 3)
        #expect(session.state == .running)
    }

    @Test("runs on any ALSA PCM: on one without a clock at no more than true speed")
    func nullDevice() throws {
        let session = try AudioSession(capture: .alsa("null"), playback: .alsa("null"), periodMilliseconds: 20)
        defer { session.close() }
        let call = try call(.pcmu)
        try session.attach(call)
        #expect(eventually { call.statistics.encodedPackets >= 10 })
        usleep(300_000)
        #expect(session.state == .running)
        #expect(call.statistics.encodedPackets < 150)
    }

    @Test("of requests at any moment leaves none unanswered")
    func requestsWhileAttaching() throws {
        let session = try AudioSession(capture: nil, playback: nil, periodMilliseconds: 5)
        defer { session.close() }
        let call = try call(.pcmu)
        guard let ends = call.takeNetworkEnds() else { throw Peer.Missing() }
        for round in 0..<40 {
            try session.attach(call)
            if round % 3 == 0 { usleep(UInt32(round) * 500) }
            _ = call.requestGates(held: round % 2 == 0, muted: false, earmuffed: false)
            session.detach(call)
            let last = call.requestGates(held: round % 4 == 0, muted: round % 3 == 0, earmuffed: false)
            #expect(last.isSettled || eventually { call.gatesAreSettled }, "round \(round)")
            _ = ends.outbound.removeAll()
        }
    }

    @Test("lets calls go and takes them again, and they go on in another session")
    func reattaching() throws {
        let call = try call(.pcmu)
        let first = try AudioSession(capture: nil, playback: nil)
        try first.attach(call)
        let second = try AudioSession(capture: nil, playback: nil)
        defer { second.close() }
        #expect(throws: AudioSessionError.callIsElsewhere) { try second.attach(call) }
        first.detach(call)
        try first.attach(call)
        #expect(eventually { call.statistics.encodedPackets > 0 })
        first.close()
        #expect(first.state == .stopped)
        let request = call.requestGates(held: true, muted: false, earmuffed: false)
        #expect(request.isSettled)
        try second.attach(call)
        #expect(throws: AudioSessionError.ended) { try first.attach(call) }
        let resumed = call.requestGates(held: false, muted: false, earmuffed: false)
        #expect(!resumed.isSettled)
        #expect(eventually { call.gatesAreSettled })
    }

    @Test("takes as many calls at once as calls.maximum_calls allows: sixteen")
    func full() throws {
        let session = try AudioSession(capture: nil, playback: nil)
        defer { session.close() }
        let calls = try (0..<17).map { _ in try call(.pcmu) }
        for call in calls.prefix(16) { try session.attach(call) }
        #expect(throws: AudioSessionError.tooManyCalls) { try session.attach(calls[16]) }
        session.detach(calls[0])
        #expect(eventually { (try? session.attach(calls[16])) != nil })
    }

    @Test("frees a call's memory when the loop has let it go")
    func frees() throws {
        let session = try AudioSession(capture: nil, playback: nil)
        defer { session.close() }
        weak var gone: CallAudio?
        do {
            let call = try call()
            gone = call
            try session.attach(call)
            session.detach(call)
        }
        #expect(
            eventually {
                _ = session.statistics
                return gone == nil
            })
    }

    @Test("says when it has ended")
    func notice() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let session = try AudioSession(capture: nil, playback: nil, signalling: ends[1])
        session.stop()
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(read(ends[0], &bytes, bytes.count) == 8)
        #expect(session.state == .stopped)
        session.close()
    }

    @Test("that cannot be opened says why")
    func failure() throws {
        #expect {
            _ = try AudioSession(
                capture: .file(input: "/nonexistent/in.wav", output: nil), playback: nil)
        } throws: { error in
            guard case AudioSessionError.device(let reason)? = error as? AudioSessionError else { return false }
            return reason.direction == .capture && reason.description.contains("/nonexistent/in.wav")
        }
    }

    @Test("records what it plays, the ringer included, until it is closed")
    func ringer() throws {
        let path = "/tmp/handset-ringer-\(getpid()).wav"
        defer { unlink(path) }
        let ringer = try RingerSession(device: .file(input: nil, output: path), ringing: Ringing())
        usleep(300_000)
        #expect(ringer.loss == nil)
        ringer.close()
        #expect(throws: AudioSessionError.self) {
            _ = try RingerSession(
                device: .file(input: nil, output: "/nonexistent/out.wav"), ringing: Ringing())
        }
    }
}
