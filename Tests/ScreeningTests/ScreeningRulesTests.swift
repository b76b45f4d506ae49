import Testing

@testable import Screening

@Suite("Who may ring") struct ScreeningRulesTests {
    private let moment = LocalMoment(day: 20_000, minute: 600)
    private let jane = Contact(
        name: "Jane", handles: ["030 123456", "sip:jane@example.com"], throughDoNotDisturb: true)
    private let bob = Contact(name: "Bob", handles: ["bob@example.com"])

    private func rules(_ change: (inout ScreeningRules) -> Void = { _ in }) -> ScreeningRules {
        var rules = ScreeningRules(plan: NumberPlan(countryCode: "49"))
        rules.contacts.add([jane])
        rules.contactsOfFiles.add([bob, Contact(name: "Other Jane", handles: ["+4930123456"])])
        change(&rules)
        return rules
    }

    @Test("Without rules everybody rings, and contacts have their names; one added by hand wins over a file")
    func names() {
        let rules = rules()
        #expect(rules.verdict(on: "sip:+4930123456@gateway", at: moment).contact?.name == "Jane")
        #expect(rules.verdict(on: "sip:bob@example.com", at: moment).contact?.name == "Bob")
        #expect(rules.verdict(on: "sip:bob@evil.example", at: moment).contact == nil)
        #expect(rules.verdict(on: "sip:x@example.com", at: moment).refused == nil)
        #expect(rules.contact(of: "030123456")?.name == "Jane")
    }

    @Test("The block list keeps out, also contacts; the allow list wins over it")
    func blocking() {
        let rules = rules {
            $0.blocked.add("@example.com")
            $0.blockedByHand.add("0900*")
            $0.allowed.add("sip:bob@example.com")
        }
        #expect(rules.verdict(on: "sip:x@example.com", at: moment).refused == .blocked)
        #expect(rules.verdict(on: "sip:jane@example.com", at: moment).refused == .blocked)
        #expect(rules.verdict(on: "+49900555", at: moment).refused == .blocked)
        #expect(rules.verdict(on: "sip:bob@example.com", at: moment).refused == nil)
    }

    @Test("Where only who is allowed rings, contacts ring, too")
    func onlyAllowed() {
        let rules = rules {
            $0.onlyAllowed = true
            $0.allowed.add("101")
        }
        #expect(rules.verdict(on: "sip:x@example.com", at: moment).refused == .blocked)
        #expect(rules.verdict(on: "sip:101@pbx", at: moment).refused == nil)
        #expect(rules.verdict(on: "sip:bob@example.com", at: moment).refused == nil)
    }

    @Test("Do-not-disturb keeps out all but its exceptions; blocked is blocked")
    func doNotDisturb() {
        let rules = rules {
            $0.doNotDisturb.set(true, at: moment)
            $0.throughDoNotDisturb.add("112")
            $0.blocked.add("spam")
        }
        #expect(rules.verdict(on: "sip:bob@example.com", at: moment).refused == .doNotDisturb)
        #expect(rules.verdict(on: "030123456", at: moment).refused == nil)
        #expect(rules.verdict(on: "112", at: moment).refused == nil)
        #expect(rules.verdict(on: "sip:spam@example.com", at: moment).refused == .blocked)
    }
}
