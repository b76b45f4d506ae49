extension SIPURI {
    /// Whether both name the same resource, after RFC 3261 §19.1.4 (tel: RFC 3966 §4).
    ///
    /// Not transitive (a parameter that only one of two has is ignored), and so not `==`.
    public func isEquivalent(to other: SIPURI) -> Bool {
        guard scheme == other.scheme else { return false }
        if let opaque { return opaque == other.opaque }
        if scheme == "tel" { return isSameNumber(as: other) }
        guard escapedUser.map(Escaping.normalized) == other.escapedUser.map(Escaping.normalized),
            escapedPassword.map(Escaping.normalized) == other.escapedPassword.map(Escaping.normalized),
            host.asciiLowercased == other.host.asciiLowercased, port == other.port
        else { return false }
        return hasEquivalentParameters(to: other) && Self.normalized(headers) == Self.normalized(other.headers)
    }

    /// Parameters that count even where only one of the two URIs has them.
    private static let decisive: Set<String> = ["user", "ttl", "method", "maddr", "transport"]

    private func hasEquivalentParameters(to other: SIPURI) -> Bool {
        let mine = Self.normalized(parameters)
        let theirs = Self.normalized(other.parameters)
        for (name, value) in mine {
            if let their = theirs[name] {
                guard value == their else { return false }
            } else if Self.decisive.contains(name) {
                return false
            }
        }
        return !theirs.keys.contains { Self.decisive.contains($0) && mine[$0] == nil }
    }

    private func isSameNumber(as other: SIPURI) -> Bool {
        Self.digits(escapedUser ?? "") == Self.digits(other.escapedUser ?? "")
            && Self.normalized(parameters) == Self.normalized(other.parameters)
    }

    /// A telephone number without visual separators (RFC 3966 §3).
    private static func digits(_ number: String) -> String {
        String(number.asciiLowercased.unicodeScalars.filter { !"-.()".unicodeScalars.contains($0) })
    }

    private static func normalized(_ parameters: Parameters) -> [String: String] {
        var values: [String: String] = [:]
        for entry in parameters.entries {
            let name = Escaping.normalized(entry.name).asciiLowercased
            let value = Escaping.normalized(entry.rawValue ?? "").asciiLowercased
            values[name] = values[name] ?? value
        }
        return values
    }

    private static func normalized(_ headers: [Header]) -> [String] {
        headers.map { Escaping.normalized($0.name).asciiLowercased + "=" + Escaping.normalized($0.value) }.sorted()
    }
}
