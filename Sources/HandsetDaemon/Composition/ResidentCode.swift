internal import Glibc

/// The machine code that is mapped into the process.
enum ResidentCode {
    /// Gives back what only the start needed: of the program and its libraries, some megabytes that a daemon of months never
    /// runs again. What is needed after all comes back from the page cache, a few pages at a time.
    ///
    /// Safe at any time: only mappings that nothing can have written to are let go.
    static func giveBack() {
        for range in mappings(in: read()) {
            guard let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound) else { continue }
            madvise(start, range.count, MADV_DONTNEED)
        }
    }

    /// Executable mappings of files, which are not writable, in the text of `/proc/self/maps` (proc(5)).
    static func mappings(in text: String) -> [Range<UInt>] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count == 6, fields[1] == "r-xp", fields[5].first(where: { $0 != " " }) == "/" else {
                return nil
            }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard ends.count == 2, ends[0] < ends[1] else { return nil }
            return ends[0]..<ends[1]
        }
    }

    private static func read() -> String {
        guard let file = fopen("/proc/self/maps", "re") else { return "" }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < 1 << 20 {
            let taken = fread(&block, 1, block.count, file)
            guard taken > 0 else { break }
            bytes += block[..<taken]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
