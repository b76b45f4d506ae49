internal import FoundationEssentials
internal import Synchronization

/// A small file that is replaced as a whole, again and again. An actor, since a disk may take its time: what has waited for
/// it while something newer came is not written at all.
public actor ReplacedFile {
    private let url: URL
    private nonisolated let newest = Mutex(0)

    public init(path: String) { url = URL(filePath: path) }

    /// Writes `text` in place of what is there. Texts that are numbered lower than one before come too late.
    public nonisolated func replace(_ text: String, number: Int) async throws {
        let isNews = newest.withLock { newest in
            defer { newest = max(newest, number) }
            return number > newest
        }
        if isNews { try await write(text, number: number) }
    }

    private func write(_ text: String, number: Int) throws {
        guard newest.withLock({ $0 == number }) else { return }
        try Data(text.utf8).write(to: url, options: .atomic)
    }
}
