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

    /// The number as the whole world would dial it, with `+`, where it is one of the country or an international one; else,
    /// as for an extension of a PBX, the number itself.
    ///
    /// - Parameter isPrefix: it is the beginning of numbers, so its length says nothing.
    func canonical(_ number: [UInt8], isPrefix: Bool = false) -> [UInt8] {
        let plus = UInt8(ascii: "+")
        guard let first = number.first, first != plus, number.allSatisfy(Self.isDigit) else { return number }
        if number.starts(with: international), isPrefix || number.count >= international.count + 7 {
            return Self.joined([], number.dropFirst(international.count))
        }
        guard !countryCode.isEmpty else { return number }
        switch trunk {
        case .prefix(let prefix):
            if number.starts(with: prefix), isPrefix || number.count >= prefix.count + 4 {
                return Self.joined(countryCode, number.dropFirst(prefix.count))
            }
        case .optional(let prefix, let length):
            if number.count == length, !isPrefix { return Self.joined(countryCode, number[...]) }
            if !prefix.isEmpty, number.starts(with: prefix), isPrefix || number.count == prefix.count + length {
                return Self.joined(countryCode, number.dropFirst(prefix.count))
            }
        case .kept:
            if first == UInt8(ascii: "0") || (first == UInt8(ascii: "3") && 9...10 ~= number.count) {
                return Self.joined(countryCode, number[...])
            }
        }
        // Some trunks leave the plus out; no number within a country is as long.
        if number.count >= 11, number.starts(with: countryCode) { return Self.joined([], number[...]) }
        return number
    }

    private static func joined(_ countryCode: [UInt8], _ rest: ArraySlice<UInt8>) -> [UInt8] {
        var number: [UInt8] = []
        number.reserveCapacity(1 + countryCode.count + rest.count)
        number.append(UInt8(ascii: "+"))
        number += countryCode
        number += rest
        return number
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

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
