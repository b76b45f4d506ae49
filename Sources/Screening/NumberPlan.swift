/// How telephone numbers of one country are written, so that two ways of writing the same number compare as one.
///
/// Numbers are ASCII: digits, `*`, `#`, and a `+` in front of an international one.
public struct NumberPlan: Sendable, Hashable {
    /// What stands in front of a national number when it is dialled within the country.
    private enum Trunk: Sendable, Hashable {
        case prefix([UInt8])
        /// A prefix that may be left out, since national numbers have a length of their own.
        case optional([UInt8], length: Int)
        /// The zero belongs to the number.
        case kept
    }

    private let countryCode: [UInt8]
    private let international: [UInt8]
    private let trunk: Trunk

    /// - Parameter countryCode: digits such as `49`; empty: national numbers are compared as they are written.
    public init(countryCode: String) {
        self.countryCode = Array(countryCode.utf8)
        let zero = UInt8(ascii: "0")
        international =
            switch countryCode {
            case "1": Array("011".utf8)
            case "7": Array("810".utf8)
            case "61": Array("0011".utf8)
            case "81": Array("010".utf8)
            default: [zero, zero]
            }
        trunk =
            switch countryCode {
            case "1": .optional([UInt8(ascii: "1")], length: 10)
            case "7": .optional([UInt8(ascii: "8")], length: 10)
            case "36": .prefix(Array("06".utf8))
            case "39": .kept
            // No prefix at all: a number of full length is a national one.
            case "34", "48", "351", "420": .optional([], length: 9)
            case "45", "47", "65", "852": .optional([], length: 8)
            case "30": .optional([], length: 10)
            default: .prefix([zero])
            }
    }

    /// What makes a number the one that the whole world would dial.
    private enum Change {
        /// It is one already, or, as an extension of a PBX, none for the world.
        case none
        /// So many of its first bytes give way to `+`.
        case international(dropped: Int)
        /// So many give way to `+` and the country's code.
        case national(dropped: Int)
    }

    /// Bytes that `canonicalize` may put in front of a number.
    var room: Int { 1 + countryCode.count }

    /// Makes of the number in `range` of `text` the one that the whole world would dial, with `+`, where it is one of the
    /// country or an international one; else, as for an extension of a PBX, it stays as it is. Returns where it is then.
    ///
    /// - Parameters:
    ///   - range: there are `room` bytes in front of it.
    ///   - isPrefix: it is the beginning of numbers, so its length says nothing.
    func canonicalize(_ text: inout [UInt8], _ range: Range<Int>, isPrefix: Bool) -> Range<Int> {
        var start = range.lowerBound
        switch change(of: text.span.extracting(range), isPrefix: isPrefix) {
        case .none: return range
        case .international(let dropped): start += dropped
        case .national(let dropped):
            start += dropped - countryCode.count
            for index in countryCode.indices { text[start + index] = countryCode[index] }
        }
        text[start - 1] = UInt8(ascii: "+")
        return (start - 1)..<range.upperBound
    }

    private func change(of number: borrowing Span<UInt8>, isPrefix: Bool) -> Change {
        guard !number.isEmpty else { return .none }
        for index in number.indices where !(0x30...0x39 ~= number[index]) { return .none }
        if Self.begins(number, with: international), isPrefix || number.count >= international.count + 7 {
            return .international(dropped: international.count)
        }
        guard !countryCode.isEmpty else { return .none }
        switch trunk {
        case .prefix(let prefix):
            if Self.begins(number, with: prefix), isPrefix || number.count >= prefix.count + 4 {
                return .national(dropped: prefix.count)
            }
        case .optional(let prefix, let length):
            if number.count == length, !isPrefix { return .national(dropped: 0) }
            if !prefix.isEmpty, Self.begins(number, with: prefix), isPrefix || number.count == prefix.count + length {
                return .national(dropped: prefix.count)
            }
        case .kept:
            if number[0] == UInt8(ascii: "0") || (number[0] == UInt8(ascii: "3") && 9...10 ~= number.count) {
                return .national(dropped: 0)
            }
        }
        // Some trunks leave the plus out; no number within a country is as long.
        if number.count >= 11, Self.begins(number, with: countryCode) { return .international(dropped: 0) }
        return .none
    }

    private static func begins(_ number: borrowing Span<UInt8>, with beginning: [UInt8]) -> Bool {
        guard number.count >= beginning.count else { return false }
        for index in beginning.indices where number[index] != beginning[index] { return false }
        return true
    }

    /// Whether `handle` is what `wanted` names: `wanted` may leave out the host, or write a number in another way.
    public func matches(_ handle: String, _ wanted: String) -> Bool {
        CallerKeys(handle.utf8, plan: self).keys.contains(CallerKeys(wanted.utf8, plan: self).ruleKey)
    }

    /// Whether two entries of a list of callers mean the same.
    public func isSameEntry(_ entry: String, _ other: String) -> Bool {
        var list = CallerList(plan: self)
        list.add(entry)
        list.add(other)
        return list.count == 1
    }
}
