extension SIPMessage {
    /// The octets of the message. Content-Length is that of the body, whatever the headers say.
    ///
    /// A line end inside of a value would be a header of its own, or the end of all: it is printed as a space.
    public func serialized() -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(512 + body.count)
        func append(_ text: String) {
            for octet in text.utf8 { octets.append(octet == 0x0D || octet == 0x0A ? UInt8(ascii: " ") : octet) }
        }
        func endLine() {
            octets.append(0x0D)
            octets.append(0x0A)
        }
        switch startLine {
        case .request(let method, let uri): append("\(method) \(uri) SIP/2.0")
        case .response(let status, let reason): append("SIP/2.0 \(status) \(reason)")
        }
        endLine()
        for field in headers.fields where field.name != .contentLength {
            append(field.name.description)
            append(": ")
            append(field.value)
            endLine()
        }
        append("Content-Length: \(body.count)")
        endLine()
        endLine()
        octets.append(contentsOf: body)
        return octets
    }
}
