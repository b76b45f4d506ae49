/// The host of a URI or Via: a name or an IPv4 address as it stands, an IPv6 address without its brackets.
enum Host {
    /// Letters, digits, `-` and `.` (RFC 3261 §25.1), and the `_` that real host names have.
    static func isNameCharacter(_ octet: UInt8) -> Bool {
        CharacterClass.isAlphanumeric(octet) || octet == UInt8(ascii: "-") || octet == UInt8(ascii: ".")
            || octet == UInt8(ascii: "_")
    }

    /// The content of an IPv6 reference; nil where it is no address (RFC 4291 §2.2). The third colon that the grammar
    /// of RFC 3261 allows is left out (RFC 5118 §4.10).
    static func ipv6(_ octets: ArraySlice<UInt8>) -> String? {
        let colon = UInt8(ascii: ":")
        guard octets.count <= 46 else { return nil }
        var address: [UInt8] = []
        for octet in octets where octet != colon || address.suffix(2) != [colon, colon] { address.append(octet) }
        let groups = address.split(separator: colon, omittingEmptySubsequences: false)
        guard groups.count >= 3, let last = groups.last else { return nil }
        var count = 0
        for group in groups.dropLast() where !group.isEmpty {
            guard isHexGroup(group) else { return nil }
            count += 1
        }
        if last.contains(UInt8(ascii: ".")) {
            guard isIPv4(last) else { return nil }
            count += 2
        } else if !last.isEmpty {
            guard isHexGroup(last) else { return nil }
            count += 1
        }
        // One gap of zeros: an empty group inside, or two at an end.
        var gaps = groups.dropFirst().dropLast().count { $0.isEmpty }
        if groups[0].isEmpty, !groups[1].isEmpty { gaps += 2 }
        if last.isEmpty, !groups[groups.count - 2].isEmpty { gaps += 2 }
        let isWhole = gaps == 0 ? count == 8 : gaps == 1 && count < 8
        return isWhole || address == [colon, colon] ? String(decoding: address, as: UTF8.self) : nil
    }

    private static func isHexGroup(_ group: ArraySlice<UInt8>) -> Bool {
        group.count <= 4 && group.allSatisfy { CharacterClass.hexValue($0) != nil }
    }

    private static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { $0.count <= 3 && ByteScanner.number($0, maximum: 255) != nil }
    }

    /// As it is printed: an IPv6 address in brackets.
    static func printed(_ host: String) -> String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }
}
