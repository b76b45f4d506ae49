/// Contacts from the vCards of a file (RFC 6350, RFC 2426 and vCard 2.1), as telephones and address books write them.
///
/// Taken are a name (`FN`, else `N`, `NICKNAME` or `ORG`), numbers (`TEL`, also as `tel:` URI), addresses (`IMPP` and `X-SIP`
/// with `sip:` URIs, `EMAIL`), and three of our own: `X-HANDSET-RING-TONE`, `X-HANDSET-AUTO-ANSWER` and
/// `X-HANDSET-THROUGH-DND`. All else, pictures above all, is passed over. Cards without a name or a handle are no contacts.
public struct VCardReader: Sendable {
    /// Bytes of a file, at most.
    public static let maximumBytes = 32 << 20

    /// The contacts, in the order of the file.
    public private(set) var contacts: [Contact] = []
    /// Cards that have no name or nothing to call.
    public private(set) var passedOver = 0
    private var card: Card?
    /// Cards within cards (vCard 2.1 AGENT) are passed over.
    private var depth = 0

    /// The parts of a card under way.
    private struct Card {
        var contact = Contact(name: "", handles: [])
        /// The rank of what the name came from; the lowest wins.
        var nameRank = Int.max
    }

    public init(_ text: [UInt8]) {
        var lines = VCardLines(text)
        while contacts.count < PhoneBook.maximumCount, let line = lines.next() { take(line) }
    }

    private mutating func take(_ line: VCardLine) {
        switch line.name {
        case "BEGIN":
            guard line.value.elementsEqual("VCARD".utf8, by: Self.equalsIgnoringCase) else { return }
            if card == nil { card = Card() } else { depth += 1 }
        case "END":
            if depth > 0 { depth -= 1 } else { finish() }
        case _ where depth > 0 || card == nil: return
        case "FN": name(line, rank: 0)
        case "N": name(line, rank: 1)
        case "NICKNAME": name(line, rank: 2)
        case "ORG": name(line, rank: 3)
        case "TEL": handle(Self.telephone(line.text))
        case "EMAIL": handle(line.text)
        case "IMPP", "X-SIP", "X-PHONETIC-SIP": sip(line)
        case "X-HANDSET-RING-TONE": card?.contact.ringTone = String(line.text.prefix(1_024))
        case "X-HANDSET-AUTO-ANSWER": card?.contact.autoAnswer = Self.isTrue(line.text)
        case "X-HANDSET-THROUGH-DND": card?.contact.throughDoNotDisturb = Self.isTrue(line.text)
        default: return
        }
    }

    private mutating func finish() {
        guard let ended = card else { return }
        card = nil
        if ended.contact.name.isEmpty || ended.contact.handles.isEmpty {
            passedOver += 1
        } else {
            contacts.append(ended.contact)
        }
    }

    private mutating func name(_ line: VCardLine, rank: Int) {
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
        let shown = Self.oneLine(text)
        guard !shown.isEmpty else { return }
        card?.contact.name = shown
        card?.nameRank = rank
    }

    private mutating func handle(_ text: String) {
        guard let card, card.contact.handles.count < Contact.maximumHandles else { return }
        guard 1...256 ~= text.utf8.count, text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }),
            !card.contact.handles.contains(text)
        else { return }
        self.card?.contact.handles.append(text)
    }

    private mutating func sip(_ line: VCardLine) {
        let text = line.text
        let scheme = text.prefix { $0 != ":" }.lowercased()
        if scheme == "sip" || scheme == "sips" || (line.name != "IMPP" && text.contains("@")) { handle(text) }
    }

    /// The number of a `TEL`, whose value may be a `tel:` URI with parameters, or words about an extension.
    private static func telephone(_ text: String) -> String {
        var number = text[...]
        if number.prefix(4).lowercased() == "tel:" { number = number.dropFirst(4).prefix { $0 != ";" } }
        return String(number.filter { !$0.isWhitespace })
    }

    /// Without line breaks and what could steer a terminal; no longer than a name may be.
    private static func oneLine(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            guard shown.utf8.count + 4 <= Contact.maximumNameLength else { break }
            let isControl = scalar.value < 0x20 || 0x7F..<0xA0 ~= scalar.value
            shown.unicodeScalars.append(isControl ? " " : scalar)
        }
        let words = shown.split(separator: " ")
        return words.joined(separator: " ")
    }

    private static func isTrue(_ text: String) -> Bool { ["true", "yes", "1", "on"].contains(text.lowercased()) }

    private static func equalsIgnoringCase(_ left: UInt8, _ right: UInt8) -> Bool {
        (0x61...0x7A ~= left ? left & 0xDF : left) == right
    }
}
