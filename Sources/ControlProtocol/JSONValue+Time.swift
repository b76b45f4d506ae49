public import FoundationEssentials

extension JSONValue {
    private static let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// RFC 3339 in UTC with milliseconds, or null, also for what is before the year 1 or after 8000.
    ///
    /// By hand: the first use of Foundation's format costs the daemon a megabyte.
    public init(_ date: Date?) {
        guard let date, (-62_135_596_800..<190_000_000_000).contains(date.timeIntervalSince1970) else {
            self = .null
            return
        }
        let milliseconds = Int((date.timeIntervalSince1970 * 1_000).rounded())
        let (day, time) = milliseconds.flooredDivision(by: 86_400_000)
        // Years that begin in March, so that the leap day is the last; eras of 400 years; days since 0000-03-01.
        let (era, dayOfEra) = (day + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let year = era * 400 + yearOfEra + (month >= 10 ? 1 : 0)
        let seconds = time / 1_000
        self = .string(
            "\(year.padded(4))-\((month < 10 ? month + 3 : month - 9).padded(2))-\(dayOfMonth.padded(2))"
                + "T\((seconds / 3_600).padded(2)):\((seconds / 60 % 60).padded(2)):\((seconds % 60).padded(2))"
                + ".\((time % 1_000).padded(3))Z")
    }

    /// The instant, where this is one as `init(_: Date?)` writes it.
    public var date: Date? { string.flatMap { try? Self.format.parse($0) } }
}

extension Int {
    fileprivate func flooredDivision(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// In decimal, with zeros in front.
    fileprivate func padded(_ digits: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: Swift.max(digits - text.utf8.count, 0)) + text
    }
}
