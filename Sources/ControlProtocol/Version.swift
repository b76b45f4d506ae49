/// The version of Handset: of the daemon, of its command and of the protocol between them, after semver.org.
public let handsetVersion = "0.1.0"
