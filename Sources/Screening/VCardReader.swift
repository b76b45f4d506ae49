/// Contacts from the vCards of a file (RFC 6350, RFC 2426 and vCard 2.1), as telephones and address books write them.
///
/// Taken are a name (`FN`, else `N`, `NICKNAME` or `ORG`), numbers (`TEL`, also as `tel:` URI), addresses (`IMPP` and `X-SIP`
/// with `sip:` URIs, `EMAIL`), and three of our own: `X-HANDSET-RING-TONE`, `X-HANDSET-AUTO-ANSWER` and
/// `X-HANDSET-THROUGH-DND`. All else, pictures above all, is passed over. Cards without a name or a handle are no contacts.
/// What is left out or cut of what would be taken is among the findings.
public struct VCardReader: Sendable {
    /// Bytes of a file, at most.
    public static let maximumBytes = 32 << 20
    /// Bytes of the path of a ring tone, at most.
    public static let maximumPathLength = 1_024

    /// A contact and where it stands.
    public struct Entry: Sendable, Hashable {
        public var contact: Contact
        /// Where its card begins, from 1.
        public var line: Int
    }

    /// The contacts, in the order of the file.
    public private(set) var entries: [Entry] = []
    /// What was left out or cut.
    public private(set) var findings = LineFindings()
    private var card: Card?
    /// Cards within cards (vCard 2.1 AGENT) are passed over.
    private var depth = 0
    /// Whether such a card may begin in the next line.
    private var isAgentNext = false
    private var hasStrays = false

    /// The parts of a card under way.
    private struct Card {
        var line: Int
        var contact = Contact(name: "", handles: [])
        /// The rank of what the name came from; the lowest wins.
        var nameRank = Int.max
        /// Where a name stands that was cut.
        var cutNameLine: Int?
        /// Where the first handle stands that is one too many.
        var surplusLine: Int?
        var surplus = 0
    }

    public init(_ text: [UInt8]) {
        var lines = VCardLines(text)
        while let (number, item) = lines.next() {
            if entries.count == PhoneBook.maximumCount {
                findings.add(line: number, "\(PhoneBook.maximumCount) contacts are taken; the rest of the file is not")
                return
            }
            take(item, number)
        }
        if let card {
            findings.add(
                line: card.line, "the card that begins here has no END: the file may be cut off; the card is left out")
        }
    }

    public var contacts: [Contact] { entries.map(\.contact) }

    private mutating func take(_ item: VCardItem, _ number: Int) {
        let mayBeAgent = isAgentNext
        isAgentNext = false
        switch item {
        case .property(let line): take(line, number, mayBeAgent: mayBeAgent)
        case .tooLong(let name):
            guard card != nil, depth == 0, Self.isTaken(name) else { return }
            findings.add(line: number, "\(name) is longer than \(VCardLines.maximumLength) bytes; left out")
        case .malformed:
            guard card != nil, depth == 0 else { return }
            findings.add(line: number, "this is no property of a vCard, NAME:VALUE; left out")
        }
    }

    private static func isTaken(_ name: String) -> Bool {
        switch name {
        case "FN", "N", "NICKNAME", "ORG", "TEL", "EMAIL", "IMPP", "X-SIP", "X-PHONETIC-SIP": true
        default: name.hasPrefix("X-HANDSET-")
        }
    }

    private mutating func take(_ line: VCardLine, _ number: Int, mayBeAgent: Bool) {
        switch line.name {
        case "BEGIN":
            guard Self.isVCard(line.value) else { return }
            if card != nil, mayBeAgent { depth += 1 } else { begin(number) }
        case "END":
            if depth > 0 { depth -= 1 } else { finish() }
        case _ where card == nil: stray(line, number)
        case "AGENT":
            isAgentNext = line.value.isEmpty
            // Some write it on one line.
            if Self.beginsVCard(line.value) { depth += 1 }
        case _ where depth > 0: return
        case "FN": name(line, number, rank: 0)
        case "N": name(line, number, rank: 1)
        case "NICKNAME": name(line, number, rank: 2)
        case "ORG": name(line, number, rank: 3)
        case "TEL": handle(Self.telephone(line.text), line, number)
        case "EMAIL": handle(line.text, line, number)
        case "IMPP", "X-SIP", "X-PHONETIC-SIP": sip(line, number)
        case "X-HANDSET-RING-TONE": ringTone(line, number)
        case "X-HANDSET-AUTO-ANSWER": flag(\.autoAnswer, line, number)
        case "X-HANDSET-THROUGH-DND": flag(\.throughDoNotDisturb, line, number)
        default: return
        }
    }

    // MARK: Cards

    private mutating func begin(_ number: Int) {
        if let card {
            findings.add(
                line: card.line,
                "the card that begins here has no END before line \(number), where another begins; it ends there")
            finish()
        }
        card = Card(line: number)
        depth = 0
    }

