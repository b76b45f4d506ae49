/// Whom a call is with.
public struct Handle: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        case generic, phoneNumber, emailAddress
    }

    public var kind: Kind
    /// A number, an address, or a whole `sip:`, `sips:` or `tel:` URI.
    public var value: String

    public init(kind: Kind, value: String) {
        self.kind = kind
        self.value = value
    }
}
