import AllocationCounter
import Glibc
import Realtime
import Testing

@testable import SoundDevices

@Suite("Sound cards", .enabled(if: RigCard.isAvailable), .serialized, .timeLimit(.minutes(1))) struct CardTests {
    /// What a session of the copying loop came to.
    struct Session {
        var turns = 0
        var timeouts = 0
        var xruns = 0
        var recoveries = 0
        var isLost = false
        var fills: [Int] = []
        var lateness: [UInt64] = []
        var nominalFill = 0
        var allocations = 0
    }

    /// Copies microphone to loudspeaker on a thread for sound; `disturb` is called after each turn, with its number,
    /// `whileFailing` after each recovery.
    static func copy(
        capture: String?, playback: String?, turns: Int, milliseconds: Int = 10,
        disturb: @escaping @Sendable (Int) -> Void = { _ in }, whileFailing: @escaping @Sendable () -> Void = {}
    ) throws -> Session {
        let device = LockedValue(
            try DuplexDevice(
                capture: capture.map { .alsa($0) }, playback: playback.map { .alsa($0) },
                periodMilliseconds: milliseconds))
        let result = Result()
        let thread = try RealtimeThread(name: "loop") {
            var session = Session()
            session.fills.reserveCapacity(turns)
            session.lateness.reserveCapacity(turns)
            let device = UnsafePointer(device.pointer)
            let period = UnsafeMutableBufferPointer<Int16>.allocate(capacity: device.pointee.periodFrames)
            defer { period.deallocate() }
            try? device.pointee.start()
            allocation_counter_reset_thread()
            while session.turns < turns && session.timeouts < 5 && !session.isLost {
                switch copyTurn(device, period) {
                case .copied(let fill):
                    session.turns += 1
                    session.fills.append(fill)
                    session.lateness.append(device.pointee.lateness)
                    disturb(session.turns)
                case .timedOut: session.timeouts += 1
                case .lost: session.isLost = true
                case .recovered:
                    session.recoveries += 1
                    whileFailing()
                }
            }
            session.allocations = allocation_counter_mallocs() + allocation_counter_frees()
            session.xruns = device.pointee.xruns
            session.nominalFill = device.pointee.nominalFill
            device.pointee.stop()
            result.session = session
        }
        #expect(thread.join(timeoutMilliseconds: 30_000))
        return result.session
    }

    /// `@unchecked`: written before the thread ends, read after.
    private final class Result: @unchecked Sendable { var session = Session() }

    private let ramp = (0..<96_000).map { Int16(truncatingIfNeeded: $0 % 30_000 + 1) }

    /// By how many frames the loudspeaker follows the microphone, from the first sound on: nil where it is not constant.
    private func lag(of played: [Int16], behind heard: [Int16], tolerance: Int = 0) -> Int? {
        guard let first = played.firstIndex(where: { $0 != 0 }), let last = played.lastIndex(where: { $0 != 0 }),
            let source = heard.firstIndex(where: { abs(Int($0) - Int(played[first])) <= tolerance }), source <= first
        else { return nil }
        let delay = first - source
        let isExact = (first...last).allSatisfy { abs(Int(played[$0]) - Int(heard[$0 - delay])) <= tolerance }
        return isExact ? delay : nil
    }

    @Test("Sound passes from microphone to loudspeaker exact to the sample, two periods later", arguments: [5, 10, 20])
    func exact(milliseconds: Int) throws {
        let card = RigCard(capture: ramp)
        let name = "rig:FILE='\(card.path)'"
        let session = try Self.copy(
            capture: name, playback: name, turns: 500 / milliseconds, milliseconds: milliseconds)
        #expect(session.turns == 500 / milliseconds)
        #expect(session.timeouts == 0)
        // alsa-lib locks its plug-ins; nothing else does anything the loop must not.
        #expect(session.allocations == 0)
        guard session.xruns == 0 else { return }  // The machine stood still: nothing exact can be said.
        let found = lag(of: card.played, behind: ramp)
        let frames = try #require(found)
        // One period until it is captured, one that lies ahead, and what the machine takes to wake the loop.
        #expect((96 * milliseconds...144 * milliseconds).contains(frames))
    }

    @Test("What a card speaks is converted exactly", arguments: ["S32_LE", "S24_LE", "S24_3LE"], [1, 2])
    func formats(format: String, channels: Int) throws {
        let card = RigCard(capture: ramp)
        let name = "rig:FILE='\(card.path)',FORMAT=\(format),CHANNELS=\(channels)"
        let session = try Self.copy(capture: name, playback: name, turns: 20)
        #expect(session.turns == 20)
        guard session.xruns == 0 else { return }
        let found = lag(of: card.played, behind: ramp)
        #expect(found != nil)
    }

    @Test("A card that interrupts at other times than ours loses nothing", arguments: [128, 480, 1_024, 2_048])
    func foreignPeriods(period: Int) throws {
        // A busy machine may stand still for longer than lies ahead, but not again and again.
        for attempt in 1...3 {
            let card = RigCard(capture: ramp)
            let name = "rig:FILE='\(card.path)',PERIOD=\(period)"
            let session = try Self.copy(capture: name, playback: name, turns: 60)
            #expect(session.turns == 60)
            if session.xruns > 0 && attempt < 3 { continue }
            #expect(session.xruns == 0)
            let found = lag(of: card.played, behind: ramp)
            #expect(found != nil)
            break
        }
    }

    @Test(
        "The loop turns with the card's own periods, as near as they come to what was asked for",
        arguments: [(480, 5, 480), (240, 10, 480), (256, 5, 256), (256, 10, 512), (128, 5, 256), (960, 5, 960)])
    func adoptedPeriods(period: Int, milliseconds: Int, turn: Int) throws {
        let card = RigCard(capture: ramp)
        let name = DeviceName.alsa("rig:FILE='\(card.path)',PERIOD=\(period)")
        let device = try DuplexDevice(capture: name, playback: name, periodMilliseconds: milliseconds)
        let (frames, fill, remarks) = (device.periodFrames, device.nominalFill, device.remarks)
        #expect(frames == turn)
        #expect(fill == turn)
        #expect(remarks.isEmpty == (turn == 48 * milliseconds))
    }

    @Test("A card whose periods are too long for the loop is told of, with what it costs")
    func longPeriods() throws {
        let card = RigCard(capture: ramp)
        let name = DeviceName.alsa("rig:FILE='\(card.path)',PERIOD=1024")
        let device = try DuplexDevice(capture: name, playback: nil, periodMilliseconds: 5)
        let (frames, least, remarks) = (device.periodFrames, device.leastFill, device.remarks)
        #expect(frames == 240 && least == nil)
        #expect(
            remarks == [
                "\(name) has capture periods of 21.33 ms where 5 were asked for (audio.period_ms); "
                    + "sound waits up to 16.33 ms longer for it"
            ])
    }

    @Test("What may lie ahead is the loop's choice where a card says to the sample what it plays")
    func choice() throws {
        let card = RigCard(capture: ramp)
        let name = DeviceName.alsa("rig:FILE='\(card.path)'")
        let both = try DuplexDevice(capture: name, playback: name).leastFill
        let alone = try DuplexDevice(capture: nil, playback: name).leastFill
        #expect(both == 240 && alone == nil)
    }

    @Test("Plug-ins carry it too", arguments: ["plugrig", "floatrig"])
    func plugins(plugin: String) throws {
        let card = RigCard(capture: ramp)
        let name = "\(plugin):FILE='\(card.path)'"
        let session = try Self.copy(capture: name, playback: name, turns: 20)
        #expect(session.turns == 20)
        guard session.xruns == 0 else { return }
        let found = lag(of: card.played, behind: ramp, tolerance: 1)
        #expect(found != nil)
    }

    @Test("A card at another rate turns the loop at 48 kHz", arguments: [8_000, 16_000, 22_050, 44_100, 96_000])
    func rates(rate: Int) throws {
        let card = RigCard(capture: [Int16](repeating: 10_000, count: 2 * rate), rate: rate)
        let name = "rig:FILE='\(card.path)'"
        let start = ContinuousClock.now
        let session = try Self.copy(capture: name, playback: name, turns: 50)
        let taken = ContinuousClock.now - start
        #expect(session.turns == 50)
        #expect(taken > .milliseconds(450) && taken < .milliseconds(800))
        guard session.xruns == 0 else { return }
        let sound = card.played.filter { $0 > 9_900 && $0 < 10_100 }
        #expect(sound.count > rate * 2 / 5)
        let late = session.fills.dropFirst(5)
        #expect(late.allSatisfy { $0 > 0 })
        // A busy machine wakes the loop late once in a while; what stays must be one period.
        #expect(late.count { $0 > 480 + 48 } <= 3)
    }

    @Test("The loudspeaker alone paces the loop")
    func playbackOnly() throws {
        let card = RigCard(capture: ramp)
        let start = ContinuousClock.now
        let session = try Self.copy(capture: nil, playback: "rig:FILE='\(card.path)'", turns: 50)
        let taken = ContinuousClock.now - start
        #expect(session.turns == 50)
        #expect(taken > .milliseconds(450) && taken < .milliseconds(800))
        #expect(session.fills.dropFirst(2).allSatisfy { $0 <= session.nominalFill })
    }

    @Test("A loop that stood still loses time, is told, and goes on")
    func xrun() throws {
        let card = RigCard(capture: ramp)
        let name = "rig:FILE='\(card.path)'"
        let session = try Self.copy(capture: name, playback: name, turns: 40) { if $0 == 20 { usleep(200_000) } }
        #expect(session.turns == 40)
        #expect(!session.isLost)
        #expect(session.xruns >= 2)
        #expect(card.captureXruns >= 1)
        #expect(card.playbackXruns >= 1)
        #expect(session.fills.suffix(10).allSatisfy { $0 > 0 && $0 <= 3 * 480 })
    }

    @Test("A card tells to the sample how late the loop came")
    func lateness() throws {
        let card = RigCard(capture: ramp)
        let name = "rig:FILE='\(card.path)'"
        let session = try Self.copy(capture: name, playback: name, turns: 30) { if $0 == 20 { usleep(15_000) } }
        let late = try #require(session.lateness.dropFirst(20).first)
        // 15 ms after the last turn 5 ms of the next period but one are there; the card counts them in steps of its own.
        #expect(late >= 3_000_000 && late < 1_000_000_000)
        let least = try #require(session.lateness.prefix(20).min())
        #expect(least < 1_000_000)
    }

    @Test("A suspended card is resumed when it is awake, and that is no xrun")
    func suspended() throws {
        let card = RigCard(capture: ramp)
        let name = "rig:FILE='\(card.path)'"
        let awake = ContinuousClock.now + .milliseconds(300)
        let session = try Self.copy(
            capture: name, playback: name, turns: 60, disturb: { if $0 == 5 { card.suspend() } },
            whileFailing: { if ContinuousClock.now > awake { card.wake() } })
        #expect(ContinuousClock.now > awake)
        #expect(session.turns == 60 && !session.isLost)
        #expect(session.recoveries >= 10)
        #expect(session.xruns <= card.captureXruns + card.playbackXruns)
        #expect(session.fills.suffix(10).allSatisfy { $0 > 0 && $0 <= 3 * 480 })
    }

    @Test("A loudspeaker that takes sound and cannot be set going is lost after two seconds")
    func jammed() throws {
        let card = RigCard(capture: ramp)
        let name = "rig:FILE='\(card.path)'"
        let session = try Self.copy(capture: nil, playback: name, turns: 1_000) { if $0 == 10 { card.jam() } }
        #expect(session.isLost)
        #expect(50...250 ~= session.recoveries)
    }

    @Test("An unplugged card ends the session's device")
    func unplugged() throws {
        let card = RigCard(capture: ramp)
        let name = "rig:FILE='\(card.path)'"
        let session = try Self.copy(capture: name, playback: name, turns: 40) { if $0 == 10 { card.unplug() } }
        #expect(session.isLost)
        #expect(session.turns < 14)
    }

    @Test("A PCM without a clock does not make the loop spin")
    func null() throws {
        let start = ContinuousClock.now
        let session = try Self.copy(capture: "null", playback: "null", turns: 66)
        #expect(session.turns == 66)
        #expect(ContinuousClock.now - start > .milliseconds(450))
    }

    @Test("A device that is not there is named, with its direction")
    func missing() {
        let error = #expect(throws: SoundDeviceError.self) {
            _ = try Self.copy(capture: "null", playback: "hw:CARD=NoSuchCard", turns: 1)
        }
        #expect(error?.direction == .playback)
        #expect(error?.device == "alsa:hw:CARD=NoSuchCard")
        #expect(error?.description.hasPrefix("cannot open alsa:hw:CARD=NoSuchCard for playback: No such") == true)
    }

    @Test("Devices are listed by names that can be configured")
    func list() {
        for device in listDevices() {
            #expect(throws: Never.self) { _ = try DeviceName(parsing: device.name.description) }
            #expect(device.isCapture || device.isPlayback)
        }
        // Converters of alsa-plugins are in every configuration, and open only where there is a card to convert for.
        guard SoundCards().list().isEmpty else { return }
        #expect(
            !listDevices().contains { $0.name == .alsa("lavrate") || $0.name == .alsa("speexrate") })
    }
}

enum Copied: BitwiseCopyable {
    case copied(fill: Int)
    case timedOut, recovered, lost
}

/// A turn that only copies.
@_noLocks @_noAllocation
func copyTurn(_ device: UnsafePointer<DuplexDevice>, _ period: UnsafeMutableBufferPointer<Int16>) -> Copied {
    switch device.pointee.wait(timeoutMilliseconds: 500) {
    case .ready: break
    case .timedOut: return .timedOut
    case .failed(let code):
        switch device.pointee.recover(code) {
        case .again: return .recovered
        case .lost: return .lost
        }
    }
    _ = device.pointee.read(into: period)
    let fill = device.pointee.playbackFill()
    let written = device.pointee.write(UnsafeBufferPointer(period))
    guard written < 0 else { return .copied(fill: fill) }
    switch device.pointee.recover(written) {
    case .again: return .recovered
    case .lost: return .lost
    }
}