    private mutating func finish() {
        guard let ended = card else { return }
        card = nil
        let name = ended.contact.name
        guard !name.isEmpty else {
            return findings.add(line: ended.line, "the card that begins here has no name; left out")
        }
        guard !ended.contact.handles.isEmpty else {
            return findings.add(line: ended.line, "\(name) has nothing to call; left out")
        }
        if let line = ended.cutNameLine {
            findings.add(line: line, "the name is longer than \(Contact.maximumNameLength) bytes; cut to \"\(name)\"")
        }
        if let line = ended.surplusLine {
            findings.add(
                line: line,
                "\(name) has more than \(Contact.maximumHandles) handles; the last \(ended.surplus) are left out")
        }
        entries.append(Entry(contact: ended.contact, line: ended.line))
    }

    /// What stands in no card is lost: told once, for it is seldom one line.
    private mutating func stray(_ line: VCardLine, _ number: Int) {
        guard Self.isTaken(line.name), !hasStrays else { return }
        hasStrays = true
        findings.add(
            line: number, "\(line.name) stands in no card: BEGIN:VCARD is missing; left out, as all up to the next")
    }

    private static func isVCard(_ value: ArraySlice<UInt8>) -> Bool {
        value.elementsEqual("VCARD".utf8, by: Self.equalsIgnoringCase)
    }

    private static func beginsVCard(_ value: ArraySlice<UInt8>) -> Bool {
        value.elementsEqual("BEGIN:VCARD".utf8, by: Self.equalsIgnoringCase)
    }

    // MARK: Properties

    private mutating func name(_ line: VCardLine, _ number: Int, rank: Int) {
        guard let nameRank = card?.nameRank, rank < nameRank else { return }
        let text: String
        if line.name == "N" {
            // Family name; given name; additional names; prefixes; suffixes (RFC 6350 §6.2.2).
            let parts = line.components
            let order = [3, 1, 2, 0, 4]
            text = order.compactMap { $0 < parts.count && !parts[$0].isEmpty ? parts[$0] : nil }.joined(separator: " ")
        } else {
            text = line.components.first ?? ""
        }
        let (shown, isCut) = Self.oneLine(text)
        guard !shown.isEmpty else { return }
        card?.contact.name = shown
        card?.nameRank = rank
        card?.cutNameLine = isCut ? number : nil
    }

    private mutating func handle(_ text: String, _ line: VCardLine, _ number: Int) {
        guard let card, !text.isEmpty, !card.contact.handles.contains(text) else { return }
        guard text.utf8.count <= 256, text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            return findings.add(
                line: number, "what \(line.name) has cannot be called: up to 256 ASCII characters are wanted; left out")
        }
        let bytes = Array(text.utf8)
        guard HandleCheck.isHandle(bytes.span) else {
            return findings.add(
                line: number,
                "what \(line.name) has cannot be called: it is no number, no user name and no address; left out")
        }
        guard card.contact.handles.count < Contact.maximumHandles else {
            self.card?.surplusLine = card.surplusLine ?? number
            self.card?.surplus += 1
            return
        }
        self.card?.contact.handles.append(text)
    }

    private mutating func sip(_ line: VCardLine, _ number: Int) {
        let text = line.text
        let scheme = text.prefix { $0 != ":" }.lowercased()
        if scheme == "sip" || scheme == "sips" || (line.name != "IMPP" && text.contains("@")) {
            handle(text, line, number)
        }
    }

    private mutating func ringTone(_ line: VCardLine, _ number: Int) {
        let path = line.text
        guard path.utf8.count <= Self.maximumPathLength, !path.utf8.contains(0) else {
            return findings.add(
                line: number, "\(line.name) is no path of at most \(Self.maximumPathLength) bytes; left out")
        }
        card?.contact.ringTone = path
    }

    /// The number of a `TEL`, whose value may be a `tel:` URI with parameters, or words about an extension.
    private static func telephone(_ text: String) -> String {
        var number = text[...]
        if number.prefix(4).lowercased() == "tel:" { number = number.dropFirst(4).prefix { $0 != ";" } }
        return String(number.filter { !$0.isWhitespace })
    }

    /// Without line breaks and what could steer a terminal; no longer than a name may be.
    private static func oneLine(_ text: String) -> (text: String, isCut: Bool) {
        var (shown, isCut) = ("", false)
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || 0x7F..<0xA0 ~= scalar.value
            let added = isControl ? " " : scalar
            guard shown.utf8.count + UTF8.width(added) <= Contact.maximumNameLength else {
                isCut = true
                break
            }
            shown.unicodeScalars.append(added)
        }
        return (shown.split(separator: " ").joined(separator: " "), isCut)
    }

    private mutating func flag(_ flag: WritableKeyPath<Contact, Bool>, _ line: VCardLine, _ number: Int) {
        switch line.text.lowercased() {
        case "true", "yes", "1", "on": card?.contact[keyPath: flag] = true
        case "false", "no", "0", "off": card?.contact[keyPath: flag] = false
        default:
            findings.add(line: number, "\(line.name) is neither true nor false; taken as false")
            card?.contact[keyPath: flag] = false
        }
    }

    private static func equalsIgnoringCase(_ left: UInt8, _ right: UInt8) -> Bool {
        (0x61...0x7A ~= left ? left & 0xDF : left) == right
    }
}
