import SIP

/// Everything that is done with a datagram or a stream before anything is known of its sender.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let message = try? SIPMessage(parsing: bytes) {
        read(message)
        // Printing settles what was odd in the original; what was printed once is read and printed as the same.
        if let again = try? SIPMessage(parsing: message.serialized()) {
            let printed = again.serialized()
            precondition(
                (try? SIPMessage(parsing: printed))?.serialized() == printed, "a printed message is printed differently"
            )
        }
    }
    var framer = StreamFramer()
    // In two pieces: where a segment ends must not matter.
    for piece in [bytes[..<(count / 2)], bytes[(count / 2)...]] {
        framer.append(piece)
        while let frame = try? framer.next() { if case .message(let message) = frame { read(message) } }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if let uri = try? SIPURI(parsing: text) { precondition(uri == uri) }
    _ = DigestChallenge.parse([text])
    return 0
}

private func read(_ message: SIPMessage) {
    _ = message.verdict()
    _ = (message.topVia, message.from, message.to, message.callID, message.cseq, message.isContactWildcard)
    _ = (message.maxForwards, message.contentLength, message.contentType, message.expires, message.minExpires)
    _ = (message.retryAfter, message.rseq, message.rack, message.allow, message.supported, message.require)
    _ = (try? message.vias, try? message.contacts, try? message.routes, try? message.recordRoutes)
    if let target = try? ReferTarget(of: message) {
        var again = SIPMessage(method: .refer, uri: SIPURI(host: "h"))
        again.headers.append(.referTo, target.description)
        precondition((try? ReferTarget(of: again)) == target, "a printed Refer-To is read differently")
    }
    if let replaces = message.headers.first(.replaces).flatMap({ try? Replaces(parsing: $0) }) {
        precondition(
            (try? Replaces(parsing: replaces.description)) == replaces, "a printed Replaces is read differently")
    }
    if let answer = RequestedAnswer(of: message) { precondition((0...60_000).contains(answer.afterMilliseconds)) }
    if let fragment = StatusFragment(of: message) { precondition((100...699).contains(fragment.status)) }
    _ = Dialog(callee: message, localTag: "t")
    _ = DigestChallenge.parse(message.headers.all(.wwwAuthenticate))
}
