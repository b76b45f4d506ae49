internal import Glibc

/// The machine code and constants that are mapped into the process.
enum ResidentCode {
    /// Gives back what only a beginning needed, that of the daemon or of a call: of the program and its libraries, some
    /// megabytes that are not looked at again for long. What is needed after all comes back from the page cache, a few pages
    /// at a time.
    ///
    /// Safe at any time: only mappings that nothing can write to, and nothing has written to, are let go. A library's
    /// relocated tables (RELRO) are read-only as well, but must not be read from its file again.
    ///
    /// - Parameter sparingLoop: while the audio loop turns, only libraries that it never calls: it is not to wait for pages.
    static func giveBack(sparingLoop: Bool = false) {
        guard let file = fopen("/proc/self/smaps", "re") else { return }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        var reader = CleanMappings(libraries: sparingLoop ? Self.strangersToLoop : nil)
        while getline(&line, &capacity, file) > 0, let line {
            if let range = reader.take(String(cString: line)) { letGo(range) }
        }
        if let range = reader.finish() { letGo(range) }
    }

    /// What the control side and the SRTP library bring along; beginnings of file names.
    private static let strangersToLoop = [
        "libnss3", "libnssutil3", "libsoftokn3", "libfreebl", "libnspr4", "libplc4", "libplds4", "libsqlite3",
        "libcrypto",
        "libstdc++", "libsystemd", "libgcrypt", "libgpg-error", "libtiff", "libresolv",
    ]

    private static func letGo(_ range: Range<UInt>) {
        guard let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound) else { return }
        madvise(start, range.count, MADV_DONTNEED)
    }
}

/// Finds the mappings of files that are not writable and have no page of their own, in the lines of `/proc/PID/smaps`
/// (proc(5)).
struct CleanMappings {
    private let libraries: [String]?
    private var candidate: Range<UInt>?

    /// - Parameter libraries: beginnings of the names of the files that count; nil: all.
    init(libraries: [String]? = nil) { self.libraries = libraries }

    /// Takes the next line. Returns a mapping once all its lines are known.
    mutating func take(_ line: String) -> Range<UInt>? {
        let fields = line.split(maxSplits: 5, omittingEmptySubsequences: true) { $0 == " " || $0 == "\n" }
        guard let first = fields.first else { return nil }
        guard first.last != ":" else {
            // What has been written to since it was mapped, or has gone to the swap space from there.
            if first == "Anonymous:" || first == "Swap:", fields.count < 2 || fields[1] != "0" { candidate = nil }
            return nil
        }
        defer { candidate = range(of: fields) }
        return candidate
    }

    /// The mapping of the last lines.
    consuming func finish() -> Range<UInt>? { candidate }

    private func range(of fields: [Substring]) -> Range<UInt>? {
        guard fields.count == 6, fields[1] == "r-xp" || fields[1] == "r--p",
            fields[5].first(where: { $0 != " " }) == "/", isWanted(fields[5])
        else { return nil }
        let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard ends.count == 2, ends[0] < ends[1] else { return nil }
        return ends[0]..<ends[1]
    }

    private func isWanted(_ path: Substring) -> Bool {
        guard let libraries, let name = path.split(separator: "/").last else { return true }
        return libraries.contains { name.hasPrefix($0) }
    }
}
