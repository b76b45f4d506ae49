import ControlProtocol
import Testing

/// Four endpoints: the host is in a call with each of the three others, every one with a tone of its own as microphone.
final class Conference {
    let host: Endpoint
    let guests: [Endpoint]
    /// The host's calls with the guests.
    private(set) var calls: [String] = []

    /// Multiples of 25 Hz, which do not leak into each other in windows of 40 ms.
    static let hostTone = 1_000.0
    static let guestTones = [450.0, 650, 1_500]

    init(settings: String = "") throws {
        host = try Endpoint("host", tone: Self.hostTone, settings: settings, amplitude: 0.15)
        guests = try zip(["ann", "ben", "cat"], Self.guestTones).map { try Endpoint($0, tone: $1, amplitude: 0.15) }
    }

    /// The host dials one after the other, each of which answers; the last is active.
    func connect() throws {
        for guest in guests {
            let started = try host.control.request("call.start", ["handle": .string(guest.uri)])
            let id = try #require(started["call"]?["id"]?.string)
            _ = try guest.control.event("call.incoming")
            try guest.act("call.answer")
            _ = try host.control.event("call.updated") {
                $0["call"]?["id"]?.string == id && $0["call"]?["state"]?.string == "connected"
            }
            calls.append(id)
        }
    }

    @discardableResult
    func merge() throws -> JSONValue {
        try host.control.request("group.merge", ["ids": .array(calls.map(JSONValue.string))])
    }

    /// The host's calls as it tells of them, in the order of the guests; nil where one is over.
    func snapshots() throws -> [JSONValue?] {
        let known = try host.control.request("call.list")["calls"]?.array ?? []
        return calls.map { id in known.first { $0["id"]?.string == id } }
    }

    /// Which tones (the host's, then the guests') each endpoint (the host, then the guests) hears, once that is what is
    /// expected; nil: that one is not asked.
    func expectHeard(_ expected: [Set<Double>?]) throws {
        for (endpoint, tones) in zip([host] + guests, expected) {
            guard let tones else { continue }
            _ = try eventually("\(endpoint.name) hears \(tones.sorted()), and nothing else", within: 10) {
                let sound = try endpoint.listen(seconds: 0.4)
                let heard = ([Self.hostTone] + Self.guestTones).filter { sound.heardDbfs(of: $0) > -32 }
                let leaks = ([Self.hostTone] + Self.guestTones).filter {
                    !tones.contains($0) && sound.heardDbfs(of: $0) > -45
                }
                return Set(heard) == tones && leaks.isEmpty ? true : nil
            }
        }
    }
}
