import Glibc

/// How long the random tests run, and from which seed: `HANDSET_MODEL_STEPS` and `HANDSET_MODEL_SEED`. A failure prints
/// the seed that brings it back.
enum RandomLives {
    /// Steps of one random test. Without a wish, so many that all tests together take few seconds.
    static func steps(otherwise standard: Int) -> Int { number("HANDSET_MODEL_STEPS") ?? standard }

    /// The first seed; each life has the next one.
    static var seed: UInt64 { number("HANDSET_MODEL_SEED").map { UInt64($0) } ?? 1 }

    private static func number(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}
