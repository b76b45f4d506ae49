import CallModel
import CallSystem
import EventLoop
import MediaDescription
import Testing

@testable import SIPSignalling

@Suite("Two user agents on one machine", .timeLimit(.minutes(1))) struct TwoTelephonesTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("Dialled, ringing, answered, ended, over UDP and TCP", arguments: SIPTransportKind.allCases)
    @DaemonActor func plain(transport: SIPTransportKind) async throws {
        let phones = try TwoTelephones(transport)
        let call = try await phones.connect()
        #expect(phones.aliceCalls.log == ["inviteSent", "ringing", "media sendrecv", "established"])
        #expect(phones.bobCalls.log == ["incoming generic - direct", "media sendrecv", "established"])
        let heard = try #require(phones.aliceCalls.media.first)
        let spoken = try #require(phones.bobCalls.media.first)
        #expect(heard.codec == .opus)
        #expect(heard.remoteRTP.host == "127.0.0.1")
        guard case .srtp(let send, _) = heard.security, case .srtp(_, let receive) = spoken.security else {
            Issue.record("not encrypted")
            return
        }
        #expect(send == receive)
        phones.bob.end(call.bob)
        #expect(await phones.aliceCalls.awaits("ended remoteEnded"))
        #expect(await phones.bobCalls.awaits("ended localEnded"))
        #expect(phones.alice.calls.isEmpty || phones.alice.calls.values.allSatisfy { $0.isOver })
        phones.close()
    }

    @Test("Refused: declined and busy", arguments: RejectReason.allCases)
    @DaemonActor func refused(reason: RejectReason) async throws {
        let phones = try TwoTelephones()
        _ = try phones.dial()
        #expect(await phones.bobCalls.awaits("incoming generic - direct"))
        phones.bob.reject(try #require(phones.bobCalls.incoming.first), reason)
        #expect(await phones.aliceCalls.awaits("ended \(reason.rawValue)"))
        #expect(await phones.bobCalls.awaits("ended \(reason.rawValue)"))
        phones.close()
    }

    @Test("A caller who gives up: unanswered at the other end")
    @DaemonActor func cancelled() async throws {
        let phones = try TwoTelephones()
        let call = try phones.dial()
        #expect(await phones.aliceCalls.awaits("ringing"))
        phones.alice.end(call)
        #expect(await phones.bobCalls.awaits("ended unanswered"))
        #expect(await phones.aliceCalls.awaits("ended localEnded"))
        #expect(throws: CallError.self) { try phones.bob.answer(try #require(phones.bobCalls.incoming.first)) }
        phones.close()
    }

    @Test("Ended before the INVITE has left: over at once, and the other end hears nothing that lasts")
    @DaemonActor func endedAtOnce() async throws {
        let phones = try TwoTelephones()
        let call = try phones.dial()
        phones.alice.end(call)
        #expect(await phones.aliceCalls.awaits("ended localEnded"))
        #expect(phones.bobCalls.incoming.isEmpty)
        phones.close()
    }

    @Test("Ended with the INVITE handed over but not gone: it is not sent, or cancelled")
    @DaemonActor func endedBeforeLeaving() async throws {
        let phones = try TwoTelephones()
        let call = try phones.dial()
        while phones.alice.calls[call]?.session == nil { await Task.yield() }
        phones.alice.end(call)
        #expect(await phones.aliceCalls.awaits("ended localEnded"))
        try await Task.sleep(for: .milliseconds(200))
        #expect(phones.alice.calls.isEmpty)
        #expect(phones.bob.calls.isEmpty)
        phones.close()
    }

    @Test("Hold, remote hold, both, and resume have the directions of the design")
    @DaemonActor func hold() async throws {
        let phones = try TwoTelephones()
        let call = try await phones.connect()
        phones.alice.setHeld(call.alice, true)
        phones.alice.renegotiate(call.alice, attempt: 1)
        #expect(await phones.aliceCalls.awaits("settled 1 accepted"))
        #expect(await phones.bobCalls.awaits("remoteHold true"))
        #expect(phones.aliceCalls.media.last?.direction == .sendonly)
        #expect(phones.bobCalls.media.last?.direction == .recvonly)

        phones.bob.setHeld(call.bob, true)
        phones.bob.renegotiate(call.bob, attempt: 2)
        #expect(await phones.bobCalls.awaits("settled 2 accepted"))
        #expect(await phones.aliceCalls.awaits("remoteHold true"))
        #expect(phones.bobCalls.media.last?.direction == .inactive)
        #expect(phones.aliceCalls.media.last?.direction == .inactive)

        phones.alice.setHeld(call.alice, false)
        phones.alice.renegotiate(call.alice, attempt: 3)
        #expect(await phones.aliceCalls.awaits("settled 3 accepted"))
        #expect(await phones.bobCalls.awaits("remoteHold false"))
        #expect(phones.aliceCalls.media.last?.direction == .recvonly)
        #expect(phones.bobCalls.media.last?.direction == .sendonly)

        phones.bob.setHeld(call.bob, false)
        phones.bob.renegotiate(call.bob, attempt: 4)
        #expect(await phones.bobCalls.awaits("settled 4 accepted"))
        #expect(await phones.aliceCalls.awaits("remoteHold false"))
        #expect(phones.aliceCalls.media.last?.direction == .sendrecv)
        #expect(phones.bobCalls.media.last?.direction == .sendrecv)
        // Keys stay through all of it.
        #expect(Set(phones.aliceCalls.media.map(\.security)).count == 1)
        // Our own hold is never a remote one.
        #expect(phones.aliceCalls.log.filter { $0.hasPrefix("remoteHold") } == ["remoteHold true", "remoteHold false"])
        phones.close()
    }

    @Test("Both hold at the same moment: both succeed in the end")
    @DaemonActor func glare() async throws {
        let phones = try TwoTelephones()
        let call = try await phones.connect()
        phones.alice.setHeld(call.alice, true)
        phones.bob.setHeld(call.bob, true)
        phones.alice.renegotiate(call.alice, attempt: 1)
        phones.bob.renegotiate(call.bob, attempt: 1)
        #expect(await phones.bobCalls.awaits("settled 1 accepted"))
        #expect(await phones.aliceCalls.awaits("settled 1 accepted"))
        #expect(phones.aliceCalls.media.last?.direction == .inactive)
        #expect(phones.bobCalls.media.last?.direction == .inactive)
        phones.close()
    }

    @Test("An offer that cannot be taken is refused before it rings")
    @DaemonActor func incompatible() async throws {
        let phones = try TwoTelephones(
            alicePolicy: MediaPolicy(srtp: .required), bobPolicy: MediaPolicy(srtp: .off))
        _ = try phones.dial()
        #expect(await phones.aliceCalls.awaits("ended failed"))
        #expect(phones.bobCalls.log.isEmpty)
        phones.close()
    }

    @Test("A user that is not here is 404, which is failed")
    @DaemonActor func unknownUser() async throws {
        let phones = try TwoTelephones()
        _ = try phones.dial("sip:carol@\(phones.bobAddress)")
        #expect(await phones.aliceCalls.awaits("ended failed"))
        #expect(phones.bobCalls.log.isEmpty)
        phones.close()
    }

    @Test("A stranger gets no answer, is counted, and is spoken of once")
    @DaemonActor func stranger() async throws {
        let phones = try TwoTelephones(acceptFrom: ["192.0.2.1"])
        let call = try phones.dial()
        #expect(await phones.bobCalls.awaits("stranger"))
        try await Task.sleep(for: .milliseconds(1_700))
        #expect(phones.bob.droppedRequests >= 2)
        #expect(phones.bob.droppedRequests(from: "127.0.0.1") == phones.bob.droppedRequests)
        #expect(phones.bob.droppedRequests(from: "127.0.0.2") == 0)
        #expect(phones.bobCalls.log == ["stranger"])
        #expect(phones.bobCalls.strangers == ["127.0.0.1 1"])
        #expect(phones.aliceCalls.log == ["inviteSent"])
        phones.alice.end(call)
        phones.close()
    }

    @Test("Without a free port a call ends before it leaves, and an incoming one when it is answered")
    @DaemonActor func noPorts() async throws {
        let phones = try TwoTelephones()
        phones.aliceCalls.hasPorts = false
        _ = try phones.dial()
        #expect(await phones.aliceCalls.awaits("ended failed"))
        #expect(phones.aliceCalls.log == ["ended failed"])
        phones.aliceCalls.hasPorts = true
        phones.bobCalls.hasPorts = false
        _ = try phones.dial()
        #expect(await phones.bobCalls.awaits("incoming generic - direct"))
        try phones.bob.answer(try #require(phones.bobCalls.incoming.first))
        #expect(await phones.bobCalls.awaits("ended failed"))
        #expect(await phones.aliceCalls.awaits("ended failed", count: 2))
        phones.close()
    }

    @Test("What cannot be begun throws and does nothing")
    @DaemonActor func impossible() async throws {
        let phones = try TwoTelephones()
        let handle = Handle(kind: .generic, value: phones.bobURI)
        #expect { try phones.alice.start(CallID(), to: handle, account: "no") } throws: {
            ($0 as? CallError)?.reason == .unknownAccount
        }
        #expect {
            try phones.alice.start(CallID(), to: Handle(kind: .generic, value: "sips:a@b"), account: nil)
        } throws: {
            ($0 as? CallError)?.reason == .invalidHandle
        }
        // So it is known before.
        #expect { try phones.alice.check(handle, account: "no") } throws: {
            ($0 as? CallError)?.reason == .unknownAccount
        }
        try phones.alice.check(handle, account: nil)
        let call = try phones.dial()
        #expect { try phones.alice.start(call, to: handle, account: nil) } throws: {
            ($0 as? CallError)?.reason == .callAlreadyExists
        }
        #expect { try phones.alice.answer(call) } throws: { ($0 as? CallError)?.reason == .invalidState }
        #expect { try phones.alice.answer(CallID()) } throws: { ($0 as? CallError)?.reason == .unknownCall }
        phones.close()
    }

    @Test("Shutting down ends the calls and is done when they are")
    @DaemonActor func shutDown() async throws {
        let phones = try TwoTelephones()
        _ = try await phones.connect()
        await withCheckedContinuation { continuation in phones.alice.shutDown { continuation.resume() } }
        #expect(await phones.bobCalls.awaits("ended remoteEnded"))
        #expect(await phones.aliceCalls.awaits("ended localEnded"))
        phones.close()
    }
}
