/// The host of a URI or Via: a name or an IPv4 address as it stands, an IPv6 address without its brackets.
enum Host {
    /// Letters, digits, `-` and `.` (RFC 3261 §25.1), and the `_` that real host names have.
    static func isNameCharacter(_ octet: UInt8) -> Bool {
        CharacterClass.isAlphanumeric(octet) || octet == UInt8(ascii: "-") || octet == UInt8(ascii: ".")
            || octet == UInt8(ascii: "_")
    }

    /// The content of an IPv6 reference. The third colon that the grammar of RFC 3261 allows is left out
    /// (RFC 5118 §4.10).
    static func ipv6(_ octets: ArraySlice<UInt8>) -> String? {
        var address: [UInt8] = []
        var colons = 0
        for octet in octets {
            if octet == UInt8(ascii: ":") {
                colons += 1
                if address.suffix(2) == [octet, octet] { continue }
            } else {
                guard CharacterClass.hexValue(octet) != nil || octet == UInt8(ascii: ".") else { return nil }
            }
            address.append(octet)
        }
        guard colons >= 2, address.count <= 45 else { return nil }
        return String(decoding: address, as: UTF8.self)
    }

    /// As it is printed: an IPv6 address in brackets.
    static func printed(_ host: String) -> String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }
}
