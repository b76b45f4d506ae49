import Glibc

/// What the environment asks for.
enum LongRun {
    /// HANDSET_LONG_RUN: hours of simulated time, 1...1,000.
    static var hours: Int? {
        guard let text = getenv("HANDSET_LONG_RUN") else { return nil }
        return Int(String(cString: text)).map { min(max($0, 1), 1_000) }
    }
}
