public import MediaDescription

/// The result of `profile.set`, and what `daemon.status` says of it.
extension ProfileState {
    public var json: JSONValue { .object(members) }

    /// `profile` and `configured`.
    var members: JSONObject {
        ["profile": .string(current.rawValue), "configured": .string(configured.rawValue)]
    }

    public init?(json: JSONValue) {
        guard let current = json["profile"]?.string.flatMap(HandsFreeProfile.init(rawValue:)) else { return nil }
        self.init(
            current: current,
            configured: json["configured"]?.string.flatMap(HandsFreeProfile.init(rawValue:)) ?? current)
    }
}

extension JSONObject {
    /// `profile`: what is chosen; nil where it is not there.
    func profileChoice() throws(ControlError) -> ProfileChoice? {
        guard let word = try optionalString("profile") else { return nil }
        guard let choice = ProfileChoice(word: word) else {
            throw .invalidParams("profile is one of \(ProfileChoice.words.joined(separator: ", "))")
        }
        return choice
    }
}
