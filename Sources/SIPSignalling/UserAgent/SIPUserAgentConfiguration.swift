public import MediaDescription
public import SIP

/// One SIP identity.
public struct SIPAccountConfiguration: Sendable, Hashable {
    /// Unique among the accounts; what `account` means elsewhere.
    public var name: String
    /// The address of record: `sip:user@domain`.
    public var uri: SIPURI
    public var displayName: String?
    /// For digest authentication; the user of `uri` where the configuration names none.
    public var username: String
    public var password: String
    /// Where to register, and where all requests of the account are sent; nil: no registration, requests go to the domain.
    public var registrar: SIPURI?
    public var transport: SIPTransportKind
    public var policy: MediaPolicy
    /// Seconds a registration is asked for.
    public var expires: UInt32

    public init(
        name: String, uri: SIPURI, displayName: String? = nil, username: String, password: String,
        registrar: SIPURI?, transport: SIPTransportKind = .udp, policy: MediaPolicy = MediaPolicy(),
        expires: UInt32 = 600
    ) {
        self.name = name
        self.uri = uri
        self.displayName = displayName
        self.username = username
        self.password = password
        self.registrar = registrar
        self.transport = transport
        self.policy = policy
        self.expires = expires
    }

    /// The registrar with the account's transport.
    var proxy: SIPURI? {
        guard var proxy = registrar else { return nil }
        if transport == .tcp, proxy.parameters["transport"] == nil { proxy.parameters["transport"] = "tcp" }
        return proxy
    }
}

/// What the user agent is configured with.
public struct SIPUserAgentConfiguration: Sendable {
    /// In order: the first is used where none is named.
    public var accounts: [SIPAccountConfiguration]
    /// The user part under which we are called without an account.
    public var directUser: String
    public var directPolicy: MediaPolicy
    /// Who may call without being a registrar of ours.
    public var acceptFrom: AddressSet
    /// The User-Agent and Server headers; empty: none.
    public var userAgent: String

    public init(
        accounts: [SIPAccountConfiguration] = [], directUser: String = "handset",
        directPolicy: MediaPolicy = MediaPolicy(), acceptFrom: AddressSet, userAgent: String = "Handset"
    ) {
        self.accounts = accounts
        self.directUser = directUser
        self.directPolicy = directPolicy
        self.acceptFrom = acceptFrom
        self.userAgent = userAgent
    }
}
