import CallModel
import ControlProtocol
import MediaDescription
import Screening
import Testing

@Suite("Requests") struct ControlRequestTests {
    private let id = "0b5e3c1c-5c1d-4a26-9d6a-6c9d9e6a4f01"

    private func request(_ method: String, _ params: String) throws -> ControlRequest {
        let line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\(method)\",\"params\":\(params)}"
        return try ControlRequest(ControlEnvelope(parsing: Array(line.utf8)))
    }

    private func error(_ method: String, _ params: String) -> ControlError? {
        #expect(throws: ControlError.self) { try request(method, params) }
    }

    @Test(
        "A line that is no request is answered with JSON-RPC's code, under its id where it has one",
        arguments: [
            ("{", -32700, "null"), ("\u{FF}", -32700, "null"), ("[]", -32600, "null"),
            ("[{\"method\":\"call.list\",\"id\":1}]", -32600, "null"), ("1", -32600, "null"), ("{}", -32600, "null"),
            ("{\"id\":7}", -32600, "7"), ("{\"id\":\"x\",\"method\":5}", -32600, "\"x\""),
            ("{\"id\":[],\"method\":\"call.list\"}", -32600, "null"),
            ("{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"call.list\"}", -32600, "7"),
            ("{\"id\":7,\"method\":\"call.list\",\"params\":[1]}", -32602, "7"),
        ])
    func malformed(line: String, code: Int, id: String) throws {
        let malformed = #expect(throws: ControlEnvelope.Malformed.self) {
            try ControlEnvelope(parsing: Array(line.utf8))
        }
        #expect(malformed?.error.code == code)
        #expect(malformed?.id.text == id)
    }

    @Test("A request without an id is a notification; one with id null is not")
    func notification() throws {
        #expect(try ControlEnvelope(parsing: Array("{\"method\":\"call.list\"}".utf8)).id == nil)
        #expect(try ControlEnvelope(parsing: Array("{\"method\":\"call.list\",\"id\":null}".utf8)).id == .null)
    }

    @Test("Every method is read", arguments: ControlMethod.allCases)
    func everyMethod(method: ControlMethod) throws {
        let params = """
            {"id":"\(id)","ids":["\(id)","6ba7b810-9dad-41d1-80b4-00c04fd430c8"],"handle":"101","digits":"1",
            "name":"Ann","handles":["101"],"file":"/tmp/a.wav",
            "actions":[{"method":"call.hold","params":{"id":"\(id)"}}]}
            """
        _ = try request(method.rawValue, params)
    }

    @Test("A transfer names whom or which call, not both, and is written as it is read")
    func transfer() throws {
        let call = try #require(CallID(id))
        let other = CallID()
        let targets: [TransferTarget] = [.handle(try Handle(parsing: "sip:carol@example.com")), .call(other)]
        for target in targets {
            let wanted = ControlRequest.action(.transfer(call, to: target))
            #expect(try ControlRequest(wanted.envelope(id: .integer(1))) == wanted)
        }
        #expect(error("call.transfer", "{\"id\":\"\(id)\"}")?.code == -32602)
        #expect(
            error("call.transfer", "{\"id\":\"\(id)\",\"handle\":\"1\",\"otherId\":\"\(other)\"}")?.code == -32602)
        #expect(error("call.transfer", "{\"id\":\"\(id)\",\"handle\":\"a b@\"}")?.reason == "invalidHandle")
    }

    @Test("What is written is read back")
    func roundTrip() throws {
        let call = CallID()
        let handle = try Handle(parsing: "sip:alice@example.com")
        let digits = try #require(DigitString("12,#;"))
        var slowDigits = digits
        (slowDigits.tone, slowDigits.gap) = (250, 60)
        let requests: [ControlRequest] = [
            .daemonStatus, .daemonReload, .callList, .devicesList, .statsGet(nil), .statsGet(call),
            .volumeSet(capture: 5, playback: nil), .eventsSubscribe(since: nil),
            .eventsSubscribe(since: EventCursor(instance: "i", seq: 5)),
            .callPlay(call, file: "/a.opus", loops: true), .callPlay(call, file: "/a.wav", loops: false),
            .callStopPlaying(call), .recordingStart(call, file: nil), .recordingStart(call, file: "a.wav"),
            .recordingStop(call), .probeRun(ProbeWish(handle: handle)),
            .probeRun(ProbeWish(handle: handle, account: "a", seconds: 60, frequency: 100, level: -6, id: call)),
            .probeRun(ProbeWish(handle: handle, isDetached: true)),
            .action(.start(handle, account: "office", id: call)), .action(.start(handle, account: nil, id: nil)),
            .action(.answer(call)), .action(.reject(call, .busy)), .action(.end(call)), .action(.hold(call)),
            .action(.resume(call)), .action(.mute(call)), .action(.unmute(call)), .action(.earmuff(call)),
            .action(.unearmuff(call)), .action(.dtmf(call, digits)), .action(.dtmf(call, slowDigits)),
            .action(.endAndAnswer(call)), .action(.merge([call, CallID()])), .action(.split(call)),
            .transaction([.hold(call), .resume(call)]),
            .historyList(HistoryQuery(), seen: false), .historyClear,
            .historyList(
                HistoryQuery(limit: 5, before: call, missedOnly: true, direction: .incoming, handle: "101"), seen: true),
            .dndSet(on: true), .dndSet(on: nil), .ringerSet(silent: true), .ringerSet(silent: nil),
            .profileSet(.always(.speakerphone)), .profileSet(.configured), .profileSet(nil),
            .blockAdd("+49900*"), .blockRemove("anonymous"), .blockList,
            .contactsAdd(
                Contact(
                    name: "J\u{F6}rg", handles: ["101", "sip:a@b.example"], ringTone: "/a.wav", autoAnswer: true,
                    throughDoNotDisturb: true)),
            .contactsRemove(name: "J\u{F6}rg"), .contactsList(from: 7),
        ]
        for request in requests {
            let line = request.envelope(id: .integer(1)).line
            #expect(try ControlRequest(ControlEnvelope(parsing: line)) == request)
        }
    }

    @Test(
        "What is no query, contact or entry is refused, with the member that is wrong",
        arguments: [
            ("history.list", "{\"limit\":0}", "limit"), ("history.list", "{\"limit\":501}", "limit"),
            ("history.list", "{\"before\":\"x\"}", "before"), ("history.list", "{\"missed\":1}", "missed"),
            ("history.list", "{\"direction\":\"up\"}", "direction"), ("dnd.set", "{\"on\":\"yes\"}", "on"),
            ("ringer.set", "{\"silent\":1}", "silent"), ("profile.set", "{\"profile\":\"loud\"}", "profile"),
            ("profile.set", "{\"profile\":1}", "profile"),
            ("block.add", "{}", "handle"), ("contacts.add", "{\"handles\":[\"1\"]}", "name"),
            ("contacts.add", "{\"name\":\"A\",\"handles\":[\"1\"],\"ringTone\":\"bell.wav\"}", "ringTone"),
            ("contacts.add", "{\"name\":\"a\\nb\",\"handles\":[\"1\"]}", "name"),
            ("contacts.add", "{\"name\":\"a\",\"handles\":[]}", "handles"), ("contacts.remove", "{}", "name"),
            ("contacts.list", "{\"from\":-1}", "from"),
        ])
    func receptionParams(method: String, params: String, member: String) {
        let error = error(method, params)
        #expect(error?.code == -32_602 && error?.message.hasPrefix(member) == true, "\(String(describing: error))")
    }

    @Test("Only what a list can hold is blocked", arguments: ["", "*", "@", "bob*"])
    func blockEntries(entry: String) {
        #expect(error("block.add", "{\"handle\":\"\(entry)\"}")?.reason == "invalidHandle")
    }

    @Test("A reject without a reason is declined")
    func rejectDefault() throws {
        #expect(try request("call.reject", "{\"id\":\"\(id)\"}") == .action(.reject(#require(CallID(id)), .declined)))
    }

    @Test(
        "Wrong params are -32602",
        arguments: [
            ("call.hold", "{}"), ("call.hold", "{\"id\":1}"), ("call.hold", "{\"id\":\"abc\"}"), ("call.start", "{}"),
            ("call.start", "{\"handle\":5}"), ("call.start", "{\"handle\":{\"type\":\"generic\"}}"),
            ("call.start", "{\"handle\":{\"type\":\"fax\",\"value\":\"1\"}}"),
            ("call.start", "{\"handle\":\"101\",\"id\":\"x\"}"), ("volume.set", "{\"capture\":101}"),
            ("volume.set", "{\"playback\":-1}"), ("volume.set", "{\"playback\":1.5}"),
            ("volume.set", "{\"playback\":\"5\"}"), ("events.subscribe", "{\"since\":5}"),
            ("events.subscribe", "{\"since\":{\"instance\":\"x\",\"seq\":-1}}"), ("transaction.request", "{}"),
            ("transaction.request", "{\"actions\":[{\"method\":\"call.list\"}]}"),
            ("transaction.request", "{\"actions\":[5]}"), ("stats.get", "{\"id\":\"x\"}"),
            ("group.merge", "{}"), ("group.merge", "{\"ids\":[\"6ba7b810-9dad-41d1-80b4-00c04fd430c8\"]}"),
            ("group.merge", "{\"ids\":[1,2]}"), ("group.split", "{}"),
        ])
    func wrongParams(method: String, params: String) {
        #expect(error(method, params)?.code == -32602)
    }

    @Test("Wrong reasons and digits are -32602")
    func wrongValues() {
        #expect(error("call.reject", "{\"id\":\"\(id)\",\"reason\":\"no\"}")?.code == -32602)
        #expect(error("call.dtmf", "{\"id\":\"\(id)\",\"digits\":\"12x\"}")?.code == -32602)
        #expect(error("call.dtmf", "{\"id\":\"\(id)\"}")?.code == -32602)
        #expect(error("call.dtmf", "{\"id\":\"\(id)\",\"digits\":\"1\",\"toneMs\":39}")?.code == -32602)
        #expect(error("call.dtmf", "{\"id\":\"\(id)\",\"digits\":\"1\",\"gapMs\":2001}")?.code == -32602)
        #expect(error("call.answer", "{\"id\":\"\(id)\",\"end\":1}")?.code == -32602)
    }

    @Test("Failures have their word")
    func reasons() {
        #expect(error("call.start", "{\"handle\":\"\"}")?.reason == "invalidHandle")
        #expect(error("call.start", "{\"handle\":\"sip:a b@c\"}")?.reason == "invalidHandle")
        #expect(error("transaction.request", "{\"actions\":[]}")?.reason == "emptyTransaction")
        #expect(error("nothing", "{}")?.code == -32601)
        let many = Array(repeating: "{\"method\":\"call.end\",\"params\":{\"id\":\"\(id)\"}}", count: 17)
        #expect(error("transaction.request", "{\"actions\":[\(many.joined(separator: ","))]}")?.code == -32602)
    }

    @Test("A token is a string of 1 to 128 bytes")
    func token() throws {
        func token(_ params: JSONObject) throws -> String? {
            try ControlRequest.token(of: ControlEnvelope(id: nil, .callList, params))
        }
        #expect(try token(["token": "t1"]) == "t1")
        #expect(try token([:]) == nil)
        #expect(throws: ControlError.self) { try token(["token": ""]) }
        #expect(throws: ControlError.self) { try token(["token": 5.json]) }
        #expect(throws: ControlError.self) { try token(["token": .string(String(repeating: "x", count: 129))]) }
    }
}

extension Int {
    fileprivate var json: JSONValue { .integer(Int64(self)) }
}
