public import FoundationEssentials

/// The name of a group of calls that are mixed into one conference.
public struct GroupID: UUIDName {
    public let uuid: UUID

    public init(_ uuid: UUID) { self.uuid = uuid }
}
