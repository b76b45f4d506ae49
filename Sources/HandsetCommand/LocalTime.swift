internal import FoundationEssentials
internal import Glibc

/// Time of day where the user is.
enum LocalTime {
    /// `hh:mm:ss`
    static func clock(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return "-" }
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Reports.two(Int($0)) }.joined(separator: ":")
    }

    /// `yyyy-mm-dd hh:mm`
    static func dateAndClock(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return "-" }
        let day = [parts.tm_mon + 1, parts.tm_mday].map { "-" + Reports.two(Int($0)) }.joined()
        return "\(parts.tm_year + 1_900)\(day) \(Reports.two(Int(parts.tm_hour))):\(Reports.two(Int(parts.tm_min)))"
    }

    /// `hh:mm:ss.mmm`
    static func preciseClock(_ date: Date) -> String {
        let milliseconds = Int((date.timeIntervalSince1970 * 1_000).rounded())
        let rest = String(1_000 + (milliseconds % 1_000 + 1_000) % 1_000).dropFirst()
        return clock(Date(timeIntervalSince1970: Double(milliseconds) / 1_000)) + "." + rest
    }
}
