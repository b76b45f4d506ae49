/// A moment as the clock on the wall shows it.
public struct LocalMoment: Sendable, Hashable {
    /// Days since 1970-01-01.
    public var day: Int
    /// Of the day, 0...1439.
    public var minute: Int

    public init(day: Int, minute: Int) {
        self.day = day
        self.minute = minute
    }

    /// 0 is Monday.
    var weekday: Int { ((day + 3) % 7 + 7) % 7 }
    var total: Int { day * 1_440 + minute }
}

/// Hours of certain days during which nobody wants to be disturbed, such as `mon-fri 22:00-07:00`.
///
/// Hours that end before they begin go on over midnight, and belong to the day on which they begin. Where both times are the
/// same, they last the whole day.
public struct QuietHours: Sendable, Hashable {
    /// Bit n: the day n, 0 is Monday.
    var days: UInt8
    /// Minute of the day, 0...1439.
    var start: Int
    /// Minutes, 1...1440.
    var length: Int

    private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    /// Reads `DAYS HH:MM-HH:MM`; days are names with commas and ranges (`sat,sun`, `fri-mon`), or `daily`. nil where `text` is
    /// something else.
    public init?(_ text: String) {
        let words = text.lowercased().split(separator: " ")
        guard words.count == 2, let days = Self.days(words[0]) else { return nil }
        let times = words[1].split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
        guard times.count == 2, let start = times[0], let end = times[1], start < 1_440 else { return nil }
        self.days = days
        self.start = start
        length = end > start ? end - start : end - start + 1_440
    }

    private static func days(_ text: Substring) -> UInt8? {
        if text == "daily" { return 0x7F }
        var days: UInt8 = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map {
                names.firstIndex(of: String($0))
            }
            guard 1...2 ~= ends.count, let first = ends[0], let last = ends[ends.count - 1] else { return nil }
            var day = first
            while true {
                days |= 1 << UInt8(day)
                if day == last { break }
                day = (day + 1) % 7
            }
        }
        return days
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, 1...2 ~= parts[0].count, parts[1].count == 2,
            text.utf8.allSatisfy({ 0x30...0x3A ~= $0 }), let hour = Int(parts[0]), let minute = Int(parts[1]),
            minute < 60, hour * 60 + minute <= 1_440
        else { return nil }
        return hour * 60 + minute
    }

    /// When the hours began in which `moment` lies, in minutes since 1970-01-01 on the wall; nil: it lies in none.
    func start(of moment: LocalMoment) -> Int? {
        for day in [moment.day, moment.day - 1] {
            let begin = LocalMoment(day: day, minute: start)
            guard days & (1 << UInt8(begin.weekday)) != 0 else { continue }
            if begin.total..<(begin.total + length) ~= moment.total { return begin.total }
        }
        return nil
    }
}

/// Whether somebody wants to be disturbed: by a switch, and by the hour.
public struct DoNotDisturb: Sendable, Hashable {
    public var schedule: [QuietHours]
    /// Switched on by hand, until it is switched off.
    public private(set) var isOn: Bool
    /// When it was last switched off, in minutes since 1970-01-01 on the wall: hours that had begun by then count no more.
    public private(set) var offSince: Int?
    /// By how many minutes the clock on the wall is set back in the usual course of things, at most.
    private static let usualSetBack = 120

    public init(schedule: [QuietHours] = [], isOn: Bool = false, offSince: Int? = nil) {
        self.schedule = schedule
        self.isOn = isOn
        self.offSince = offSince
    }

    /// Switches it on, or off: then also the hours that have begun are over.
    public mutating func set(_ on: Bool, at moment: LocalMoment) {
        isOn = on
        offSince = on ? nil : moment.total
    }

    /// Whether the hours say so, and nobody has switched them off.
    public func isScheduled(at moment: LocalMoment) -> Bool {
        schedule.contains { hours in
            guard let start = hours.start(of: moment) else { return false }
            // A clock that was set back must not switch them off for ever; the end of summer time does not switch them on.
            guard let offSince, offSince <= moment.total + Self.usualSetBack else { return true }
            return start > offSince
        }
    }

    public func isActive(at moment: LocalMoment) -> Bool { isOn || isScheduled(at: moment) }
}
