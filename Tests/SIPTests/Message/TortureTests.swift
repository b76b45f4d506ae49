import SIP
import Testing

@Suite("Torture messages") struct TortureTests {
    static let all = TortureValid.all + TortureInvalid.all + TortureSemantics.all + TortureIPv6.all

    @Test("Each gets what its RFC names", arguments: all)
    func outcome(torture: TortureMessage) throws {
        guard case .unreadable = torture.outcome else {
            let verdict = try torture.message.verdict(options: [])
            switch (torture.outcome, verdict) {
            case (.acceptable, .acceptable): break
            case (.rejected(let wanted), .reject(let status, _, _)): #expect(status == wanted)
            case (.dropped, .drop): break
            default: Issue.record("\(torture.name): \(verdict)")
            }
            return
        }
        #expect(throws: SIPParseError.malformedStartLine) { try torture.message }
    }

    @Test("A refused request gets an answer that finds its way back", arguments: all)
    func refusal(torture: TortureMessage) throws {
        guard case .rejected(let status) = torture.outcome else { return }
        let request = try torture.message
        let response = try #require(request.response(to: request.verdict(options: []), toTag: "ours"))
        let printed = try SIPMessage(parsing: response.serialized())
        #expect(printed.status == status)
        #expect(printed.topVia == request.topVia)
        #expect(printed.headers.all(.callID) == request.headers.all(.callID))
    }

    /// Those that are well-formed, but nothing for a telephone, which is no registrar, and what it says to them.
    static let answers = [
        "intmeth": 405, "escnull": 405, "esc02": 405, "dblreq": 405, "mpart01": 405, "unksm2": 405, "regaut01": 405,
        "cparam01": 405, "cparam02": 405, "regescrt": 405, "invut": 415, "sdp01": 406,
    ]

    @Test("What is well-formed, and not for a telephone, is refused as its RFC says", arguments: all)
    func screening(torture: TortureMessage) throws {
        guard case .acceptable = torture.outcome else { return }
        let refusal = RequestScreening.refusal(of: try torture.message, localTag: "ours")
        #expect(refusal?.status == Self.answers[torture.name])
    }

    @Test("All are there: 49 of RFC 4475 §3, 12 of RFC 5118 §4, which makes two of its §4.5 and §4.10")
    func count() {
        #expect(TortureValid.all.count + TortureInvalid.all.count + TortureSemantics.all.count == 49)
        #expect(TortureIPv6.all.count == 12)
        #expect(Set(Self.all.map(\.name)).count == 61)
    }

    @Test("An ACK is never answered, however broken", arguments: all)
    func brokenACK(torture: TortureMessage) throws {
        guard case .rejected = torture.outcome, var ack = try? torture.message, let uri = ack.requestURI else { return }
        ack.startLine = .request(method: .ack, uri: uri)
        #expect(ack.verdict() == .drop)
    }

    @Test("wsinv: space, folding, case and compact forms in every place")
    func wsinv() throws {
        let message = try TortureValid.wsinv.message
        #expect(message.to?.tag == "1918181833n")
        #expect(message.from?.displayName == #"J Rosen \""#)
        #expect(message.from?.tag == "98asjd8")
        #expect(message.maxForwards == 68)
        #expect(message.cseq == CSeq(number: 9, method: .invite))
        #expect(try message.vias.map(\.transport) == ["UDP", "TCP", "UDP"])
        #expect(try message.vias.map(\.branch) == ["390skdjuw", "z9hG4bK9ikj8", "z9hG4bK30239"])
        #expect(message.topVia?.hasUniqueBranch == false)
        #expect(message.headers.first(.subject) == "")
        #expect(message.headers.first("NewFangledHeader") == "newfangled value continued newfangled value")
        #expect(message.headers.first("unknownheaderwithunusualvalue") == ";;,,;;,;")
        let contact = try #require(try message.contacts.first)
        #expect(contact.displayName == #"Quoted string """#)
        #expect(contact.parameters["newparam"] == "newvalue")
        #expect(contact.parameters["secondparam"] == "")
        #expect(contact.parameters["q"] == "0.33")
        #expect(try message.routes.first?.uri.isLooseRouter == true)
        #expect(message.requestURI?.parameters.contains("unknownparam") == true)
    }

    @Test("intmeth: unusual characters wherever the grammar allows them")
    func intmeth() throws {
        let message = try TortureValid.intmeth.message
        #expect(message.method?.rawValue == "!interesting-Method0123456789_*+`.%indeed'~")
        #expect(message.requestURI?.user == "1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*")
        #expect(message.requestURI?.password == "&it+has=1,weird!*pas$wo~d_too.(doesn't-it)")
        #expect(message.to?.displayName == "BEL:\u{7} NUL:\u{0} DEL:\u{7F}")
        #expect(message.from?.displayName == "token1~` token2'+_ token3*%!.-")
        #expect(message.from?.tag == "_token~1'+`*%!-.")
        #expect(message.topVia?.branch == "z9hG4bK-.!%66*_+`'~")
    }

