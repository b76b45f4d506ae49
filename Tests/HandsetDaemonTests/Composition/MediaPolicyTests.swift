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

    @Test("Calls may be encrypted unless each way in says off", arguments: SRTPPolicy.allCases, SRTPPolicy.allCases)
    func encryption(direct: SRTPPolicy, account: SRTPPolicy) {
        var settings = Settings()
        settings.direct.srtp = direct
        #expect(settings.mayEncrypt == (direct != .off))
        var added = Settings.Account(name: "desk", uri: "sip:desk@pbx.example", username: "desk")
        added.srtp = account
        settings.accounts = [added]
        #expect(settings.mayEncrypt == (direct != .off || account != .off))
    }
}
