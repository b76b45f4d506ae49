/// What `dtmf` sends: digits, `,` (a pause of 2 s) and `;` (waits until asked to go on).
public struct DigitString: Hashable, Sendable, CustomStringConvertible {
    /// The most characters that one request may have.
    public static let maximumLength = 128

    /// `0`-`9`, `A`-`D`, `*`, `#`, `,` and `;`, in upper case.
    public let characters: String

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
}
