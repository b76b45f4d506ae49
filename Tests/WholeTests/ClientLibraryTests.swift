import Glibc
import HandsetKit
import Testing

extension Whole {
    @Suite("The client library", .serialized, .timeLimit(.minutes(2))) struct ClientLibraryTests {
        @Test("A whole call by two programs, each with its events")
        func call() async throws {
            let pair = try CallPair()
            let alice = try await Handset.connect(to: pair.alice.socket)
            let bob = try await Handset.connect(to: pair.bob.socket)
            let events = try await bob.events()
            let answering = Task {
                for await case .event(let event) in events {
                    if case .callIncoming(let call) = event.content { try await bob.answer(call.id) }
                    if case .callDTMF(_, let digit, _) = event.content { return digit as Character? }
                }
                return nil
            }
            let id = CallID()
            let call = try await alice.dial(pair.bob.uri, id: id, waiting: true).call
            #expect(call.id == id && call.state == .connected)
            let token = "once"
            #expect(try await alice.hold(id, token: token).changed)
            #expect(try await alice.hold(id).changed == false)
            // Sent again under its token it is answered with its first result.
            #expect(try await alice.hold(id, token: token).changed)
            #expect(try await alice.calls().first?.held == true)
            let swapped = try await alice.transaction([.resume(id), .mute(id)])
            #expect(swapped.map(\.fulfilled) == [true, true])
            #expect(try await alice.statistics().calls.first?.gate.muted == true)
            try await alice.play(#require(DigitString("7")), id)
            #expect(try await answering.value == "7")
            try await alice.end(id)
            let error = await #expect(throws: HandsetError.self) { try await alice.hold(id) }
            #expect(error?.reason == .unknownCall)
        }

        @Test("A daemon that is killed is waited for: the reader is told, requests go on with its successor")
        func crash() async throws {
            let endpoint = try Endpoint("alice", tone: nil)
            let handset = try await Handset.connect(to: endpoint.socket)
            let first = try await handset.status().instance
            var notices = try await handset.events().makeAsyncIterator()
            endpoint.process.send(SIGKILL)
            guard case .disconnected? = await notices.next() else { return #expect(Bool(false)) }
            let asked = Task { try await handset.status().instance }
            let folder = try ScratchFolder()
            let again = try ChildProcess(
                "\(Endpoint.programs)/handsetd", ["--config", endpoint.configuration, "--socket", endpoint.socket],
                log: "\(folder.path)/log")
            defer { again.stop() }
            #expect(try await asked.value != first)
            #expect(await notices.next() == .reconnected)
            #expect(await notices.next() == .gap(.daemonRestarted))
        }
    }
}
