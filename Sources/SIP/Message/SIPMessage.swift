/// A SIP request or response (RFC 3261 §7). Headers are raw text until they are asked for.
public struct SIPMessage: Hashable, Sendable {
    /// The first line.
    public enum StartLine: Hashable, Sendable {
        case request(method: SIPMethod, uri: SIPURI)
        case response(status: Int, reason: String)
    }

    /// What the parser found wrong, and could yet read on from. `verdict` says what a request gets for it.
    public enum Defect: Hashable, Sendable {
        /// The Request-Line has other space than it should, or its URI is none.
        case malformedRequestLine
        /// Another version than SIP/2.0.
        case unsupportedVersion
        /// A line that is no header.
        case malformedHeaderLine
        /// A Content-Length that is no number, or several that differ.
        case malformedContentLength
        /// The body is shorter than Content-Length says.
        case truncatedBody
    }

    public var startLine: StartLine
    public var headers = HeaderList()
    public var body: [UInt8] = []
    /// Empty in messages that we made.
    public internal(set) var defects: Set<Defect> = []

    /// The most octets a message may have.
    public static let maximumSize = 65_536
    /// The most octets a header may have, continuation lines included.
    public static let maximumLineLength = 16_384
    /// The most header lines a message may have.
    public static let maximumHeaderCount = 256

    public init(startLine: StartLine) { self.startLine = startLine }

    /// A request without headers.
    public init(method: SIPMethod, uri: SIPURI) { startLine = .request(method: method, uri: uri) }

    /// A response without headers; the reason phrase is the registered one unless it is given.
    public init(status: Int, reason: String? = nil) {
        startLine = .response(status: status, reason: reason ?? ReasonPhrase.of(status))
    }

    public var isRequest: Bool {
        switch startLine {
        case .request: true
        case .response: false
        }
    }

    /// Of a request, else that of the CSeq; nil where a response has no readable CSeq.
    public var method: SIPMethod? {
        switch startLine {
        case .request(let method, _): method
        case .response: cseq?.method
        }
    }

    /// The Request-URI; nil in a response.
    public var requestURI: SIPURI? {
        switch startLine {
        case .request(_, let uri): uri
        case .response: nil
        }
    }

    /// 100 to 699; nil in a request.
    public var status: Int? {
        switch startLine {
        case .request: nil
        case .response(let status, _): status
        }
    }

    /// The reason phrase; nil in a request.
    public var reasonPhrase: String? {
        switch startLine {
        case .request: nil
        case .response(_, let reason): reason
        }
    }
}
