/// What is done to the microphone's sound before any call has it.
public enum HandsFreeProfile: String, Sendable, Hashable, CaseIterable {
    /// Nothing: every sample is as it was captured. For lines, laboratories, and devices that do it themselves.
    case line
    /// For an earpiece, of which the microphone hears nothing: less noise, one level.
    case handset
    /// For a loudspeaker in the room: no echo of it, less noise, one level.
    case speakerphone
}

/// The profile of the sound devices in use, or of those that would be tried first.
public struct ProfileState: Sendable, Hashable {
    /// What is in force.
    public var current: HandsFreeProfile
    /// What the configuration says for these devices; something else is in force where it was chosen by hand.
    public var configured: HandsFreeProfile

    public init(current: HandsFreeProfile = .line, configured: HandsFreeProfile = .line) {
        self.current = current
        self.configured = configured
    }
}

/// What a user chooses.
public enum ProfileChoice: Sendable, Hashable {
    /// What the configuration says for each device.
    case configured
    /// This one, for all devices.
    case always(HandsFreeProfile)

    /// Reads `auto`, or the name of a profile.
    public init?(word: String) {
        if word == "auto" {
            self = .configured
        } else if let profile = HandsFreeProfile(rawValue: word) {
            self = .always(profile)
        } else {
            return nil
        }
    }

    /// As `init(word:)` reads it.
    public var word: String {
        switch self {
        case .configured: "auto"
        case .always(let profile): profile.rawValue
        }
    }

    /// All words that `init(word:)` reads.
    public static var words: [String] { HandsFreeProfile.allCases.map(\.rawValue) + ["auto"] }
}
