internal import Synchronization

/// What was last found to be needed ahead of loudspeakers, so that the next session begins with it.
final class LearntFill: Sendable {
    private let fills = Mutex<[String: Int]>([:])
    /// Devices come and go; more than these are nobody's.
    private static let most = 64

    /// Of this process.
    static let shared = LearntFill()

    /// In samples; nil before the first session of the devices with such a period.
    func samples(for devices: String, period: Int) -> Int? {
        fills.withLock { $0["\(period) \(devices)"] }
    }

    func note(_ samples: Int, for devices: String, period: Int) {
        fills.withLock { fills in
            let key = "\(period) \(devices)"
            guard fills[key] != nil || fills.count < Self.most else { return }
            fills[key] = samples
        }
    }
}
