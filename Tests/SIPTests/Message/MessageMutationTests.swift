import SIP
import Testing

/// Random changes of the torture messages, the same ones in every run.
@Suite("Mutated messages") struct MessageMutationTests {
    static let corpus = TortureTests.all.map(\.octets).filter { $0.count < 1500 } + [wire(MessageBuildingTests.invite)]
    static let morsels = [
        ";", ",", "\"", "<", ">", ":", "@", "%", "%0", "[", "]", "\r\n", "\n ", "\\", "=", "?", "\0", "\u{FF}", "*",
        "/",
        "SIP/2.0", "Via: ", "Content-Length: ", "99999999999999999999", "z9hG4bK", " ", "\r\n\r\n", "[::1]", "tag=",
    ].map { Array($0.utf8) }

    static func mutate(_ octets: inout [UInt8], _ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = octets.isEmpty ? 0 : Int.random(in: 0..<octets.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where !octets.isEmpty: octets[place] = UInt8.random(in: 0...255, using: &random)
            case 1 where !octets.isEmpty: octets[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2:
                let end = min(octets.count, place + Int.random(in: 0..<24, using: &random))
                octets.removeSubrange(place..<end)
            case 3: octets.removeSubrange(place...)
            case 4: octets.insert(contentsOf: morsels.randomElement(using: &random) ?? [], at: place)
            default:
                let end = min(octets.count, place + Int.random(in: 0..<64, using: &random))
                let target = Int.random(in: 0...octets.count, using: &random)
                octets.insert(contentsOf: Array(octets[place..<end]), at: target)
            }
        }
    }

    @Test("Nothing traps, and what can be read can be printed and read again", arguments: UInt64(1)...8)
    func messages(seed: UInt64) throws {
        var random = SeededGenerator(state: seed)
        var readable = 0
        for _ in 0..<1_500 {
            var octets = Self.corpus.randomElement(using: &random) ?? []
            Self.mutate(&octets, &random)
            guard let message = touchEverything(octets) else { continue }
            readable += 1
            if message.defects.isEmpty {
                let again = try? SIPMessage(parsing: message.serialized())
                #expect(again?.startLine == message.startLine && again?.body == message.body)
            }
        }
        #expect(readable > 700)
    }

    @Test("No stream traps, holds more than one message, or costs an answer to nobody", arguments: UInt64(1)...4)
    func streams(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        for _ in 0..<250 {
            var framer = StreamFramer()
            var table = TransactionTable(maximumServerCount: 2)
            for _ in 0..<6 {
                var octets = Self.corpus.randomElement(using: &random) ?? []
                if Bool.random(using: &random) { Self.mutate(&octets, &random) }
                framer.append(octets.prefix(Int.random(in: 0...octets.count, using: &random)))
                do {
                    while let frame = try framer.next() {
                        guard case .message(let message) = frame else { continue }
                        _ = table.receive(message, isReliable: true, at: SIPInstant(nanoseconds: 0))
                    }
                } catch { break }
                #expect(framer.pendingCount <= SIPMessage.maximumSize && table.count <= 2)
            }
        }
    }
}
