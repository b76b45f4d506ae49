internal import FoundationEssentials

/// A small file that is replaced as a whole, again and again. An actor, since a disk may take its time.
public actor ReplacedFile {
    private let url: URL
    private var newest = 0

    public init(path: String) { url = URL(filePath: path) }

    /// Writes `text` in place of what is there. Texts that are numbered lower than one before come too late.
    public func replace(_ text: String, number: Int) throws {
        guard number > newest else { return }
        newest = number
        try Data(text.utf8).write(to: url, options: .atomic)
    }
}
