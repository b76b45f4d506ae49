/// Cuts the octets of a stream into messages, by Content-Length (RFC 3261 §18.3), and tells keep-alives (RFC 5626).
///
/// What it holds is bounded by the largest message and what was appended last; every octet is looked at once.
public struct StreamFramer: Sendable {
    /// What the stream brought.
    public enum Frame: Hashable, Sendable {
        case message(SIPMessage)
        /// A double CRLF between messages: a single CRLF is the answer (RFC 5626 §4.4.1).
        case ping
        /// The single CRLF that answers our ping.
        case pong
    }

    /// The stream cannot be followed any further: the connection must be closed.
    public enum Failure: Error, Hashable, Sendable {
        /// The head of a message, or the length that it names, exceeds `SIPMessage.maximumSize`.
        case tooLarge
        /// What came is no SIP message.
        case malformed(SIPParseError)
        /// The message has no Content-Length, or none that can be believed. It may be answered before the close.
        case unframed(SIPMessage)
    }

    private var buffer: [UInt8] = []
    /// Where the octets begin that were not yet handed out.
    private var start = 0
    /// How far the end of the head has been looked for.
    private var scanned = 0
    /// Where the line begins in which `scanned` is.
    private var lineStart = 0
    /// The head was read, the body is not yet whole.
    private var pending: (head: SIPMessage, bodyStart: Int, end: Int)?
    private var isExpectingPong = false
    private var lineEnds = 0
    private var failure: Failure?

    public init() {}

    /// How many octets wait for the rest of their message.
    public var pendingCount: Int { buffer.count - start }

    /// The next single CRLF answers a ping of ours.
    public mutating func expectPong() { isExpectingPong = true }

    /// Adds what was read from the stream. Call `next` until it returns nil before adding more.
    public mutating func append(_ octets: some Sequence<UInt8>) {
        if start > 0 {
            buffer.removeSubrange(..<start)
            scanned -= start
            lineStart -= start
            pending = pending.map { ($0.head, $0.bodyStart - start, $0.end - start) }
            start = 0
        }
        buffer.append(contentsOf: octets)
    }

    /// The next message or keep-alive; nil until more is appended. Once it has thrown, it throws again.
    public mutating func next() throws(Failure) -> Frame? {
        if let failure { throw failure }
        do throws(Failure) { return try cut() } catch {
            failure = error
            buffer = []
            start = 0
            throw error
        }
    }

    private mutating func cut() throws(Failure) -> Frame? {
        if pending == nil {
            if let keepAlive = takeLineEnds() { return keepAlive }
            // A CR that waits for its LF begins no head.
            guard start < buffer.count, buffer[start] != 0x0D, let end = try findHead() else { return nil }
            pending = try readHead(end)
        }
        guard let (head, bodyStart, end) = pending, end <= buffer.count else { return nil }
        var message = head
        message.body = Array(buffer[bodyStart..<end])
        message.defects.remove(.truncatedBody)
        advance(to: end)
        pending = nil
        return .message(message)
    }

    /// Takes line ends before a message. Two of them are a ping also where they come apart.
    private mutating func takeLineEnds() -> Frame? {
        guard scanned == start else { return nil }  // inside of a head
        while start < buffer.count, buffer[start] == 0x0D || buffer[start] == 0x0A {
            if buffer[start] == 0x0D, start + 1 == buffer.count { return nil }  // its LF is yet to come
            let isLineEnd = buffer[start] == 0x0A
            advance(to: start + 1)
            guard isLineEnd else { continue }
            if isExpectingPong {
                isExpectingPong = false
                return .pong
            }
            lineEnds += 1
            if lineEnds == 2 {
                lineEnds = 0
                return .ping
            }
        }
        if start < buffer.count { lineEnds = 0 }
        return nil
    }

    /// Where the head ends, its empty line included; nil as long as it does not.
    private mutating func findHead() throws(Failure) -> Int? {
        while scanned < buffer.count {
            guard scanned - start < SIPMessage.maximumSize else { throw .tooLarge }
            let octet = buffer[scanned]
            scanned += 1
            guard octet == 0x0A else { continue }
            let length = scanned - 1 - lineStart
            let isEmpty = length == 0 || length == 1 && buffer[lineStart] == 0x0D
            lineStart = scanned
            if isEmpty { return scanned }
        }
        return nil
    }

    private func readHead(_ end: Int) throws(Failure) -> (SIPMessage, Int, Int) {
        var head: SIPMessage
        do throws(SIPParseError) { head = try SIPMessage(parsing: Array(buffer[start..<end])) } catch {
            throw .malformed(error)
        }
        guard let length = head.contentLength else {
            head.defects.insert(.malformedContentLength)
            throw .unframed(head)
        }
        guard end - start + length <= SIPMessage.maximumSize else { throw .tooLarge }
        return (head, end, end + length)
    }

    private mutating func advance(to position: Int) {
        start = position
        scanned = position
        lineStart = position
    }
}
