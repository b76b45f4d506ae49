public import CallModel
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
    /// Whether what the registrar sends may ask to be answered without anybody's doing.
    public var registrarMayAskForAnswer: Bool
    /// Who else may.
    public var autoAnswerFrom: AddressSet
    /// What answers its calls by itself; nil: a person does.
    public var service: CallService?

    public init(
        name: String, uri: SIPURI, displayName: String? = nil, username: String, password: String,
        registrar: SIPURI?, transport: SIPTransportKind = .udp, policy: MediaPolicy = MediaPolicy(),
        expires: UInt32 = 600, registrarMayAskForAnswer: Bool = false, autoAnswerFrom: AddressSet = AddressSet()
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
        self.registrarMayAskForAnswer = registrarMayAskForAnswer
        self.autoAnswerFrom = autoAnswerFrom
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
    /// The one under which the echo is called; empty: there is none.
    public var echoUser = ""
    public var directPolicy: MediaPolicy
    /// Who may call without being a registrar of ours.
    public var acceptFrom: AddressSet
    /// Who of them may ask to be answered without anybody's doing, where it calls no account.
    public var autoAnswerFrom: AddressSet
    /// The User-Agent and Server headers; empty: none.
    public var userAgent: String

    public init(
        accounts: [SIPAccountConfiguration] = [], directUser: String = "handset",
        directPolicy: MediaPolicy = MediaPolicy(), acceptFrom: AddressSet,
        autoAnswerFrom: AddressSet = AddressSet(), userAgent: String = "Handset"
    ) {
        self.accounts = accounts
        self.directUser = directUser
        self.directPolicy = directPolicy
        self.acceptFrom = acceptFrom
        self.autoAnswerFrom = autoAnswerFrom
        self.userAgent = userAgent
    }
}
