import CallModel
@testable import CallSystem
import MediaDescription
import Testing

@Suite("Directions of hold, RFC 3264 and RFC 6337") struct DirectionTests {
    @Test(
        "What is offered",
        arguments: [
            (false, false, MediaDirection.sendrecv), (true, false, .sendonly), (false, true, .recvonly),
            (true, true, .inactive),
        ])
    func offers(held: Bool, remoteHeld: Bool, direction: MediaDirection) {
        #expect(MediaDirection.offer(held: held, remoteHeld: remoteHeld) == direction)
    }

    @Test(
        "What is answered",
        arguments: [
            (MediaDirection.sendrecv, false, MediaDirection.sendrecv), (.sendonly, false, .recvonly),
            (.recvonly, false, .sendonly), (.inactive, false, .inactive), (.sendrecv, true, .sendonly),
            (.recvonly, true, .sendonly), (.sendonly, true, .inactive), (.inactive, true, .inactive),
        ])
    func answers(offer: MediaDirection, held: Bool, answer: MediaDirection) {
        #expect(MediaDirection.answer(to: offer, held: held) == answer)
    }

    @Test("An offer that does not receive holds us", arguments: MediaDirection.allCases)
    func holds(offer: MediaDirection) {
        #expect(offer.holdsPeer == (offer == .sendonly || offer == .inactive))
    }
}

@Suite("Sounds") struct SoundsTests {
    @Test("No tone says what the user did, or what takes no tone")
    func failures() {
        #expect(CallSounds.failureTone(for: .localEnded) == nil)
        #expect(CallSounds.failureTone(for: .unanswered) == nil)
        #expect(CallSounds.failureTone(for: .busy) == .busy)
        #expect(CallSounds.failureTone(for: .failed(status: nil, text: "")) == .congestion)
    }
}
