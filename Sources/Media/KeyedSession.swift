internal import MediaDescription

/// The SRTP session of one direction, made anew only when the key is another: a session's counters never begin again
/// under the same key.
struct KeyedSession: ~Copyable {
    private let direction: SRTPSession.Direction
    private var keying: SRTPKeying?
    private var session: SRTPSession?
    /// Sources that have proved to know the key: the library keeps counters for each, so there is an end to them.
    private var sources: Set<UInt32> = []
    static let maximumSources = 64

    init(_ direction: SRTPSession.Direction) { self.direction = direction }

    /// Sets the key, nil for none. Returns whether it is another one.
    @discardableResult
    mutating func set(_ keying: SRTPKeying?) -> Bool {
        guard keying != self.keying else { return false }
        self.keying = keying
        session = nil
        sources = []
        if let keying { session = try? SRTPSession(direction, keying) }
        return true
    }

    enum Outcome: Hashable {
        /// The packet's new length.
        case length(Int)
        case replayed
        /// Refused, or there is no key.
        case refused
    }

    /// Protects or unprotects in place.
    mutating func apply(_ packet: UnsafeMutableRawPointer, count: Int, isRTCP: Bool) -> Outcome {
        let source = Self.source(of: packet, count: count, isRTCP: isRTCP)
        guard let source, sources.count < Self.maximumSources || sources.contains(source) else { return .refused }
        // Taken out for the time of the call: a payload of an optional cannot be changed in place.
        guard var session = session.take() else { return .refused }
        let outcome: Outcome
        do throws(SRTPError) {
            switch (direction, isRTCP) {
            case (.send, false): outcome = .length(try session.protect(packet, count: count))
            case (.send, true): outcome = .length(try session.protectRTCP(packet, count: count))
            case (.receive, false): outcome = .length(try session.unprotect(packet, count: count))
            case (.receive, true): outcome = .length(try session.unprotectRTCP(packet, count: count))
            }
            sources.insert(source)
        } catch {
            outcome = error.isReplay ? .replayed : .refused
        }
        self.session = consume session
        return outcome
    }

    /// The SSRC in the header's clear part.
    private static func source(of packet: UnsafeMutableRawPointer, count: Int, isRTCP: Bool) -> UInt32? {
        let offset = isRTCP ? 4 : 8
        guard count >= offset + 4 else { return nil }
        return UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}

/// The bytes of a packet to send, with room behind for what protection adds. One is used again and again.
struct PacketBuffer {
    var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(2_048) }

    mutating func begin() { bytes.removeAll(keepingCapacity: true) }

    /// Protects in place; the packet is then the first so many of `bytes`. nil where it was refused.
    mutating func protect(with session: inout KeyedSession, isRTCP: Bool) -> Int? {
        let count = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: SRTPSession.maximumGrowth))
        return bytes.withUnsafeMutableBytes { raw in
            guard let base = raw.baseAddress,
                case .length(let length) = session.apply(base, count: count, isRTCP: isRTCP)
            else { return nil }
            return length
        }
    }
}
