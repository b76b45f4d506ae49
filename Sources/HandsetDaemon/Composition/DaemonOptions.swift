/// The command line of handsetd.
public struct DaemonOptions: Sendable, Hashable {
    public enum Action: Sendable, Hashable { case run, checkConfiguration, printVersion, printHelp }

    public var action = Action.run
    /// `--config`; nil: the default file, where it exists.
    public var configuration: String?
    /// `--socket`
    public var socket: String?

    public init() {}

    /// Reads the arguments, without the program's name. Throws what is wrong and how to go on.
    public init(parsing arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            var value: String?
            var name = argument
            if argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") {
                name = String(argument[..<equals])
                value = String(argument[argument.index(after: equals)...])
            }
            switch name {
            case "--config": configuration = try Self.value(of: name, value, &rest)
            case "--socket": socket = try Self.value(of: name, value, &rest)
            case "--check-config": action = .checkConfiguration
            case "--version": action = .printVersion
            case "--help", "-h": action = .printHelp
            default: throw UsageError("unknown argument \"\(argument)\"")
            }
            if value != nil, name != "--config", name != "--socket" { throw UsageError("\(name) takes no value") }
        }
    }

    private static func value(
        of name: String, _ inline: String?, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        guard let value = inline ?? rest.popFirst(), !value.isEmpty else { throw UsageError("\(name) wants a path") }
        return value
    }

    public static let help = """
        usage: handsetd [--config FILE] [--socket PATH] [--check-config] [--version]

          --config FILE    read FILE (default: /etc/handset/handset.toml, where it exists)
          --socket PATH    listen for control clients at PATH
          --check-config   say what is wrong with the configuration, and end: 0 nothing, 2 something
          --version        print the version
          --help           print this

        Stays in the foreground. SIGTERM ends it orderly, SIGHUP reloads the configuration. See handsetd(8).
        """
}

/// A wrong command line.
public struct UsageError: Error, Sendable, Hashable {
    public var message: String

    public init(_ message: String) { self.message = message }
}
