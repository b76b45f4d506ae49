internal import Glibc

/// The folder for the control socket of a user who has no other: below `/tmp`, and that user's alone.
public enum OwnFolder {
    /// Its path, or nil where it is not there, is another user's, or others may go into it.
    ///
    /// - Parameter making: makes it where it is missing.
    public static func path(making: Bool, below parent: String = "/tmp") -> String? {
        let folder = "\(parent)/handset-\(getuid())"
        if making { mkdir(folder, 0o700) }
        var status = stat()
        // Not followed: a link may be anyone's.
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(),
            status.st_mode & 0o077 == 0
        else { return nil }
        return folder
    }
}
