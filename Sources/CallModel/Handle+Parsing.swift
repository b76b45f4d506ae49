extension Handle {
    /// The most bytes a handle may have.
    public static let maximumLength = 256

    /// Reads what a person dials: a number, a user name, `user@host`, or a `sip:`, `sips:` or `tel:` URI.
    ///
    /// Visual separators of a number (RFC 3966 §5.1.1) and blanks in it are left out; a URI is kept as it was written. Four
    /// decimal octets with dots are an address, not a number.
    /// Throws `invalidHandle`, saying what is wrong with it.
    public init(parsing text: String) throws(CallError) {
        guard !text.isEmpty else { throw Self.invalid(text, "it is empty") }
        guard text.utf8.count <= Self.maximumLength else {
            throw .init(.invalidHandle, "The handle is longer than \(Self.maximumLength) bytes; dial a shorter one.")
        }
        guard text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw .init(
                .invalidHandle,
                "The handle has characters that are not printable ASCII; write them as %HH in a sip: URI.")
        }
        if let number = Self.number(in: text) {
            self.init(kind: .phoneNumber, value: number)
        } else if let colon = text.firstIndex(of: ":"), let scheme = Scheme(rawValue: text[..<colon].lowercased()) {
            let rest = text[text.index(after: colon)...]
            switch scheme {
            case .sip, .sips:
                try Self.checkAddress(rest, of: text)
                self.init(kind: .generic, value: "\(scheme.rawValue):\(rest)")
            case .tel:
                try Self.checkSubscriber(rest, of: text)
                self.init(kind: .phoneNumber, value: "\(scheme.rawValue):\(rest)")
            }
        } else if text.contains("@") {
            try Self.checkAddress(text[...], of: text)
            self.init(kind: .emailAddress, value: text)
        } else {
            guard text.utf8.allSatisfy(Self.isUserByte), text.utf8.contains(where: Self.isAlphanumeric),
                Self.escapesAreWhole(text.utf8)
            else {
                throw Self.invalid(text, "a user name has letters, digits and -_.!~*'()&=+$,% only")
            }
            self.init(kind: .generic, value: text)
        }
    }

    private enum Scheme: String { case sip, sips, tel }

    private static func invalid(_ text: String, _ reason: String) -> CallError {
        CallError(
            .invalidHandle, "`\(text)` cannot be dialled: \(reason). Use a number, user@host or a sip: or tel: URI.")
    }

    /// The digits of a number as people write it, or nil where `text` is something else.
    private static func number(in text: String) -> String? {
        guard !isAddress(text) else { return nil }
        var number = ""
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "#"):
                number.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "+") where index == 0: number.append("+")
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: " "): continue
            default: return nil
            }
        }
        return number.isEmpty || number == "+" ? nil : number
    }

    /// Whether `text` is a numeric IPv4 address as RFC 3986 §3.2.2 writes it.
    private static func isAddress(_ text: String) -> Bool {
        let octets = text.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets.allSatisfy { octet in UInt8(octet).map { "\($0)" } == String(octet) }
    }

    /// `[user[:password]@]host[:port][;parameters]` (RFC 3261 §19.1.1). Headers are refused: what a person dials is not
    /// to write into our requests.
    private static func checkAddress(_ address: Substring, of text: String) throws(CallError) {
        guard !address.contains("?") else { throw invalid(text, "headers (after `?`) are not taken") }
        guard !address.contains(where: { "<>\"\\ ".contains($0) }) else {
            throw invalid(text, "it has blanks, quotes or angle brackets")
        }
        var host = address
        if let at = address.lastIndex(of: "@") {
            let user = address[..<at]
            guard !user.isEmpty, user.utf8.allSatisfy({ isUserByte($0) || ";?/:".utf8.contains($0) }),
                escapesAreWhole(user.utf8)
            else { throw invalid(text, "what stands before `@` is not a user name") }
            host = address[address.index(after: at)...]
        }
        try checkHost(host.prefix { $0 != ";" }, of: text)
    }

    private static func checkHost(_ hostport: Substring, of text: String) throws(CallError) {
        var host = hostport
        var port: Substring?
        if host.first == "[" {
            guard let end = host.firstIndex(of: "]") else { throw invalid(text, "`[` has no `]`") }
            let rest = host[host.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { throw invalid(text, "`]` is followed by something else") }
            if !rest.isEmpty { port = rest.dropFirst() }
            host = host[host.index(after: host.startIndex)..<end]
            guard host.contains(":"), host.utf8.allSatisfy({ isHexadecimal($0) || ":.".utf8.contains($0) }) else {
                throw invalid(text, "what stands in brackets is not an IPv6 address")
            }
        } else {
            if let colon = host.firstIndex(of: ":") {
                port = host[host.index(after: colon)...]
                host = host[..<colon]
            }
            guard let first = host.utf8.first, isAlphanumeric(first), host.utf8.count <= 253,
                host.utf8.allSatisfy({ isAlphanumeric($0) || "-._".utf8.contains($0) })
            else { throw invalid(text, "the host is not a name or an address") }
        }
        guard let port else { return }
        guard port.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let value = UInt16(port), value > 0
        else { throw invalid(text, "the port is not a number from 1 to 65535") }
    }

    /// `telephone-subscriber` of RFC 3966 §3.
    private static func checkSubscriber(_ subscriber: Substring, of text: String) throws(CallError) {
        let number = subscriber.prefix { $0 != ";" }
        guard Self.number(in: String(number)) != nil, !number.contains(" ") else {
            throw invalid(text, "a tel: URI begins with a number")
        }
        let parameters = subscriber.dropFirst(number.count)
        guard parameters.utf8.allSatisfy({ isUserByte($0) || ";:[]/".utf8.contains($0) }),
            escapesAreWhole(parameters.utf8)
        else { throw invalid(text, "its parameters have characters that RFC 3966 does not allow") }
    }

    // MARK: Characters

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    private static func isUserByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "-_.!~*'()&=+$,%#".utf8.contains(byte)
    }

    /// Whether each `%` is followed by two hexadecimal digits.
    private static func escapesAreWhole(_ bytes: some Sequence<UInt8>) -> Bool {
        var wanted = 0
        for byte in bytes {
            if wanted > 0 {
                guard isHexadecimal(byte) else { return false }
                wanted -= 1
            } else if byte == UInt8(ascii: "%") {
                wanted = 2
            }
        }
        return wanted == 0
    }
}

extension Handle: CustomStringConvertible {
    /// The handle as it can be dialled again.
    public var description: String { value }
}
