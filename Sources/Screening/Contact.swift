/// Somebody the user knows.
public struct Contact: Sendable, Hashable {
    public var name: String
    /// Numbers, user names, addresses and `sip:` or `tel:` URIs.
    public var handles: [String]
    /// The file that is played when they call; empty: the usual one.
    public var ringTone: String
    /// Whether a call of theirs is answered by itself.
    public var autoAnswer: Bool
    /// Whether they may disturb at any time.
    public var throughDoNotDisturb: Bool

    /// Bytes of a name, at most.
    public static let maximumNameLength = 256
    /// Handles of a contact, at most.
    public static let maximumHandles = 32

    public init(
        name: String, handles: [String], ringTone: String = "", autoAnswer: Bool = false,
        throughDoNotDisturb: Bool = false
    ) {
        self.name = name
        self.handles = handles
        self.ringTone = ringTone
        self.autoAnswer = autoAnswer
        self.throughDoNotDisturb = throughDoNotDisturb
    }
}

/// Contacts, found by their handles.
public struct PhoneBook: Sendable {
    /// Contacts, at most.
    public static let maximumCount = 10_000

    private let plan: NumberPlan
    public private(set) var contacts: [Contact] = []
    private var byKey: [ArraySlice<UInt8>: Int] = [:]

    public init(plan: NumberPlan = NumberPlan(countryCode: "")) { self.plan = plan }

    /// Adds contacts, as many as there is room for, and returns how many these are. A handle that an earlier one has stays
    /// with it.
    ///
    /// - Parameter onClash: is told of each such handle: which of `added` would have it, and who has it.
    @discardableResult
    public mutating func add(_ added: [Contact], onClash: (Int, String, Contact) -> Void = { _, _, _ in }) -> Int {
        let taken = added.prefix(Self.maximumCount - contacts.count)
        for (index, contact) in taken.enumerated() {
            contacts.append(contact)
            for handle in contact.handles.prefix(Contact.maximumHandles) {
                let key = CallerKeys(handle.utf8, plan: plan).ruleKey
                guard !key.isEmpty else { continue }
                if let owner = byKey[key] {
                    if owner != contacts.count - 1 { onClash(index, handle, contacts[owner]) }
                } else {
                    byKey[key] = contacts.count - 1
                }
            }
        }
        return taken.count
    }

    /// Who has the handle `caller`; nil: nobody.
    func contact(_ caller: CallerKeys) -> Contact? {
        caller.keys.lazy.compactMap { byKey[$0] }.first.map { contacts[$0] }
    }
}
