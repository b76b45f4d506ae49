import CallModel
import CallSystem
import EventLoop
import MediaDescription
import SIP
import Testing

@testable import SIPSignalling

/// Alice, Bob and a third one, each answering what replaces a call of theirs and following what they are referred to.
@DaemonActor private final class ThreeTelephones {
    let phones: TwoTelephones
    let carol: SIPUserAgent
    let carolCalls = FakeCalls()
    let carolURI: String
    /// What Bob has called because Alice asked for it.
    var followed: CallID?

    init() throws {
        phones = try TwoTelephones()
        let end = try SIPEndpoint(listen: [ListenAddress(parsing: "udp:127.0.0.1:0")])
        carol = SIPUserAgent(
            SIPUserAgentConfiguration(directUser: "carol", acceptFrom: try AddressSet(["lan"])), endpoint: end)
        carol.observer = carolCalls
        carolURI = "sip:carol@127.0.0.1:\(end.listening.first?.address.port ?? 0)"
        phones.bobCalls.onTransferRequest = { [weak self] call in
            guard let self else { return }
            let new = CallID()
            self.followed = new
            do throws(CallError) {
                try self.phones.bob.followTransfer(call, as: new)
            } catch {
                self.phones.bob.refuseTransfer(call)
            }
        }
    }

    func close() {
        phones.close()
        carol.endpoint.close()
    }
}

@Suite("Transfers between user agents", .timeLimit(.minutes(1))) struct ThreeTelephonesTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("Blind: the one who is referred calls the target, and tells how it goes")
    @DaemonActor func blind() async throws {
        let three = try ThreeTelephones()
        let call = try await three.phones.connect()
        three.phones.alice.transfer(call.alice, to: Handle(kind: .generic, value: three.carolURI), attempt: 1)
        #expect(await three.carolCalls.awaits("incoming generic - direct"))
        #expect(await three.phones.aliceCalls.awaits("progress 180"))
        try three.carol.answer(try #require(three.carolCalls.incoming.first))
        #expect(await three.phones.aliceCalls.awaits("transferred"))
        #expect(await three.phones.bobCalls.awaits("established", count: 2))
        #expect(three.phones.bobCalls.log.contains("requested \(three.carolURI)"))
        three.phones.alice.end(call.alice)
        #expect(await three.phones.bobCalls.awaits("ended remoteEnded"))
        three.phones.bob.end(try #require(three.followed))
        #expect(await three.carolCalls.awaits("ended remoteEnded"))
        three.close()
    }

    @Test("A target that refuses is told of, and the call between the two goes on", arguments: RejectReason.allCases)
    @DaemonActor func refused(reason: RejectReason) async throws {
        let three = try ThreeTelephones()
        let call = try await three.phones.connect()
        three.phones.alice.transfer(call.alice, to: Handle(kind: .generic, value: three.carolURI), attempt: 1)
        #expect(await three.carolCalls.awaits("incoming generic - direct"))
        three.carol.reject(try #require(three.carolCalls.incoming.first), reason)
        #expect(
            await three.phones.aliceCalls.awaits("transfer failed \(reason.rawValue) \(reason == .busy ? 486 : 603)"))
        three.phones.alice.renegotiate(call.alice, attempt: 7)
        #expect(await three.phones.aliceCalls.awaits("settled 7 accepted"))
        three.close()
    }

    @Test("A target that is not there, and a peer that does not want to be transferred")
    @DaemonActor func failing() async throws {
        let three = try ThreeTelephones()
        let call = try await three.phones.connect()
        three.phones.alice.transfer(call.alice, to: Handle(kind: .generic, value: "sip:x@host.invalid"), attempt: 1)
        #expect(await three.phones.aliceCalls.awaits("transfer failed refused 503"))
        three.phones.bobCalls.onTransferRequest = { [bob = three.phones.bob] in bob.refuseTransfer($0) }
        three.phones.alice.transfer(call.alice, to: Handle(kind: .generic, value: three.carolURI), attempt: 1)
        #expect(await three.phones.aliceCalls.awaits("transfer failed declined 603"))
        three.phones.alice.transfer(call.alice, to: Handle(kind: .generic, value: "sips:x@h"), attempt: 1)
        #expect(await three.phones.aliceCalls.awaits("transfer failed invalidHandle 0"))
        three.phones.alice.transfer(CallID(), to: Handle(kind: .generic, value: three.carolURI), attempt: 1)
        #expect(await three.phones.aliceCalls.awaits("transfer failed invalidState 0"))
        #expect(three.carolCalls.log.isEmpty)
        three.close()
    }

    @Test("Attended: the target is called in the place of the call that it has with us")
    @DaemonActor func attended() async throws {
        let three = try ThreeTelephones()
        let call = try await three.phones.connect()
        let consultation = CallID()
        try three.phones.alice.start(consultation, to: Handle(kind: .generic, value: three.carolURI), account: nil)
        #expect(await three.carolCalls.awaits("incoming generic - direct"))
        try three.carol.answer(try #require(three.carolCalls.incoming.first))
        #expect(await three.carolCalls.awaits("established"))
        three.phones.alice.transfer(call.alice, replacing: consultation, attempt: 1)
        #expect(await three.carolCalls.awaits("incoming generic - direct", count: 2))
        let offered = try #require(three.carolCalls.offered.last)
        #expect(offered.replaces == three.carolCalls.incoming.first)
        try three.carol.answer(offered.id)
        three.carol.end(try #require(offered.replaces))
        #expect(await three.phones.aliceCalls.awaits("transferred"))
        #expect(await three.phones.aliceCalls.awaits("ended remoteEnded"))
        three.close()
    }
}
