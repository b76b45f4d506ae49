/// What a caller who may not ring is told.
public enum Refusal: String, Sendable, Hashable, CaseIterable {
    /// 603
    case declined
    /// 486
    case busy
    /// Nothing: it rings at their end, and nobody hears it here.
    case silent
}

/// Who may ring: every list, the contacts and do-not-disturb, in memory.
public struct ScreeningRules: Sendable {
    /// Why a caller may not ring.
    public enum Reason: Sendable, Hashable { case blocked, doNotDisturb }

    public struct Verdict: Sendable, Hashable {
        /// The contact that has the caller's handle.
        public var contact: Contact?
        /// nil: it may ring.
        public var refused: Reason?
    }

    public let plan: NumberPlan
    /// Lists of the configuration and its files.
    public var blocked: CallerList
    /// What was blocked by hand.
    public var blockedByHand: CallerList
    /// Never blocked.
    public var allowed: CallerList
    /// Whether all others but the contacts are blocked.
    public var onlyAllowed = false
    public var doNotDisturb = DoNotDisturb()
    /// Whom do-not-disturb does not keep out, besides the contacts that say so.
    public var throughDoNotDisturb: CallerList
    /// Contacts that were added by hand; what they say of a handle wins.
    public var contacts: PhoneBook
    /// Contacts of files.
    public var contactsOfFiles: PhoneBook

    public init(plan: NumberPlan = NumberPlan(countryCode: "")) {
        self.plan = plan
        blocked = CallerList(plan: plan)
        blockedByHand = CallerList(plan: plan)
        allowed = CallerList(plan: plan)
        throughDoNotDisturb = CallerList(plan: plan)
        contacts = PhoneBook(plan: plan)
        contactsOfFiles = PhoneBook(plan: plan)
    }

    /// Decides about a caller.
    ///
    /// - Parameter handle: as the call's handle is shown.
    public func verdict(on handle: String, at moment: LocalMoment) -> Verdict {
        let caller = CallerKeys(handle.utf8, plan: plan)
        let contact = contact(caller)
        if !allowed.contains(caller) {
            if blockedByHand.contains(caller) || blocked.contains(caller) || (onlyAllowed && contact == nil) {
                return Verdict(contact: contact, refused: .blocked)
            }
        }
        guard doNotDisturb.isActive(at: moment), contact?.throughDoNotDisturb != true,
            !throughDoNotDisturb.contains(caller)
        else { return Verdict(contact: contact) }
        return Verdict(contact: contact, refused: .doNotDisturb)
    }

    /// The contact that has `handle`.
    public func contact(of handle: String) -> Contact? {
        contact(CallerKeys(handle.utf8, plan: plan))
    }

    private func contact(_ caller: CallerKeys) -> Contact? {
        contacts.contact(caller) ?? contactsOfFiles.contact(caller)
    }

}