    @Test("esc01, escnull, semiuri: escapes in URIs are not separators")
    func escapes() throws {
        let esc01 = try TortureValid.esc01.message
        #expect(esc01.requestURI?.scheme == "sip")
        #expect(esc01.requestURI?.user == "sips:user@example.com")
        #expect(esc01.requestURI?.host == "example.net")
        #expect(esc01.to?.uri.user == "user")
        let contact = try #require(try esc01.contacts.first)
        #expect(contact.uri.isLooseRouter)
        #expect(contact.uri.parameters["name"] == "value%41")
        let escnull = try TortureValid.escnull.message
        #expect(escnull.to?.uri.user == "null-\0-null")
        #expect(try escnull.contacts.map(\.uri.user) == ["\0", "\0\0"])
        let semiuri = try TortureValid.semiuri.message
        #expect(semiuri.requestURI?.user == "user;par=u@example.net")
        #expect(semiuri.requestURI?.parameters.isEmpty == true)
        #expect(semiuri.headers.values(.accept).count == 6)
    }

    @Test("esc02: escapes in methods and header names mean nothing")
    func escapedTokens() throws {
        let message = try TortureValid.esc02.message
        #expect(message.method != .register)
        #expect(message.from?.displayName == "%Z%45")
        #expect(try message.contacts.count == 2)
    }

    @Test("dblreq, longreq, transports, mpart01, unreason, noreason, lwsdisp")
    func others() throws {
        let dblreq = try TortureValid.dblreq.message
        #expect(dblreq.method == .register)
        #expect(dblreq.body.isEmpty)
        #expect(try TortureValid.longreq.message.vias.count == 35)
        #expect(try TortureValid.transports.message.vias.map(\.transport) == ["UDP", "SCTP", "TLS", "UNKNOWN", "TCP"])
        let mpart01 = try TortureValid.mpart01.message
        #expect(mpart01.contentType?.parameters["boundary"] == "7a9cbec02ceef655")
        #expect(mpart01.body.count == mpart01.contentLength)
        #expect(try TortureValid.unreason.message.reasonPhrase == "= 2**3 * 5**2 \u{43D}\u{43E} \u{441}\u{442}\u{43E}")
        #expect(try TortureValid.noreason.message.status == 100)
        #expect(try TortureValid.noreason.message.reasonPhrase == "")
        #expect(try TortureValid.lwsdisp.message.from?.displayName == "caller")
    }

    @Test("badaspec, baddate: what may be ignored is")
    func ignored() throws {
        #expect(try TortureInvalid.badaspec.message.to?.uri.host == "example.org")
        #expect(try TortureInvalid.scalar02.message.expires == .max)
    }

    @Test("badbranch, inv2543: without a unique branch the rest of the request tells its transaction")
    func legacy() throws {
        for torture in [TortureSemantics.badbranch, TortureSemantics.inv2543] {
            guard case .legacy = TransactionKey(serverRequest: try torture.message) else {
                Issue.record("\(torture.name) has a unique branch")
                continue
            }
        }
        #expect(try TortureSemantics.inv2543.message.body == Array("v=0".utf8))
    }

    @Test("bext01: the answer names what is not supported")
    func unsupported() throws {
        let request = try TortureSemantics.bext01.message
        let response = try #require(request.response(to: request.verdict(options: ["100rel"]), toTag: "x"))
        #expect(response.headers.values(.unsupported) == ["nothingSupportsThis", "nothingSupportsThisEither"])
    }

    @Test("cparam01, cparam02, regescrt: parameters of a header and of a URI, headers of a Contact's URI")
    func contactParameters() throws {
        let outside = try #require(try TortureSemantics.cparam01.message.contacts.first)
        #expect(outside.parameters.contains("unknownparam") && outside.uri.parameters.isEmpty)
        let inside = try #require(try TortureSemantics.cparam02.message.contacts.first)
        #expect(inside.uri.parameters.contains("unknownparam") && inside.parameters.isEmpty)
        let escaped = try #require(try TortureSemantics.regescrt.message.contacts.first)
        #expect(escaped.uri.headers == [SIPURI.Header(name: "Route", value: "%3Csip:sip.example.com%3E")])
    }

    @Test("RFC 5118: hosts, ports and received of IPv6")
    func ipv6() throws {
        #expect(try TortureIPv6.ipv6Good.message.requestURI?.host == "2001:db8::10")
        #expect(try TortureIPv6.portAmbiguous.message.requestURI?.host == "2001:db8::10:5070")
        #expect(try TortureIPv6.portAmbiguous.message.requestURI?.port == nil)
        #expect(try TortureIPv6.portUnambiguous.message.requestURI?.host == "2001:db8::10")
        #expect(try TortureIPv6.portUnambiguous.message.requestURI?.port == 5070)
        #expect(try TortureIPv6.viaReceivedWithDelimiters.message.topVia?.received == "2001:db8::9:255")
        #expect(try TortureIPv6.viaReceivedWithoutDelimiters.message.topVia?.received == "2001:db8::9:255")
        #expect(
            try TortureIPv6.multipleAddressesInHeaders.message.vias.map(\.host) == [
                "2001:db8::9:1", "192.0.2.1", "2001:db8::9:255",
            ])
        #expect(try TortureIPv6.ipv4MappedAddress.message.requestURI?.host == "::ffff:192.0.2.10")
        #expect(try TortureIPv6.threeColons.message.requestURI?.host == "2001:db8::192.0.2.1")
        #expect(try TortureIPv6.twoColons.message.requestURI?.host == "2001:db8::192.0.2.1")
    }

    @Test("What is printed reads back the same", arguments: all)
    func roundTrip(torture: TortureMessage) throws {
        guard var message = try? torture.message, message.defects.isEmpty else { return }
        message.headers.set(.contentLength, "\(message.body.count)")
        var again = try SIPMessage(parsing: message.serialized())
        // Content-Length is printed last.
        message.headers.removeAll(.contentLength)
        again.headers.removeAll(.contentLength)
        #expect(again == message)
    }
}
