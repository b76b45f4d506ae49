import Testing

@testable import Screening

@Suite("Do not disturb") struct QuietHoursTests {
    /// 1970-01-05 is a Monday.
    private func moment(_ weekday: Int, _ hour: Int, _ minute: Int = 0) -> LocalMoment {
        LocalMoment(day: 4 + 7 * 2_900 + weekday, minute: hour * 60 + minute)
    }

    private func active(_ text: String, _ weekday: Int, _ hour: Int, _ minute: Int = 0) -> Bool {
        guard let hours = QuietHours(text) else {
            Issue.record("\(text) is not read")
            return false
        }
        return DoNotDisturb(schedule: [hours]).isActive(at: moment(weekday, hour, minute))
    }

    @Test("Hours of a day begin with their first minute and end before their last")
    func day() {
        #expect(!active("mon 13:00-15:00", 0, 12, 59))
        #expect(active("mon 13:00-15:00", 0, 13))
        #expect(active("mon 13:00-15:00", 0, 14, 59))
        #expect(!active("mon 13:00-15:00", 0, 15))
        #expect(!active("mon 13:00-15:00", 1, 14))
        #expect(active("daily 0:00-24:00", 6, 23, 59))
        #expect(active("sun 8:00-8:00", 6, 8) && active("sun 8:00-8:00", 0, 7, 59) && !active("sun 8:00-8:00", 0, 8))
    }

    @Test("Hours over midnight belong to the day on which they begin")
    func midnight() {
        #expect(active("fri 22:00-07:00", 4, 23))
        #expect(active("fri 22:00-07:00", 5, 6, 59))
        #expect(!active("fri 22:00-07:00", 5, 7))
        #expect(!active("fri 22:00-07:00", 4, 6))
        #expect(!active("fri 22:00-07:00", 5, 23))
        #expect(active("sun 22:00-07:00", 0, 3))
    }

    @Test("Days are names, ranges and lists")
    func days() {
        #expect(active("mon-fri 9:00-10:00", 4, 9) && !active("mon-fri 9:00-10:00", 5, 9))
        #expect(active("fri-mon 9:00-10:00", 6, 9) && !active("fri-mon 9:00-10:00", 2, 9))
        #expect(active("Tue,thu-fri 9:00-10:00", 1, 9) && !active("tue,thu-fri 9:00-10:00", 2, 9))
    }

    @Test(
        "What is no hours is none",
        arguments: [
            "", "mon", "22:00-07:00", "mon 22:00", "mon 24:00-07:00", "mon 22:60-23:00", "mon 22:00-24:01",
            "day 1:00-2:00",
            "mon- 1:00-2:00", "mon 1:00-2:00 x", "mon 1-2", "mon -1:00-2:00", "mon +1:00-2:00",
        ])
    func wrong(text: String) { #expect(QuietHours(text) == nil) }

    @Test("Switched on, it is on; switched off, the hours that have begun are over, the next ones are not")
    func switching() throws {
        let hours = try #require(QuietHours("daily 22:00-07:00"))
        var state = DoNotDisturb(schedule: [hours])
        #expect(!state.isActive(at: moment(0, 12)))
        state.set(true, at: moment(0, 12))
        #expect(state.isActive(at: moment(0, 13)) && !state.isScheduled(at: moment(0, 13)))
        state.set(false, at: moment(0, 23))
        #expect(!state.isActive(at: moment(0, 23, 30)))
        #expect(!state.isActive(at: moment(1, 6)))
        #expect(state.isActive(at: moment(1, 22)))
        // The end of summer time: the clock on the wall shows two hours once more.
        state.set(false, at: moment(1, 2, 50))
        #expect(!state.isActive(at: moment(1, 2)) && !state.isActive(at: moment(1, 2, 55)))
        #expect(state.isActive(at: moment(1, 22)))
        // A clock that was far ahead.
        state.set(false, at: moment(6, 23))
        #expect(state.isActive(at: moment(2, 23)))
    }
}
