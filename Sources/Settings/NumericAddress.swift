internal import Glibc

/// An IP address as the network writes it, 4 or 16 bytes: equal where two ways of writing it mean the same.
struct NumericAddress: Hashable {
    let octets: [UInt8]

    /// Reads a numeric IPv4 or IPv6 address, without brackets; nil where `text` is none.
    init?(_ text: some StringProtocol) {
        let text = String(text)
        guard !text.utf8.contains(0) else { return nil }
        var octets = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET6, text, &octets) == 1 {
            self.octets = octets
        } else if inet_pton(AF_INET, text, &octets) == 1 {
            self.octets = Array(octets[..<4])
        } else {
            return nil
        }
    }

    /// Bits of the address: 32 or 128.
    var width: Int { octets.count * 8 }
}
