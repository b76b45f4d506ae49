internal import Glibc

/// A file that the configuration names and that the daemon starts without: a sound, or a list.
public struct NamedFile: Sendable, Hashable {
    /// The configuration that names it.
    var file: String
    /// From 1.
    var line: Int
    /// `section.key`
    var key: String
    /// Relative to the folder of the process, or absolute.
    var path: String

    /// Why it cannot be there; nil where it is. It is not opened: it may be a pipe, or a device. A disk may take its time.
    public var problem: SettingsProblem? {
        var status = stat()
        guard stat(path, &status) != 0 else { return nil }
        let reason = String(cString: strerror(errno))
        return SettingsProblem(file: file, line: line, key: key, message: "\(path): \(reason)")
    }
}

extension Settings {
    /// Those that stand for microphones.
    public var soundInputs: [NamedFile] {
        namedFiles.filter { $0.key == "audio.devices" || $0.key == "audio.capture" }
    }

    /// What is wrong with files that are not there, in the order of the lines.
    public var missingFiles: [SettingsProblem] {
        namedFiles.compactMap(\.problem).sorted { ($0.line, $0.key) < ($1.line, $1.key) }
    }
}

extension TableReader {
    /// Notes the file that stands for the microphone of a device `file:IN,OUT`.
    mutating func noteInput(of device: String, _ key: String, line: Int) {
        guard device.hasPrefix("file:") else { return }
        let input = device.dropFirst(5).prefix { $0 != "," }
        if !input.isEmpty { note(key, String(input), line: line) }
    }
}
