internal import Glibc

/// What the kernel tells about sound cards under /proc/asound.
struct SoundCards {
    private let root: String
    private let processes: String

    init(root: String = "/proc/asound", processes: String = "/proc") {
        self.root = root
        self.processes = processes
    }

    struct Card: Hashable, CustomStringConvertible {
        var index: Int
        /// The name to use in `hw:CARD=`.
        var identifier: String
        var title: String
        var description: String { "\(identifier) (\(title))" }
    }

    /// The cards, by index.
    func list() -> [Card] {
        var cards: [Card] = []
        // " 0 [PCH            ]: HDA-Intel - HDA Intel PCH"
        for line in Self.read("\(root)/cards").split(separator: "\n") {
            guard let open = line.firstIndex(of: "["), let close = line[open...].firstIndex(of: "]"),
                let index = Int(Self.trimmed(line[..<open]))
            else { continue }
            let title = line[close...].firstRange(of: " - ").map { line[$0.upperBound...] } ?? ""
            let identifier = Self.trimmed(line[line.index(after: open)..<close])
            cards.append(Card(index: index, identifier: String(identifier), title: String(Self.trimmed(title))))
        }
        return cards
    }

    /// Who has a PCM of this direction open, as `name (pid n)`: on the card that the device's name tells, or on any.
    func holders(of direction: SoundDirection, device: String) -> [String] {
        let known = list()
        let wanted = Self.card(in: device)
        let named = known.filter { $0.identifier == wanted || String($0.index) == wanted }
        var found: [String] = []
        for card in named.isEmpty ? known : named {
            let folder = "\(root)/card\(card.index)"
            let suffix = direction == .capture ? "c" : "p"
            for pcm in Self.entries(folder) where pcm.hasPrefix("pcm") && pcm.hasSuffix(suffix) {
                for sub in Self.entries("\(folder)/\(pcm)") where sub.hasPrefix("sub") {
                    guard let thread = Self.field("owner_pid", in: Self.read("\(folder)/\(pcm)/\(sub)/status")) else {
                        continue
                    }
                    let holder = process(ofThread: thread)
                    if !found.contains(holder) { found.append(holder) }
                }
            }
        }
        return found
    }

    /// The kernel notes the thread that opened the device; people know processes.
    private func process(ofThread thread: Substring) -> String {
        let process = Self.field("Tgid", in: Self.read("\(processes)/\(thread)/status")) ?? thread
        let name = Self.trimmed(Substring(Self.read("\(processes)/\(process)/comm")))
        return name.isEmpty ? "process \(process)" : "\(name) (pid \(process))"
    }

    /// Which card a PCM has led to, for those whose name does not say it: ` (card PCH)`, or nothing.
    func remark(card index: Int, name: String) -> String {
        guard let card = list().first(where: { $0.index == index }), Self.card(in: name) != card.identifier else {
            return ""
        }
        return " (card \(card.identifier))"
    }

    /// The card in a PCM name: `PCH` of `hw:CARD=PCH,DEV=0`, `0` of `plughw:0,0`.
    static func card(in device: String) -> String? {
        guard let colon = device.lastIndex(of: ":") else { return nil }
        let arguments = device[device.index(after: colon)...].split(separator: ",")
        for argument in arguments where argument.hasPrefix("CARD=") { return String(argument.dropFirst(5)) }
        guard let first = arguments.first, !first.contains("=") else { return nil }
        return String(first)
    }

    /// The value in a line `name : value`.
    static func field(_ name: String, in text: String) -> Substring? {
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":"), trimmed(line[..<colon]) == name else { continue }
            return trimmed(line[line.index(after: colon)...])
        }
        return nil
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" || character == "\n" }
        let front = text.drop(while: isSpace)
        guard let last = front.lastIndex(where: { !isSpace($0) }) else { return "" }
        return front[...last]
    }

    /// The first 16 KiB of a file of /proc; empty where it cannot be read.
    private static func read(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return "" }
        defer { close(file) }
        return String(unsafeUninitializedCapacity: 16 << 10) { buffer in
            var count = 0
            while count < buffer.count {
                let taken = Glibc.read(file, buffer.baseAddress.map { $0 + count }, buffer.count - count)
                guard taken > 0 else { break }
                count += taken
            }
            return count
        }
    }

    /// The names in a folder, sorted; at most 256.
    private static func entries(_ path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < 256, let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.sorted()
    }
}
