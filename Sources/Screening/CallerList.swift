/// A list of callers: handles, domains (`@example.com`), beginnings of numbers (`+49900*`), and `anonymous`.
public struct CallerList: Sendable {
    /// Bytes of an entry, at most.
    public static let maximumEntryLength = 250
    /// Entries of a list, at most.
    public static let maximumCount = 1_000_000

    private let plan: NumberPlan
    private var table = KeyTable()
    private var hasDomains = false
    private var hasAnonymous = false
    /// Bit n: there are beginnings of n bytes.
    private var prefixLengths: UInt64 = 0
    /// Room for one entry under way, and for its number.
    private var scratch = [UInt8](repeating: 0, count: maximumEntryLength + 1)
    private var numberScratch: [UInt8]

    public init(plan: NumberPlan = NumberPlan(countryCode: "")) {
        self.plan = plan
        numberScratch = [UInt8](repeating: 0, count: plan.room + Self.maximumEntryLength + 1)
    }

    /// Entries, each counted once.
    public var count: Int { table.count + (hasAnonymous ? 1 : 0) }
    public var isEmpty: Bool { count == 0 }
    /// Bytes of memory that the entries take.
    var octets: Int { table.octets }

    /// Whether `entry` can be one of a list.
    public static func accepts(_ entry: String) -> Bool {
        var list = CallerList()
        return list.add(entry)
    }

    /// Adds an entry; false where it is none, or the list is full. One that is there already is added.
    @discardableResult
    public mutating func add(_ entry: String) -> Bool { add(Array(entry.utf8)[...]) }

    /// Adds the entries of a file, one a line; empty lines and what follows `#` at the beginning of a line or after a blank
    /// are passed over. Returns which lines are no entries, or find no room.
    public mutating func add(lines text: [UInt8]) -> LineFindings {
        var findings = LineFindings()
        let lines = text.count { $0 == UInt8(ascii: "\n") } + 1
        // A line's length stands in place of its end.
        table.reserve(min(table.count + lines, Self.maximumCount), octets: text.count + 1)
        var (start, number) = (0, 0)
        while start < text.count {
            number += 1
            let (entry, next) = Self.entry(of: text.span, from: start)
            if !entry.isEmpty, !add(text[entry]) {
                findings.add(
                    line: number,
                    count < Self.maximumCount
                        ? "nothing that can be on a list; passed over"
                        : "the list has \(Self.maximumCount) entries, and no more are taken")
            }
            start = next
        }
        return findings
    }

    private mutating func add(_ entry: ArraySlice<UInt8>) -> Bool {
        guard 1...Self.maximumEntryLength ~= entry.count, count < Self.maximumCount,
            entry.allSatisfy({ 0x20...0x7E ~= $0 })
        else { return false }
        // What lists are made of, by the hundred thousand: it is its own key.
        if Self.isInternational(entry) {
            table.insert(entry)
            return true
        }
        if entry.first == UInt8(ascii: "@") {
            var domain = entry.dropFirst().map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
            if domain.last == UInt8(ascii: ".") { domain.removeLast() }
            // A port or a parameter is none of a domain.
            let isAddress = domain.first == UInt8(ascii: "[")
            guard HandleCheck.isHost(domain.span), isAddress || !domain.contains(where: Self.endsHost) else {
                return false
            }
            table.insert(([UInt8(ascii: "@")] + domain)[...])
            hasDomains = true
            return true
        }
        if entry.last == UInt8(ascii: "*") { return add(prefix: entry.dropLast()) }
        if entry.count == 9, entry.lazy.map({ $0 | 0x20 }).elementsEqual("anonymous".utf8) {
            hasAnonymous = true
            return true
        }
        guard HandleCheck.isHandle(entry.span) else { return false }
        let parts = CallerKeys.write(entry.span, to: &scratch)
        let number = CallerKeys.write(
            number: scratch, ..<parts.userEnd, to: &numberScratch, plan: plan, isPrefix: false)
        var key = scratch[parts.ruleKey]
        if let number, parts.hasNoHost || CallerKeys.isPublic(numberScratch[number]) { key = numberScratch[number] }
        guard !key.isEmpty else { return false }
        if key.first == UInt8(ascii: "@") { hasDomains = true }
        table.insert(key)
        return true
    }

    /// Whether it is `+` and digits, nothing else.
    private static func isInternational(_ entry: ArraySlice<UInt8>) -> Bool {
        guard entry.count > 1, entry.first == UInt8(ascii: "+") else { return false }
        for byte in entry.dropFirst() where !(0x30...0x39 ~= byte) { return false }
        return true
    }

    private static func endsHost(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ":") || byte == UInt8(ascii: ";") }

    private mutating func add(prefix: ArraySlice<UInt8>) -> Bool {
        // All of it: of `+49;900` no more than `+49` would be compared.
        guard !prefix.contains(UInt8(ascii: ";")) else { return false }
        let parts = CallerKeys.write(prefix.span, to: &scratch)
        let number = CallerKeys.write(
            number: scratch, ..<parts.userEnd, to: &numberScratch, plan: plan, isPrefix: true)
        guard let number, number.count < 64 else { return false }
        numberScratch[number.upperBound] = UInt8(ascii: "*")
        table.insert(numberScratch[number.lowerBound...number.upperBound])
        prefixLengths |= 1 << UInt64(number.count)
        return true
    }

    /// What of the line at `start` is an entry, and where the next line begins.
    private static func entry(of text: borrowing Span<UInt8>, from start: Int) -> (entry: Range<Int>, next: Int) {
        var (first, last, previous) = (start, start, UInt8(0x20))
        var (index, isRemark) = (start, false)
        while index < text.count {
            let byte = text[index]
            if byte == UInt8(ascii: "\n") { break }
            isRemark = isRemark || (byte == UInt8(ascii: "#") && isBlank(previous))
            if !isRemark, !isBlank(byte) {
                if first == last { first = index }
                last = index + 1
            }
            previous = byte
            index += 1
        }
        return (first..<last, index + 1)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    /// Whether the caller is on the list.
    func contains(_ caller: CallerKeys) -> Bool {
        if hasAnonymous, caller.isAnonymous { return true }
        guard table.count > 0 else { return false }
        if caller.keys.contains(where: table.contains) { return true }
        if hasDomains, caller.domainKeys.contains(where: table.contains) { return true }
        guard prefixLengths != 0, let number = caller.number else { return false }
        for length in 1..<64 where prefixLengths & (1 << UInt64(length)) != 0 && number.count >= length {
            if table.contains((number.prefix(length) + [UInt8(ascii: "*")])[...]) { return true }
        }
        return false
    }
}
