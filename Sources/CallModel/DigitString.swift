/// What `dtmf` sends: digits, `,` (a pause of 2 s) and `;` (waits until asked to go on).
public struct DigitString: Hashable, Sendable, CustomStringConvertible {
    /// The most characters that one request may have.
    public static let maximumLength = 128

    /// `0`-`9`, `A`-`D`, `*`, `#`, `,` and `;`, in upper case.
    public let characters: String
    /// How long each key is down, and up before the next one, in milliseconds; nil: as configured.
    public var tone: Int?
    public var gap: Int?

    /// Reads 0 to 128 of `0`-`9`, `A`-`D` (either case), `*`, `#`, `,` and `;`; nil for anything else.
    ///
    /// The empty string asks for what a `;` has held back.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        var accepted = ""
        for character in text {
            switch character {
            case "0"..."9" where character.isASCII, "A"..."D" where character.isASCII, "*", "#", ",", ";":
                accepted.append(character)
            case "a", "b", "c", "d": accepted.append(contentsOf: character.uppercased())
            default: return nil
            }
        }
        characters = accepted
    }

    public var description: String { characters }

    /// The same with the times of `timing` where it has none of its own.
    public func completed(by timing: DigitTiming) -> DigitString {
        var copy = self
        copy.tone = tone ?? timing.tone
        copy.gap = gap ?? timing.gap
        return copy
    }

    var timing: DigitTiming {
        let usual = DigitTiming()
        return DigitTiming(tone: tone ?? usual.tone, gap: gap ?? usual.gap)
    }
}

/// How long a key is down, and up before the next one.
public struct DigitTiming: Hashable, Sendable {
    /// Milliseconds: ITU-T Q.24 has receivers take 40, and what is longer is pressed by hand.
    public static let range = 40...2_000
    /// How long a `,` waits, in milliseconds.
    public static let pause = 2_000
    /// A packet of 60 ms, the longest, rounds key and gap up, and the end of a key is sent three times
    /// (RFC 4733 §2.5.1.4).
    private static let rounding = 4 * 60

    /// Milliseconds, 40...2000.
    public let tone: Int
    public let gap: Int

    /// What is out of range is moved into it.
    public init(tone: Int = 100, gap: Int = 100) {
        self.tone = min(max(tone, Self.range.lowerBound), Self.range.upperBound)
        self.gap = min(max(gap, Self.range.lowerBound), Self.range.upperBound)
    }

    /// The longest that `digits` may take.
    func longest(of digits: some StringProtocol) -> Duration {
        digits.reduce(.zero) { $0 + .milliseconds($1 == "," ? Self.pause + 60 : tone + gap + Self.rounding) }
    }
}
