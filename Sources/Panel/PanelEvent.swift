/// A line of the pipe of events: `press NAME` or `release NAME`.
public struct PanelEvent: Sendable, Hashable {
    /// Bytes of a line, at most.
    public static let maximumLength = 64

    public var name: String
    public var isPressed: Bool

    public init(name: String, isPressed: Bool) {
        self.name = name
        self.isPressed = isPressed
    }

    /// nil where `line`, without its end, is no such thing.
    public init?(parsing line: [UInt8]) {
        let words = line.split(separator: UInt8(ascii: " "))
        guard line.count <= Self.maximumLength, words.count == 2 else { return nil }
        switch String(decoding: words[0], as: UTF8.self) {
        case "press": isPressed = true
        case "release": isPressed = false
        default: return nil
        }
        name = String(decoding: words[1], as: UTF8.self)
        guard Self.isName(name) else { return nil }
    }

    /// Whether a button or light may be called so: 1 to 32 of a-z, A-Z, 0-9, `-` and `_`.
    public static func isName(_ text: String) -> Bool {
        1...32 ~= text.utf8.count
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
