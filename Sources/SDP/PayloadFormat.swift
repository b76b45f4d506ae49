internal import MediaDescription

/// What a payload type stands for.
enum PayloadFormat: Sendable, Hashable {
    case codec(Codec)
    /// RFC 4733 events.
    case events(clockRate: Int)
    /// RFC 2198 around Opus.
    case redundancy

    /// Reads an encoding as rtpmap writes it: `name/clock[/channels]`; nil where it is none of ours.
    init?(encoding: some StringProtocol) {
        let parts = encoding.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts.count <= 3, let clock = Int(parts[1]) else { return nil }
        let channels = parts.count == 3 ? String(parts[2]) : "1"
        let name = parts[0].lowercased()
        if name == "telephone-event" {
            guard [8_000, 48_000].contains(clock), channels == "1" else { return nil }
            self = .events(clockRate: clock)
            return
        }
        if name == "red" {
            guard clock == Codec.opus.clockRate, channels == "2" else { return nil }
            self = .redundancy
            return
        }
        guard let codec = Codec.allCases.first(where: { $0.rawValue.lowercased() == name }), clock == codec.clockRate,
            channels == (codec == .opus ? "2" : "1")  // RFC 7587 §7: always 48000/2
        else { return nil }
        self = .codec(codec)
    }

    /// The static meaning of a payload type (RFC 3551 §6).
    init?(staticPayloadType: UInt8) {
        guard let codec = Codec.allCases.first(where: { $0.staticPayloadType == staticPayloadType }) else { return nil }
        self = .codec(codec)
    }

    /// As rtpmap writes it.
    var encoding: String {
        switch self {
        case .codec(.opus): "opus/48000/2"
        case .codec(let codec): "\(codec.rawValue)/\(codec.clockRate)"
        case .events(let clockRate): "telephone-event/\(clockRate)"
        case .redundancy: "red/48000/2"
        }
    }

    /// The number we give it where nothing stands against it. 64-95 would look like RTCP (RFC 5761 §4).
    var preferredPayloadType: UInt8 {
        switch self {
        case .codec(let codec): codec.staticPayloadType ?? 96
        case .events(clockRate: 48_000): 100
        case .events: 101
        case .redundancy: 97
        }
    }
}

/// Which payload type means what in the packets we receive. A number once given keeps its meaning for the session.
struct PayloadTypeMap: Sendable, Hashable {
    private var numbers: [PayloadFormat: UInt8] = [:]

    subscript(format: PayloadFormat) -> UInt8? { numbers[format] }

    func format(of number: UInt8) -> PayloadFormat? { numbers.first { $0.value == number }?.key }

    /// The number of `format`, given now if it had none.
    mutating func assign(_ format: PayloadFormat) -> UInt8 {
        if let number = numbers[format] { return number }
        let taken = Set(numbers.values)
        let dynamic = ([format.preferredPayloadType] + Array(96...127)).first { !taken.contains($0) }
        let number = dynamic ?? format.preferredPayloadType  // seven formats never use up 32 numbers
        numbers[format] = number
        return number
    }

    /// Takes over the peer's number, as an answer should (RFC 3264 §6.1); a format that had it loses it.
    mutating func adopt(_ number: UInt8, for format: PayloadFormat) {
        numbers = numbers.filter { $0.value != number }
        numbers[format] = number
    }
}
