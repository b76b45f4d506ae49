/// The version of the daemon and its command, after semver.org.
public let handsetVersion = "0.1.0"
