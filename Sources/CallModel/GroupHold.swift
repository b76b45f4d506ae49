/// What becomes of the members of a group that is held (`calls.group_hold`).
public enum GroupHold: String, Sendable, Hashable, CaseIterable {
    /// Each call is held, and its remote party told: nobody hears anybody.
    case silence
    /// Only we are out of it: the others go on hearing each other, and nobody is told.
    case keep
}
