import MediaDescription
import SDP
import Testing

@Suite("Directions and hold (RFC 3264 §6.1, §8.4; RFC 6337 §5.3)") struct DirectionTests {
    static let answers: [(offered: MediaDirection, held: Bool, answered: MediaDirection, remoteHold: Bool)] = [
        (.sendrecv, false, .sendrecv, false), (.sendonly, false, .recvonly, true), (.recvonly, false, .sendonly, false),
        (.inactive, false, .inactive, true), (.sendrecv, true, .sendonly, false), (.recvonly, true, .sendonly, false),
        (.sendonly, true, .inactive, true), (.inactive, true, .inactive, true),
    ]

    @Test("Each offered direction is answered by the design's table", arguments: answers.indices)
    func answer(row: Int) throws {
        let (offered, held, answered, remoteHold) = Self.answers[row]
        var negotiator = Sample.negotiator(srtp: .off)
        let offer = try Sample.peer("m=audio 4000 RTP/AVP 0\r\na=\(offered.rawValue)")
        let (answer, parameters) = try negotiator.receive(offer: offer, held: held, local: Sample.local)
        #expect(answer.direction(of: answer.media[0]) == answered)
        #expect(parameters?.direction == answered)
        #expect(negotiator.remoteHold == remoteHold)
    }

    @Test(
        "c=0.0.0.0 and :: are hold: the peer gets nothing", arguments: ["IN IP4 0.0.0.0", "IN IP6 ::"], [false, true])
    func nullAddress(connection: String, held: Bool) throws {
        var negotiator = Sample.negotiator(srtp: .off)
        let offer = try Sample.peer("m=audio 4000 RTP/AVP 0", connection: connection)
        let (answer, parameters) = try negotiator.receive(offer: offer, held: held, local: Sample.local)
        #expect(negotiator.remoteHold)
        #expect(answer.direction(of: answer.media[0]) == (held ? .inactive : .recvonly))
        #expect(parameters?.direction.sends == false)
        #expect(answer.connection?.address == "192.0.2.10", "we never write a null address ourselves")
    }

    @Test(
        "What we offer follows both holds",
        arguments: [
            (false, false, MediaDirection.sendrecv), (true, false, .sendonly), (false, true, .recvonly),
            (true, true, .inactive),
        ])
    func offer(held: Bool, remoteHeld: Bool, expected: MediaDirection) throws {
        var negotiator = Sample.negotiator(srtp: .off)
        let offer = try Sample.peer("m=audio 4000 RTP/AVP 0\r\na=" + (remoteHeld ? "sendonly" : "sendrecv"))
        _ = try negotiator.receive(offer: offer, held: false, local: Sample.local)
        #expect(negotiator.wantedDirection(held: held) == expected)
        let reoffer = negotiator.offer(direction: negotiator.wantedDirection(held: held), local: Sample.local)
        #expect(reoffer.direction(of: reoffer.media[0]) == expected)
    }

    @Test("An answer never gives more than was offered", arguments: MediaDirection.allCases, MediaDirection.allCases)
    func agreed(offered: MediaDirection, answered: MediaDirection) throws {
        var negotiator = Sample.negotiator(srtp: .off)
        _ = negotiator.offer(direction: offered, local: Sample.local)
        let parameters = try negotiator.receive(
            answer: Sample.peer("m=audio 4000 RTP/AVP 0\r\na=\(answered.rawValue)"))
        #expect(parameters.direction.sends == (offered.sends && answered.receives))
        #expect(parameters.direction.receives == (offered.receives && answered.sends))
    }

    @Test("The answer to our own hold is not the peer's hold", arguments: ["recvonly", "inactive", "sendonly"])
    func ownHold(answered: String) throws {
        var negotiator = Sample.negotiator(srtp: .off)
        _ = negotiator.offer(direction: .sendonly, local: Sample.local)
        _ = try negotiator.receive(answer: Sample.peer("m=audio 4000 RTP/AVP 0\r\na=\(answered)"))
        #expect(!negotiator.remoteHold)
        #expect(negotiator.wantedDirection(held: false) == .sendrecv)
    }

    @Test("The peer's resume ends its hold")
    func remoteResume() throws {
        var negotiator = Sample.negotiator(srtp: .off)
        for (direction, held) in [("sendonly", true), ("sendrecv", false), ("inactive", true), ("recvonly", false)] {
            let offer = try Sample.peer("m=audio 4000 RTP/AVP 0\r\na=\(direction)")
            _ = try negotiator.receive(offer: offer, held: false, local: Sample.local)
            #expect(negotiator.remoteHold == held)
        }
    }
}
