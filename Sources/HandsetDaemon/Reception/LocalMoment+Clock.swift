internal import FoundationEssentials
internal import Glibc
internal import Screening

extension LocalMoment {
    /// What the clock on the wall shows at `date`, in the time zone of the machine, also after that was changed.
    init(at date: Date) {
        var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        tzset()
        guard localtime_r(&seconds, &parts) != nil else {
            self.init(day: 0, minute: 0)
            return
        }
        // As if it were UTC: the number of the day on the wall.
        let onTheWall = Int(seconds) + parts.tm_gmtoff
        let day = onTheWall >= 0 ? onTheWall / 86_400 : (onTheWall - 86_399) / 86_400
        self.init(day: day, minute: (onTheWall - day * 86_400) / 60)
    }
}
