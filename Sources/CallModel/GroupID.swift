public import FoundationEssentials

/// The name of a group of calls that are mixed into one conference: a UUID, written in lower case.
public struct GroupID: Hashable, Sendable, CustomStringConvertible {
    public let uuid: UUID

    /// A new random name.
    public init() { uuid = UUID() }

    public init(_ uuid: UUID) { self.uuid = uuid }

    /// Reads a UUID in its usual form; nil where `text` is not one.
    public init?(_ text: String) {
        guard let uuid = UUID(uuidString: text) else { return nil }
        self.uuid = uuid
    }

    public var description: String { uuid.uuidString.lowercased() }
}
