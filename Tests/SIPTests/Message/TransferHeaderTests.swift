import SIP
import Testing

@Suite("The headers of transfers and of automatic answers") struct TransferHeaderTests {
    private func message(_ headers: [(HeaderName, String)], body: String = "") -> SIPMessage {
        var message = SIPMessage(method: .refer, uri: uri("me"))
        for (name, value) in headers { message.headers.append(name, value) }
        message.body = Array(body.utf8)
        return message
    }

    @Test("Replaces: its parts, in any order, with parameters that are none of ours")
    func replaces() throws {
        let value = try Replaces(parsing: "425928@bobster.example.org;from-tag=6472;x=y;to-tag=7743;early-only")
        #expect(
            value == Replaces(callID: "425928@bobster.example.org", toTag: "7743", fromTag: "6472", isEarlyOnly: true))
        #expect(value.description == "425928@bobster.example.org;to-tag=7743;from-tag=6472;early-only")
    }

    @Test(
        "Replaces that is none",
        arguments: [
            "", ";to-tag=a;from-tag=b", "c", "c;to-tag=a", "c;from-tag=b", "c;to-tag=a;to-tag=a;from-tag=b",
            "c;to-tag;from-tag=b",
            "c d;to-tag=a;from-tag=b", "c;to-tag=\"a b\";from-tag=b",
        ])
    func noReplaces(text: String) {
        #expect(throws: SIPParseError.self) { try Replaces(parsing: text) }
    }

    @Test(
        "Of a Refer-To remain the address and Replaces; nothing else in it writes into our request",
        arguments: [
            ("<sip:carol@h>", "<sip:carol@h>"), ("sip:carol@h", "<sip:carol@h>"),
            (
                "\"Carol\" <sip:carol:secret@h:5070;transport=tcp;method=INVITE?From=%3Csip:x%3E&Route=%3Csip:evil%3E>",
                "<sip:carol@h:5070;transport=tcp>"
            ),
            (
                "<sip:carol@h?Replaces=1%40x%3Bto-tag%3Da%3Bfrom-tag%3Db&Require=replaces>",
                "<sip:carol@h?Replaces=1%40x%3Bto-tag%3Da%3Bfrom-tag%3Db>"
            ),
            // As some write it, without <>.
            (
                "sip:carol@h?rEPLACES=1%3Bto-tag%3Da%3Bfrom-tag%3Db",
                "<sip:carol@h?Replaces=1%3Bto-tag%3Da%3Bfrom-tag%3Db>"
            ),
        ])
    func referTo(text: String, kept: String) throws {
        #expect(try ReferTarget(of: message([(.referTo, text)])).description == kept)
    }

    @Test(
        "A Refer-To that cannot be followed has the status of its refusal",
        arguments: [
            ("", 400), ("carol", 400), ("<sip:>", 400), ("<sips:carol@h>", 416), ("<tel:+49301>", 416),
            ("<http://h/>", 416), ("<file:///etc/passwd>", 416), ("<sip:carol@h;method=BYE>", 400),
            ("<sip:carol@h?Replaces=1>", 400),
            ("<sip:carol@h?Replaces=1%0D%0AVia:x%3Bto-tag%3Da%3Bfrom-tag%3Db>", 400),
            ("<sip:carol@h?Replaces=1%3Bto-tag%3Da%3Bfrom-tag%3Db&Replaces=1%3Bto-tag%3Da%3Bfrom-tag%3Db>", 400),
        ])
    func badReferTo(text: String, status: Int) {
        #expect(throws: ReferTarget.Refusal.self) { try ReferTarget(of: message([(.referTo, text)])) }
        do { _ = try ReferTarget(of: message([(.referTo, text)])) } catch { #expect(error.status == status) }
    }

    @Test(
        "A status line in a body, as it may come",
        arguments: [
            ("SIP/2.0 180 Ringing\r\n", 180, "Ringing"), ("SIP/2.0 200 OK", 200, "OK"),
            ("sip/2.0 486", 486, "Busy Here"),
            ("SIP/2.0 603 No\u{1B}[2J\r\nContact: <sip:x>\r\n", 603, "No?[2J"),
        ])
    func fragment(body: String, status: Int, reason: String) throws {
        let found = try #require(
            StatusFragment(of: message([(.contentType, "message/sipfrag;version=2.0")], body: body)))
        #expect(found.status == status)
        #expect(found.reason == reason)
    }

    @Test(
        "A body that has none",
        arguments: ["", "SIP/2.0", "SIP/2.0 99 X", "SIP/2.0 700 X", "HTTP/1.1 200 OK", "INVITE sip:x SIP/2.0"])
    func noFragment(body: String) {
        #expect(StatusFragment(of: message([(.contentType, "message/sipfrag")], body: body)) == nil)
        #expect(StatusFragment(of: message([(.contentType, "text/plain")], body: "SIP/2.0 200 OK")) == nil)
    }

    @Test(
        "How telephones ask to be answered",
        arguments: [
            (HeaderName.callInfo, "<sip:192.0.2.1>;answer-after=0", 0), (.callInfo, "answer-after=3", 3_000),
            (.callInfo, "<http://h/icon.png>;purpose=icon, <sip:h>;answer-after=2", 2_000),
            (.callInfo, "sip:h;answer-after=999999999", 60_000),
            (.alertInfo, "<http://192.0.2.1>;info=alert-autoanswer;delay=1", 1_000),
            (.alertInfo, "info=alert-autoanswer", 0), (.alertInfo, ";info=\"Alert-AutoAnswer\";delay=x", 0),
            (.alertInfo, "Auto Answer", 0), (.alertInfo, "Ring Answer", 0), (.alertInfo, "<sip:h>;info=intercom", 0),
            (.answerMode, "Auto", 0), (.privAnswerMode, "auto;require", 0),
        ])
    func requested(name: HeaderName, value: String, milliseconds: Int) throws {
        let answer = try #require(RequestedAnswer(of: message([(name, value)])))
        #expect(answer.afterMilliseconds == milliseconds)
        #expect(answer.isRequired == value.contains("require"))
    }

    @Test(
        "What asks for nothing of the kind",
        arguments: [
            (HeaderName.callInfo, "<sip:answer-after=0>"), (.callInfo, "<sip:h>;answer-after"),
            (.callInfo, "<sip:h>;answer-after=-1"), (.callInfo, "<sip:h>;answer-after=soon"),
            (.alertInfo, "<http://h/auto answer>"), (.alertInfo, "<urn:alert:service:call-waiting>"),
            (.alertInfo, "<sip:h>;info=alert-external"), (.answerMode, "Manual"), (.subject, "Auto Answer"),
        ])
    func notRequested(name: HeaderName, value: String) {
        #expect(RequestedAnswer(of: message([(name, value)])) == nil)
    }
}
