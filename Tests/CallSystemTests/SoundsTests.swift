import CallModel
import Testing

@testable import CallSystem

@Suite("Sounds") struct SoundsTests {
    @Test("No tone says what the user did, or what takes no tone")
    func failures() {
        #expect(CallSounds.failureTone(for: .localEnded) == nil)
        #expect(CallSounds.failureTone(for: .unanswered) == nil)
        #expect(CallSounds.failureTone(for: .busy) == .busy)
        #expect(CallSounds.failureTone(for: .failed(status: nil, text: "")) == .congestion)
    }
}
