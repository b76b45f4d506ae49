/// What a command takes, read from its synopsis, such as `dial HANDLE [--account NAME] [--wait]`.
///
/// Words in capitals stand for what the user chooses, others are written as they stand; `[ ]` may be left out, `|`
/// separates alternatives (for a whole line between spaces, else for one word), `...` repeats.
struct Synopsis: Sendable, Hashable {
    /// What may stand at one place.
    enum Place: Sendable, Hashable {
        /// One of these, as they are.
        case words([String])
        /// What the word in capitals names.
        case value(String, repeats: Bool)
    }

    struct Option: Sendable, Hashable {
        var name: String
        /// What its value is called; nil where it has none.
        var value: String?
    }

    var options: [Option] = []
    /// The places of each alternative, after the command's name.
    var alternatives: [[Place]] = []

    init(_ text: String) {
        // Brackets say what may be left out, which does not matter for what may follow.
        let tokens = text.split(separator: " ").map { $0.filter { !"[]".contains($0) } }.dropFirst()
        for part in tokens.split(separator: "|", omittingEmptySubsequences: false) { add(part) }
    }

    private mutating func add(_ tokens: ArraySlice<String>) {
        var places: [Place] = []
        var rest = tokens
        while let token = rest.popFirst() {
            if token == "--" { continue }
            if token.hasPrefix("--") {
                let value = rest.first.flatMap { Self.isValue($0) ? $0 : nil }
                if value != nil { rest.removeFirst() }
                options.append(Option(name: token, value: value))
            } else if Self.isValue(token) {
                places.append(.value(token.filter { $0 != "." }, repeats: token.hasSuffix("...")))
            } else {
                places.append(.words(token.split(separator: "|").map(String.init)))
            }
        }
        if !places.isEmpty { alternatives.append(places) }
    }

    private static func isValue(_ token: String) -> Bool {
        token.allSatisfy { $0.isUppercase || $0 == "." } && token.contains(where: \.isUppercase)
    }

    /// What may stand after `given`.
    func places(after given: [String]) -> [Place] {
        alternatives.compactMap { places in
            for (index, word) in given.enumerated() {
                guard index < places.count else {
                    guard case .value(_, repeats: true)? = places.last else { return nil }
                    return places.last
                }
                if case .words(let words) = places[index], !words.contains(word) { return nil }
            }
            if given.count < places.count { return places[given.count] }
            guard case .value(_, repeats: true)? = places.last else { return nil }
            return places.last
        }
    }
}
