/// One Via: a hop that the request took (RFC 3261 §20.42, RFC 3581).
public struct Via: Hashable, Sendable, CustomStringConvertible {
    /// Upper case: `UDP`, `TCP`, `TLS`, `WS`.
    public var transport: String
    /// IPv6 without brackets.
    public var host: String
    public var port: UInt16?
    public var parameters = Parameters(.header)

    /// What every branch that is unique in space and time begins with (RFC 3261 §8.1.1.7).
    public static let magicCookie = "z9hG4bK"

    public init(transport: String, host: String, port: UInt16? = nil, branch: String? = nil) {
        self.transport = transport
        self.host = host
        self.port = port
        if let branch { self.branch = branch }
    }

    /// Reads one value. Throws `SIPParseError.malformed`, also for another protocol than SIP/2.0.
    public init(parsing text: String) throws(SIPParseError) {
        var scanner = ByteScanner(text)
        scanner.skipSpace()
        guard scanner.takeToken()?.asciiLowercased == "sip", scanner.takeSlash(), scanner.takeToken() == "2.0",
            scanner.takeSlash(), let transport = scanner.takeToken(), let separator = scanner.next,
            CharacterClass.isSpace(separator)
        else { throw .malformed(element: "Via protocol") }
        scanner.skipSpace()
        guard let host = scanner.takeHost() else { throw .malformed(element: "Via host") }
        self.init(transport: transport, host: host)
        scanner.skipSpace()
        if scanner.take(":") {
            scanner.skipSpace()
            guard let port = scanner.takePort() else { throw .malformed(element: "Via port") }
            self.port = port
        }
        parameters = try scanner.takeHeaderParameters(of: "Via parameter")
    }

    public var branch: String? {
        get { parameters["branch"] }
        set { parameters["branch"] = newValue }
    }

    /// Whether the branch identifies the transaction by itself: the magic cookie and something after it.
    public var hasUniqueBranch: Bool {
        guard let branch else { return false }
        return branch.utf8.count > Self.magicCookie.utf8.count
            && branch.asciiLowercased.hasPrefix(Self.magicCookie.asciiLowercased)
    }

    /// The address the request came from, without the brackets that some put around IPv6 (RFC 5118 §4.5).
    public var received: String? {
        get {
            guard let text = parameters["received"], !text.isEmpty else { return nil }
            guard text.hasPrefix("["), text.hasSuffix("]") else { return text }
            return String(text.dropFirst().dropLast())
        }
        set { parameters["received"] = newValue }
    }

    /// The port the request came from, once the server has filled it in.
    public var rport: UInt16? {
        get { number("rport") }
        set { parameters["rport"] = newValue.map(String.init) }
    }

    /// Whether there is an rport parameter, with or without a value.
    public var wantsRport: Bool {
        get { parameters.contains("rport") }
        set { parameters["rport"] = newValue ? (parameters["rport"] ?? "") : nil }
    }

    public var maddr: String? { parameters["maddr"] }

    /// 0 to 255.
    public var ttl: UInt8? { number("ttl") }

    public var description: String {
        "SIP/2.0/\(transport) \(Host.printed(host))" + (port.map { ":\($0)" } ?? "") + parameters.printed
    }

    private func number<Number: FixedWidthInteger & UnsignedInteger>(_ name: String) -> Number? {
        guard let text = parameters[name] else { return nil }
        return ByteScanner.number(text.utf8, maximum: UInt64(Number.max)).map { Number($0) }
    }
}

extension ByteScanner {
    fileprivate mutating func takeSlash() -> Bool {
        skipSpace()
        guard take("/") else { return false }
        skipSpace()
        return true
    }
}
