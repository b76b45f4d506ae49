public import MediaDescription

/// A session description (RFC 8866): the lines that offer and answer need; others are skipped when it is read.
public struct SessionDescription: Sendable, Hashable {
    public var origin: Origin
    /// `s=`; `-` where there is no name.
    public var name: String
    /// Default for the media sections that have no `c=` of their own.
    public var connection: ConnectionData?
    public var bandwidth: [Bandwidth]
    public var attributes: [Attribute]
    public var media: [MediaSection]

    public init(
        origin: Origin, name: String = "-", connection: ConnectionData? = nil, bandwidth: [Bandwidth] = [],
        attributes: [Attribute] = [], media: [MediaSection] = []
    ) {
        self.origin = origin
        self.name = name
        self.connection = connection
        self.bandwidth = bandwidth
        self.attributes = attributes
        self.media = media
    }

    /// The direction of a section: its own attribute, else the session's, else `sendrecv` (RFC 8866 §6.7).
    public func direction(of section: MediaSection) -> MediaDirection {
        section.attributes.direction ?? attributes.direction ?? .sendrecv
    }

    /// The `c=` of a section: its own, else the session's.
    public func connection(of section: MediaSection) -> ConnectionData? { section.connection ?? connection }
}

/// `o=` (RFC 8866 §5.2). Identifier and version are digits of any length, kept as they are written.
public struct Origin: Sendable, Hashable {
    public var username: String
    public var sessionID: String
    public var version: String
    public var address: ConnectionData

    public init(username: String = "-", sessionID: String, version: String, address: ConnectionData) {
        self.username = username
        self.sessionID = sessionID
        self.version = version
        self.address = address
    }
}

/// An `m=` line and what stands below it (RFC 8866 §5.14).
public struct MediaSection: Sendable, Hashable {
    /// `audio`, `video`, …, in lower case.
    public var kind: String
    /// The port media is wanted at; 0 refuses or removes the stream (RFC 3264 §6, §8.2).
    public var port: UInt16
    /// Transport and profile, `RTP/AVP` for example.
    public var proto: String
    /// Payload types for RTP; free words elsewhere. In order of preference.
    public var formats: [String]
    public var connection: ConnectionData?
    public var bandwidth: [Bandwidth] = []
    public var attributes: [Attribute]

    public init(
        kind: String, port: UInt16, proto: String, formats: [String], connection: ConnectionData? = nil,
        attributes: [Attribute] = []
    ) {
        self.kind = kind
        self.port = port
        self.proto = proto
        self.formats = formats
        self.connection = connection
        self.attributes = attributes
    }
}

/// An `a=` line: a property, or a name and a value (RFC 8866 §5.13).
public struct Attribute: Sendable, Hashable {
    /// Case-sensitive.
    public var name: String
    public var value: String?

    public init(_ name: String, _ value: String? = nil) {
        self.name = name
        self.value = value
    }
}

extension [Attribute] {
    /// The value of the first attribute of this name; empty for a property.
    func first(_ name: String) -> String? {
        guard let found = first(where: { $0.name == name }) else { return nil }
        return found.value ?? ""
    }

    func has(_ name: String) -> Bool { contains { $0.name == name } }

    var direction: MediaDirection? {
        for attribute in self where attribute.value == nil {
            if let direction = MediaDirection(rawValue: attribute.name) { return direction }
        }
        return nil
    }
}
