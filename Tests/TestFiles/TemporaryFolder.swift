internal import Glibc

/// A folder of one test, removed with all it holds when the test lets it go.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() {
        var template = Array("/tmp/handset-files-XXXXXX".utf8CString)
        path = mkdtemp(&template) == nil ? "/tmp" : String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
    }

    deinit {
        guard path != "/tmp" else { return }
        remove(path)
    }

    /// The path of what is called so in it.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, with the folders it lies in, and returns its path.
    @discardableResult
    public func write(_ name: String, _ bytes: some Sequence<UInt8>) -> String {
        let whole = file(name)
        for end in whole.indices where whole[end] == "/" && end > whole.startIndex {
            mkdir(String(whole[..<end]), 0o755)
        }
        guard let file = fopen(whole, "w") else { return whole }
        defer { fclose(file) }
        let bytes = Array(bytes)
        fwrite(bytes, 1, bytes.count, file)
        return whole
    }

    private func remove(_ path: String) {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != "." && name != ".." { remove("\(path)/\(name)") }
            }
            closedir(folder)
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}

/// A file's bytes; empty where there is none.
public func readBytes(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
    return bytes
}
