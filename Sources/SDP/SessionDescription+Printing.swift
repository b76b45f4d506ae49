extension SessionDescription: CustomStringConvertible {
    /// The description's text in the order of RFC 8866 §5, lines ending in CRLF.
    public var description: String {
        var text = "v=0\r\no=\(origin.username) \(origin.sessionID) \(origin.version) \(origin.address.text)\r\n"
        text += "s=\(name)\r\n"
        if let connection { text += "c=\(connection.text)\r\n" }
        for line in bandwidth { text += line.text }
        text += "t=0 0\r\n"
        for attribute in attributes { text += attribute.text }
        for section in media {
            text += "m=\(section.kind) \(section.port) \(section.proto) "
            text += section.formats.joined(separator: " ") + "\r\n"
            if let connection = section.connection { text += "c=\(connection.text)\r\n" }
            for line in section.bandwidth { text += line.text }
            for attribute in section.attributes { text += attribute.text }
        }
        return text
    }

    /// The octets of `description`.
    public func serialized() -> [UInt8] { Array(description.utf8) }
}

extension ConnectionData {
    fileprivate var text: String { "\(networkType) \(addressType) \(address)" }
}

extension Bandwidth {
    fileprivate var text: String { "b=\(type):\(value)\r\n" }
}

extension Attribute {
    fileprivate var text: String { value.map { "a=\(name):\($0)\r\n" } ?? "a=\(name)\r\n" }
}
