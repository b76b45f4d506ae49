import Screening

/// A file of vCards, and the same bytes as a list of callers.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let contacts = VCardReader(bytes).contacts
    for contact in contacts {
        precondition(
            !contact.name.isEmpty && contact.name.utf8.count <= Contact.maximumNameLength, "a name out of bounds")
        precondition(1...Contact.maximumHandles ~= contact.handles.count, "handles out of bounds")
    }
    var rules = ScreeningRules(plan: NumberPlan(countryCode: "49"))
    rules.contacts.add(contacts)
    _ = rules.blocked.add(lines: bytes)
    let moment = LocalMoment(day: 20_000, minute: 600)
    for contact in contacts {
        for handle in contact.handles { _ = rules.verdict(on: handle, at: moment) }
    }
    _ = rules.verdict(on: String(decoding: bytes, as: UTF8.self), at: moment)
    return 0
}
