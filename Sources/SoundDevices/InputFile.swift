internal import Glibc

/// A regular file that is read, closed with its owner.
struct InputFile: ~Copyable {
    let descriptor: Int32
    /// In bytes, when it was opened.
    let size: Int

    init(path: String) throws(SoundFileError) {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .unreadable(errno) }
        var status = stat()
        let code = fstat(file, &status) == 0 ? 0 : errno
        // A FIFO or a terminal would make us wait.
        guard code == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw code == 0 ? .notRegular : .unreadable(code)
        }
        descriptor = file
        size = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// Up to `count` bytes from there; fewer at the end of the file.
    func read(_ offset: Int, _ count: Int) throws(SoundFileError) -> [UInt8] {
        guard count > 0 else { return [] }
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let taken = pread(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, offset + filled)
                if taken < 0 { failure = errno }
                guard taken > 0 else { break }
                filled += taken
            }
        }
        guard failure == 0 else { throw .unreadable(failure) }
        return bytes
    }
}
