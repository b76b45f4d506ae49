public import FoundationEssentials

/// A name that is a UUID, written in lower case.
public protocol UUIDName: Hashable, Sendable, CustomStringConvertible {
    var uuid: UUID { get }

    init(_ uuid: UUID)
}

extension UUIDName {
    /// A new random name.
    public init() { self.init(UUID()) }

    /// Reads a UUID in its usual form; nil where `text` is not one.
    public init?(_ text: String) {
        guard let uuid = UUID(uuidString: text) else { return nil }
        self.init(uuid)
    }

    public var description: String { uuid.uuidString.lowercased() }
}
