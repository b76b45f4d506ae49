/// A SIP, SIPS or tel URI (RFC 3261 §19.1, RFC 3966), or any other one as opaque text.
///
/// `==` compares as written; `isEquivalent(to:)` compares as RFC 3261 §19.1.4 says.
public struct SIPURI: Hashable, Sendable, CustomStringConvertible {
    /// A header of a URI, as it is written.
    public struct Header: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// In lower case: `sip`, `sips`, `tel` or another; "" where the text is no URI at all.
    public var scheme: String
    /// With its escapes; the number, with its visual separators, of a tel URI.
    public var escapedUser: String?
    /// With its escapes.
    public var escapedPassword: String?
    /// A name or a numeric address, IPv6 without brackets; "" in tel and other URIs.
    public var host: String
    public var port: UInt16?
    public var parameters = Parameters(.uri)
    public var headers: [Header] = []
    /// What follows the scheme of a URI that is none of ours; nil in sip, sips and tel URIs.
    public var opaque: String?

    public init(scheme: String = "sip", user: String? = nil, host: String, port: UInt16? = nil) {
        self.scheme = scheme.asciiLowercased
        escapedUser = user.map { Escaping.escape($0, CharacterClass.isUser) }
        self.host = host
        self.port = port
    }

    /// A URI that is kept, but not understood.
    init(scheme: String, opaque: String) {
        self.scheme = scheme
        host = ""
        self.opaque = opaque
    }

    /// The user part without escapes.
    public var user: String? {
        get { escapedUser.map(Escaping.unescape) }
        set { escapedUser = newValue.map { Escaping.escape($0, CharacterClass.isUser) } }
    }

    /// The password without escapes.
    public var password: String? {
        get { escapedPassword.map(Escaping.unescape) }
        set { escapedPassword = newValue.map { Escaping.escape($0, CharacterClass.isPassword) } }
    }

    public var isSIP: Bool { scheme == "sip" || scheme == "sips" }

    /// The transport parameter, in lower case.
    public var transport: String? { parameters["transport"]?.asciiLowercased }

    /// Whether the hop is a loose router (RFC 3261 §16.12).
    public var isLooseRouter: Bool { parameters.contains("lr") }

    public var description: String {
        if let opaque { return scheme.isEmpty ? opaque : "\(scheme):\(opaque)" }
        var text = scheme + ":"
        if let escapedUser {
            text += escapedUser
            if let escapedPassword { text += ":" + escapedPassword }
            if isSIP { text += "@" }
        }
        if isSIP {
            text += Host.printed(host)
            if let port { text += ":\(port)" }
        }
        text += parameters.printed
        for (index, header) in headers.enumerated() {
            text += (index == 0 ? "?" : "&") + header.name + "=" + header.value
        }
        return text
    }
}
