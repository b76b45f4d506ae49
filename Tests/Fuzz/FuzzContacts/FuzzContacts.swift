import Screening

/// A file of vCards, and the same bytes as a list of callers.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let reader = VCardReader(bytes)
    let contacts = reader.contacts
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    for finding in reader.findings.first { precondition(1...lines ~= finding.line, "a finding about no line") }
    precondition(reader.findings.sentences.count <= LineFindings.limit + 1, "findings without end")
    precondition(reader.entries.allSatisfy { 1...lines ~= $0.line }, "a card that begins nowhere")
    for contact in contacts {
        precondition(
            !contact.name.isEmpty && contact.name.utf8.count <= Contact.maximumNameLength, "a name out of bounds")
        precondition(1...Contact.maximumHandles ~= contact.handles.count, "handles out of bounds")
    }
    var rules = ScreeningRules(plan: NumberPlan(countryCode: "49"))
    let taken = rules.contacts.add(contacts) { index, handle, _ in
        precondition(contacts[index].handles.contains(handle), "a clash of somebody else")
    }
    precondition(taken == contacts.count, "a contact that finds no room")
    for finding in rules.blocked.add(lines: bytes).first {
        precondition(1...lines ~= finding.line, "a finding about no line")
    }
    let moment = LocalMoment(day: 20_000, minute: 600)
    for contact in contacts {
        for handle in contact.handles { _ = rules.verdict(on: handle, at: moment) }
    }
    _ = rules.verdict(on: String(decoding: bytes, as: UTF8.self), at: moment)
    return 0
}
