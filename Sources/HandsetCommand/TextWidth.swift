/// How many columns of a terminal a text takes.
enum TextWidth {
    static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

    /// 0 for what only adds to the character before it, 2 for those of East Asian scripts and pictures, else 1.
    static func columns(_ character: Character) -> Int {
        var columns = 0
        for scalar in character.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: continue
            default: columns = max(columns, isWide(scalar) ? 2 : 1)
            }
        }
        return columns
    }

    /// The beginning of `text` that fits into `columns`, with `ellipsis` at its end where something was left out.
    static func fitted(_ text: String, to columns: Int, ellipsis: String) -> String {
        guard self.columns(text) > columns else { return text }
        let room = columns - self.columns(ellipsis)
        guard room >= 0 else { return "" }
        var (kept, used) = ("", 0)
        for character in text {
            used += self.columns(character)
            guard used <= room else { break }
            kept.append(character)
        }
        return kept + ellipsis
    }

    /// Unicode Standard Annex 11: wide and full-width, in blocks.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F1E6...0x1F1FF, 0x1F300...0x1F64F,
            0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x2_0000...0x3_FFFD:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }
}
