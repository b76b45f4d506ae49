extension Settings {
    /// `control.socket` of the file at `path`, whatever else is in it; nil where it says nothing or cannot be read.
    ///
    /// For those who look for the daemon and may not read what it reads: no password file is opened.
    public static func controlSocket(inFile path: String) -> String? {
        guard let text = try? contents(ofFile: path, limit: TOMLNode.maximumBytes),
            let document = try? TOMLNode(parsing: text, file: path),
            case .table(let entries) = document.value, case .table(let control)? = entries["control"]?.value,
            case .string(let socket)? = control["socket"]?.value, !socket.isEmpty
        else { return nil }
        return socket
    }
}
