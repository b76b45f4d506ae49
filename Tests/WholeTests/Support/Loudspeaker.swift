import Glibc

/// Where what an endpoint plays can be listened to.
protocol Loudspeaker: AnyObject {
    /// What is played during the next `seconds`, but for what was on its way when this began.
    func listen(seconds: Double) throws -> ArraySlice<Int16>
}

/// The sound devices of an endpoint, and what it needs to find them.
struct Sound {
    /// The contents of its `[audio]` table.
    var settings: String
    var environment: [String: String] = [:]
    var loudspeaker: any Loudspeaker
}

/// A recording that grows while it is played into: 16-bit mono samples at 48 kHz after `header` octets.
final class RecordedLoudspeaker: Loudspeaker {
    private let path: String
    private let header: Int
    private let lead: Double

    /// - Parameter lead: seconds of sound that may be on their way to the file when one begins to listen.
    init(path: String, header: Int = 44, lead: Double = 0.2) {
        self.path = path
        self.header = header
        self.lead = lead
    }

    private var count: Int {
        var status = stat()
        return stat(path, &status) == 0 ? max(0, (Int(status.st_size) - header) / 2) : 0
    }

    func listen(seconds: Double) throws -> ArraySlice<Int16> {
        let start = count + Int(lead * Double(WaveFile.rate))
        let length = Int(seconds * Double(WaveFile.rate))
        _ = try eventually("\(path) grows", within: seconds + lead + 8) { count >= start + length ? true : nil }
        return try read(from: start, length)
    }

    /// What was played last.
    func past(seconds: Double) throws -> ArraySlice<Int16> {
        let length = min(Int(seconds * Double(WaveFile.rate)), count)
        return try read(from: count - length, length)
    }

    private func read(from start: Int, _ count: Int) throws -> ArraySlice<Int16> {
        var samples = [Int16](repeating: 0, count: count)
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        let size = 2 * samples.count
        let read = samples.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, size, header + 2 * start) }
        guard read == size else { throw SupportError("\(path) cannot be read") }
        return samples[...]
    }
}
