/// Whom a REFER asks to call (RFC 3515 §2.1), and in whose place (RFC 3891).
///
/// Of what a Refer-To may hold only this is kept: any other header in its URI would let the peer write our request.
public struct ReferTarget: Hashable, Sendable, CustomStringConvertible {
    /// A `sip:` URI that may stand in a Request-URI, without a password.
    public var uri: SIPURI
    /// The dialogue of the one who is called whose place the new call takes.
    public var replaces: Replaces?

    /// Why a REFER cannot be followed, as its answer says it.
    public struct Refusal: Error, Hashable, Sendable {
        public var status: Int
        public var reason: String
    }

    public init(uri: SIPURI, replaces: Replaces? = nil) {
        self.uri = uri.asRequestURI
        self.uri.password = nil
        self.replaces = replaces
    }

    /// Reads the Refer-To of a request. Throws with 400, or with 416 for anything but `sip:`.
    public init(of request: SIPMessage) throws(Refusal) {
        guard let text = request.headers.first(.referTo), let uri = Self.uri(text) else {
            throw Refusal(status: 400, reason: "Malformed Refer-To")
        }
        guard uri.scheme == "sip" else { throw Refusal(status: 416, reason: ReasonPhrase.of(416)) }
        let method = uri.parameters["method"] ?? "INVITE"
        guard method == SIPMethod.invite.rawValue, !uri.host.isEmpty else {
            throw Refusal(status: 400, reason: "Only INVITE Can Be Referred To")
        }
        var replaces: Replaces?
        for header in uri.headers where Escaping.unescape(header.name).asciiLowercased == "replaces" {
            guard replaces == nil, let value = try? Replaces(parsing: Escaping.unescape(header.value)) else {
                throw Refusal(status: 400, reason: "Malformed Replaces")
            }
            replaces = value
        }
        self.init(uri: uri, replaces: replaces)
    }

    /// Some leave out the `<>` that RFC 3261 §20 wants around a URI with `?`.
    private static func uri(_ text: String) -> SIPURI? {
        (try? NameAddress(parsing: text))?.uri ?? (try? SIPURI(parsing: text))
    }

    /// As the value of Refer-To.
    public var description: String {
        var uri = uri
        if let replaces {
            let value = Escaping.escape(replaces.description, CharacterClass.isURIHeader)
            uri.headers = [SIPURI.Header(name: "Replaces", value: value)]
        }
        return "<\(uri)>"
    }
}
