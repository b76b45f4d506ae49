internal import CallModel
internal import SIP

/// Which URI a handle means, and through which account it is called.
struct DialPlan {
    struct Destination: Hashable {
        var uri: SIPURI
        /// The index of the account; nil: called directly.
        var account: Int?
    }

    var accounts: [SIPAccountConfiguration]

    /// Throws `unknownAccount` or `invalidHandle`.
    func destination(of handle: Handle, account name: String?) throws(CallError) -> Destination {
        let named = try index(of: name)
        let text = handle.value
        guard !text.isEmpty, text.utf8.count <= 512, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) || $0 == 0x20 })
        else { throw invalid(text, "it must be 1 to 512 printable characters") }
        switch text.prefix(while: { $0 != ":" }).lowercased() {
        case "sips" where text.contains(":"):
            throw invalid(text, "sips: needs TLS, which is not supported yet; use sip:")
        case "tel" where text.contains(":"):
            let number = text.dropFirst(4).prefix { $0 != ";" }
            return try subscriber(Self.digits(number), text, named)
        case "sip" where text.contains(":"): return try address(text, named)
        default: break
        }
        if text.contains("@") { return try address("sip:" + text, named) }
        // A bare host is one where nobody else could know what to do with it, or where it cannot be a user.
        if named == nil, (accounts.isEmpty && !isNumber(text)) || isNumericHost(text) {
            return try address("sip:" + text, nil)
        }
        return try subscriber(isNumber(text) ? Self.digits(text[...]) : text, text, named)
    }

    private func index(of name: String?) throws(CallError) -> Int? {
        guard let name else { return nil }
        guard let index = accounts.firstIndex(where: { $0.name == name }) else {
            throw CallError(.unknownAccount, "There is no account \(name); `handset status` lists the accounts.")
        }
        return index
    }

    /// A user of an account's own domain.
    private func subscriber(_ user: String, _ text: String, _ named: Int?) throws(CallError) -> Destination {
        guard let index = named ?? accounts.indices.first else {
            throw invalid(text, "a number needs an account to call it through; configure one or use sip:user@host")
        }
        guard !user.isEmpty else { throw invalid(text, "there is no number in it") }
        let domain = accounts[index].uri
        return Destination(uri: SIPURI(user: user, host: domain.host, port: domain.port), account: index)
    }

    private func address(_ text: String, _ named: Int?) throws(CallError) -> Destination {
        guard var uri = try? SIPURI(parsing: text), uri.scheme == "sip", !uri.host.isEmpty else {
            throw invalid(text, "it is no SIP address; use sip:user@host")
        }
        // Headers in a URI would write our request for us.
        uri.headers = []
        uri.password = nil
        let host = uri.host.lowercased()
        let own = accounts.firstIndex { $0.uri.host.lowercased() == host && uri.user != nil }
        return Destination(uri: uri, account: named ?? own)
    }

    private func invalid(_ text: String, _ reason: String) -> CallError {
        CallError(.invalidHandle, "\(text) cannot be called: \(reason).")
    }

    private func isNumber(_ text: String) -> Bool {
        text.utf8.contains { (0x30...0x39).contains($0) } && text.allSatisfy { "+0123456789*# -().".contains($0) }
    }

    private func isNumericHost(_ text: String) -> Bool {
        guard let uri = try? SIPURI(parsing: "sip:" + text), uri.user == nil else { return false }
        // 12345 is a number; an address has dots or colons.
        return uri.host.contains(where: { $0 == "." || $0 == ":" }) && SocketAddress(host: uri.host, port: 0) != nil
    }

    /// A number without what only eyes need (RFC 3966 §3).
    private static func digits(_ text: Substring) -> String { String(text.filter { !" -().".contains($0) }) }
}
