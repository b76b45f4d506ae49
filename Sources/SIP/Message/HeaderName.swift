/// The name of a header: compared without regard to case, compact forms (RFC 3261 §7.3.3) folded to the long one.
public struct HeaderName: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// As it is printed: the registered spelling of a known name, else as it was given.
    public let description: String
    private let key: String

    public init(_ name: String) {
        let key = name.asciiLowercased
        if let known = Self.known[key] {
            self = known
        } else {
            description = name
            self.key = key
        }
    }

    public init(stringLiteral value: String) { self.init(value) }

    fileprivate init(registered name: String) {
        description = name
        key = name.asciiLowercased
    }

    public static func == (left: Self, right: Self) -> Bool { left.key == right.key }

    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    private static let known: [String: HeaderName] = {
        var names: [String: HeaderName] = [:]
        for name in registered { names[name.key] = name }
        for (compact, name) in compactForms { names[compact] = name }
        return names
    }()

    private static let compactForms: [(String, HeaderName)] = [
        ("a", .acceptContact), ("u", .allowEvents), ("i", .callID), ("m", .contact), ("e", .contentEncoding),
        ("l", .contentLength), ("c", .contentType), ("o", .event), ("f", .from), ("y", .identity),
        ("r", .referTo), ("b", .referredBy), ("j", .rejectContact), ("d", .requestDisposition),
        ("x", .sessionExpires), ("s", .subject), ("k", .supported), ("t", .to), ("v", .via),
    ]

    private static let registered: [HeaderName] = [
        .accept, .acceptContact, .acceptEncoding, .acceptLanguage, .alertInfo, .allow, .allowEvents, .answerMode,
        .authenticationInfo, .authorization, .callID, .callInfo, .contact, .contentDisposition, .contentEncoding,
        .contentLanguage, .contentLength, .contentType, .cseq, .date, .diversion, .errorInfo, .event, .expires, .from,
        .identity, .inReplyTo, .maxForwards, .mimeVersion, .minExpires, .minSE, .organization, .pAssertedIdentity,
        .path, .pPreferredIdentity, .priority, .privacy, .privAnswerMode, .proxyAuthenticate, .proxyAuthorization,
        .proxyRequire,
        .rack, .reason, .recordRoute, .referSub, .referTo, .referredBy, .rejectContact, .remotePartyID, .replaces,
        .replyTo, .requestDisposition, .require, .retryAfter, .route, .rseq, .server, .serviceRoute, .sessionExpires,
        .sipETag, .sipIfMatch, .subject, .subscriptionState, .supported, .timestamp, .to, .unsupported, .userAgent,
        .via, .warning, .wwwAuthenticate,
    ]
}

extension HeaderName {
    public static let accept = HeaderName(registered: "Accept")
    public static let acceptContact = HeaderName(registered: "Accept-Contact")
    public static let acceptEncoding = HeaderName(registered: "Accept-Encoding")
    public static let acceptLanguage = HeaderName(registered: "Accept-Language")
    public static let alertInfo = HeaderName(registered: "Alert-Info")
    public static let allow = HeaderName(registered: "Allow")
    public static let allowEvents = HeaderName(registered: "Allow-Events")
    public static let answerMode = HeaderName(registered: "Answer-Mode")
    public static let authenticationInfo = HeaderName(registered: "Authentication-Info")
    public static let authorization = HeaderName(registered: "Authorization")
    public static let callID = HeaderName(registered: "Call-ID")
    public static let callInfo = HeaderName(registered: "Call-Info")
    public static let contact = HeaderName(registered: "Contact")
    public static let contentDisposition = HeaderName(registered: "Content-Disposition")
    public static let contentEncoding = HeaderName(registered: "Content-Encoding")
    public static let contentLanguage = HeaderName(registered: "Content-Language")
    public static let contentLength = HeaderName(registered: "Content-Length")
    public static let contentType = HeaderName(registered: "Content-Type")
    public static let cseq = HeaderName(registered: "CSeq")
    public static let date = HeaderName(registered: "Date")
    public static let diversion = HeaderName(registered: "Diversion")
    public static let errorInfo = HeaderName(registered: "Error-Info")
    public static let event = HeaderName(registered: "Event")
    public static let expires = HeaderName(registered: "Expires")
    public static let from = HeaderName(registered: "From")
    public static let identity = HeaderName(registered: "Identity")
    public static let inReplyTo = HeaderName(registered: "In-Reply-To")
    public static let maxForwards = HeaderName(registered: "Max-Forwards")
    public static let mimeVersion = HeaderName(registered: "MIME-Version")
    public static let minExpires = HeaderName(registered: "Min-Expires")
    public static let minSE = HeaderName(registered: "Min-SE")
    public static let organization = HeaderName(registered: "Organization")
    public static let pAssertedIdentity = HeaderName(registered: "P-Asserted-Identity")
    public static let path = HeaderName(registered: "Path")
    public static let pPreferredIdentity = HeaderName(registered: "P-Preferred-Identity")
    public static let priority = HeaderName(registered: "Priority")
    public static let privacy = HeaderName(registered: "Privacy")
    public static let privAnswerMode = HeaderName(registered: "Priv-Answer-Mode")
    public static let proxyAuthenticate = HeaderName(registered: "Proxy-Authenticate")
    public static let proxyAuthorization = HeaderName(registered: "Proxy-Authorization")
    public static let proxyRequire = HeaderName(registered: "Proxy-Require")
    public static let rack = HeaderName(registered: "RAck")
    public static let reason = HeaderName(registered: "Reason")
    public static let recordRoute = HeaderName(registered: "Record-Route")
    public static let referSub = HeaderName(registered: "Refer-Sub")
    public static let referTo = HeaderName(registered: "Refer-To")
    public static let referredBy = HeaderName(registered: "Referred-By")
    public static let rejectContact = HeaderName(registered: "Reject-Contact")
    public static let remotePartyID = HeaderName(registered: "Remote-Party-ID")
    public static let replaces = HeaderName(registered: "Replaces")
    public static let replyTo = HeaderName(registered: "Reply-To")
    public static let requestDisposition = HeaderName(registered: "Request-Disposition")
    public static let require = HeaderName(registered: "Require")
    public static let retryAfter = HeaderName(registered: "Retry-After")
    public static let route = HeaderName(registered: "Route")
    public static let rseq = HeaderName(registered: "RSeq")
    public static let server = HeaderName(registered: "Server")
    public static let serviceRoute = HeaderName(registered: "Service-Route")
    public static let sessionExpires = HeaderName(registered: "Session-Expires")
    public static let sipETag = HeaderName(registered: "SIP-ETag")
    public static let sipIfMatch = HeaderName(registered: "SIP-If-Match")
    public static let subject = HeaderName(registered: "Subject")
    public static let subscriptionState = HeaderName(registered: "Subscription-State")
    public static let supported = HeaderName(registered: "Supported")
    public static let timestamp = HeaderName(registered: "Timestamp")
    public static let to = HeaderName(registered: "To")
    public static let unsupported = HeaderName(registered: "Unsupported")
    public static let userAgent = HeaderName(registered: "User-Agent")
    public static let via = HeaderName(registered: "Via")
    public static let warning = HeaderName(registered: "Warning")
    public static let wwwAuthenticate = HeaderName(registered: "WWW-Authenticate")
}
