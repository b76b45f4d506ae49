internal import Glibc

/// What stands at a path.
enum FileKind: Hashable {
    case file, pipe, folder, link, other

    /// nil where nothing does, or it cannot be said. A link is not followed.
    init?(of path: String) {
        var status = stat()
        guard !path.isEmpty, lstat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFIFO: self = .pipe
        case S_IFDIR: self = .folder
        case S_IFLNK: self = .link
        default: self = .other
        }
    }

    /// For people.
    var words: String {
        switch self {
        case .file: "a file"
        case .pipe: "a named pipe"
        case .folder: "a folder"
        case .link: "a link"
        case .other: "a device or socket"
        }
    }
}
