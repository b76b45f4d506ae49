import CallModel
import CallSystem
import ControlProtocol
import EventLoop
import FoundationEssentials
import Glibc
import Screening
import Settings
import Testing
@testable import CallFakes
@testable import HandsetDaemon

/// What keeps the ringer silent: do-not-disturb, its hours, and the ringer's own switch.
extension ReceptionTests {
    @Test("Do-not-disturb keeps out until it is switched off; who takes a call over does not ring")
    @DaemonActor func doNotDisturb() throws {
        let reception = Reception(try settings("[dnd]\nthrough = [\"112\"]\n"), stateDirectory: folder)
        var events: [ControlEvent] = []
        reception.onEvent = { events.append($0) }
        #expect(reception.setDoNotDisturb(nil).active == false)
        #expect(reception.setDoNotDisturb(true).active)
        #expect(verdict(reception, "1").refusal == .init(answer: .busy, reason: .doNotDisturb))
        #expect(verdict(reception, "112").refusal == nil)
        #expect(verdict(reception, "1", replaces: CallID()).refusal == nil)
        reception.close()
        let second = Reception(Settings(), stateDirectory: folder)
        #expect(second.doNotDisturb.on)
        #expect(second.setDoNotDisturb(false).active == false)
        #expect(verdict(second, "1").refusal == nil)
        #expect(events == [.dndChanged(DoNotDisturbInfo(on: true, scheduled: false))])
    }

    @Test("Who switches do-not-disturb is told whether it stays so", arguments: [false, true])
    @DaemonActor func doNotDisturbSaved(lasts: Bool) async {
        let reception = Reception(Settings(), stateDirectory: lasts ? folder : nil)
        @DaemonActor func answer(_ on: Bool?) async -> DoNotDisturbInfo {
            await withCheckedContinuation { waiting in
                reception.setDoNotDisturb(on) { waiting.resume(returning: $0) }
            }
        }
        #expect(await answer(true) == DoNotDisturbInfo(on: true, scheduled: false, saved: lasts))
        #expect(await answer(true) == DoNotDisturbInfo(on: true, scheduled: false, saved: lasts))
        #expect(await answer(nil) == DoNotDisturbInfo(on: true, scheduled: false))
    }

    @Test("A silenced ringer is told of once, and stays silent over a restart")
    @DaemonActor func silent() throws {
        let reception = Reception(Settings(), stateDirectory: folder)
        var events: [ControlEvent] = []
        reception.onEvent = { events.append($0) }
        #expect(!reception.setSilent(nil).silent)
        #expect(reception.setSilent(true).silent && reception.setSilent(true).silent)
        reception.close()
        let second = Reception(Settings(), stateDirectory: folder)
        #expect(second.isSilent && second.ringer.silent)
        #expect(!second.setSilent(false).silent)
        #expect(events == [.ringerChanged(RingerInfo(silent: true))])
        second.close()
        #expect(!Reception(Settings(), stateDirectory: folder).isSilent)
    }

    @Test("Who silences the ringer is told whether it stays so", arguments: [false, true])
    @DaemonActor func silentSaved(lasts: Bool) async {
        let reception = Reception(Settings(), stateDirectory: lasts ? folder : nil)
        @DaemonActor func answer(_ silent: Bool?) async -> RingerInfo {
            await withCheckedContinuation { waiting in
                reception.setSilent(silent) { waiting.resume(returning: $0) }
            }
        }
        #expect(await answer(true) == RingerInfo(silent: true, saved: lasts))
        #expect(await answer(true) == RingerInfo(silent: true, saved: lasts))
        #expect(await answer(nil) == RingerInfo(silent: true))
    }

    @Test("The hours of the configuration are those of the clock on the wall")
    @DaemonActor func schedule() throws {
        let always = Reception(try settings("[dnd]\nschedule = [\"daily 0:00-24:00\"]\n"), stateDirectory: nil)
        #expect(always.doNotDisturb == DoNotDisturbInfo(on: false, scheduled: true))
        #expect(always.setDoNotDisturb(false).active == false)
        // 2024-07-01 10:30 UTC, a Monday; the machine's zone moves it by whole minutes at most a day.
        let moment = LocalMoment(at: Date(timeIntervalSince1970: 1_719_829_800))
        #expect(abs(moment.day * 1_440 + moment.minute - 1_719_829_800 / 60) <= 14 * 60)
    }

    @Test("What begins and ends by the hour is told of, and so is what a reload changes of it")
    @DaemonActor func scheduleEvents() throws {
        let clock = VirtualClock()
        let minute = LocalMoment(at: clock.date).minute
        func time(_ offset: Int) -> String {
            let minute = (minute + offset + 1_440) % 1_440
            return "\(minute / 60):\(minute % 60 < 10 ? "0" : "")\(minute % 60)"
        }
        let settings = try settings("[dnd]\nschedule = [\"daily \(time(2))-\(time(4))\"]\n")
        let reception = Reception(settings, stateDirectory: nil, clock: clock)
        var events: [ControlEvent] = []
        reception.onEvent = { events.append($0) }
        func expect(after seconds: Int, _ wanted: [DoNotDisturbInfo], line: Int = #line) {
            clock.run(.seconds(seconds))
            #expect(events == wanted.map { .dndChanged($0) }, "line \(line)")
            events = []
        }
        let (idle, quiet) = (
            DoNotDisturbInfo(on: false, scheduled: false), DoNotDisturbInfo(on: false, scheduled: true)
        )
        expect(after: 60, [])
        // Not later than a second after the minute has begun.
        expect(after: 60, [quiet])
        #expect(verdict(reception, "1").refusal?.reason == .doNotDisturb)
        #expect(reception.setDoNotDisturb(false) == idle)
        expect(after: 0, [idle])
        expect(after: 300, [])
        expect(after: 86_400 - 300, [quiet])
        expect(after: 120, [idle])
        let without = Settings()
        reception.reconfigure(settings, ListFiles(settings))
        expect(after: 0, [])
        let always = try self.settings("[dnd]\nschedule = [\"daily 8:00-8:00\"]\n")
        reception.reconfigure(always, ListFiles(always))
        expect(after: 0, [quiet])
        reception.reconfigure(without, ListFiles(without))
        expect(after: 86_400, [idle])
    }
}
