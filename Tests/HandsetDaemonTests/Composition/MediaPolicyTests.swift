@testable import HandsetDaemon
import MediaDescription
import SDP
import Settings
import Testing

@Suite("What the settings make of a call's media") struct MediaPolicyTests {
    @Test("Whoever may leave pauses out is not asked to, but where the settings say so", arguments: [false, true])
    func pauses(asked: Bool) {
        var settings = Settings()
        settings.opus.askForDiscontinuousTransmission = asked
        let policy = settings.mediaPolicy(codecs: [.opus], srtp: .off)
        #expect(policy.opus.discontinuousTransmission == asked)
        #expect(settings.opus.discontinuousTransmission)
    }
}
