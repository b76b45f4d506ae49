/// A session description that does not follow RFC 8866's grammar, or is larger than we read: SIP status 400.
public struct SDPParseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line at fault, counted from 1; 0 where it is the whole text.
    public var line: Int
    /// What is wrong with it and what was expected.
    public var problem: String

    public var description: String { line == 0 ? "SDP: \(problem)" : "SDP line \(line): \(problem)" }
}

/// Why an offer or answer leads to no session.
public struct SDPNegotiationError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// The description breaks a rule of RFC 3264 or 8866: SIP status 400.
        case malformed
        /// Understood, but there is nothing in it that we can or may take: SIP status 488.
        case notAcceptable
        /// An answer without an offer of ours.
        case noOffer
    }

    public var kind: Kind
    /// What was offered or answered and what would have been taken: one sentence for a Warning or Reason phrase.
    public var message: String

    /// The status an offer's sender is given (RFC 3261 §13.3.1.3, §21.4.26).
    public var sipStatus: Int { kind == .notAcceptable ? 488 : 400 }
    public var description: String { message }
}
