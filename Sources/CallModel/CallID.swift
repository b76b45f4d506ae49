public import FoundationEssentials

/// The name of a call.
public struct CallID: UUIDName {
    public let uuid: UUID

    public init(_ uuid: UUID) { self.uuid = uuid }
}
