/// A SIP method: a case-sensitive token (RFC 3261 §7.1).
public struct SIPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }

    public static let invite = SIPMethod(rawValue: "INVITE")
    public static let ack = SIPMethod(rawValue: "ACK")
    public static let bye = SIPMethod(rawValue: "BYE")
    public static let cancel = SIPMethod(rawValue: "CANCEL")
    public static let register = SIPMethod(rawValue: "REGISTER")
    public static let options = SIPMethod(rawValue: "OPTIONS")
    public static let prack = SIPMethod(rawValue: "PRACK")
    public static let update = SIPMethod(rawValue: "UPDATE")
    public static let info = SIPMethod(rawValue: "INFO")
    public static let refer = SIPMethod(rawValue: "REFER")
    public static let notify = SIPMethod(rawValue: "NOTIFY")
    public static let subscribe = SIPMethod(rawValue: "SUBSCRIBE")
    public static let message = SIPMethod(rawValue: "MESSAGE")
    public static let publish = SIPMethod(rawValue: "PUBLISH")
}
