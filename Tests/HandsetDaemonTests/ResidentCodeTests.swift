import Testing

@testable import HandsetDaemon

@Suite("Resident code")
struct ResidentCodeTests {
    private func clean(_ text: String, libraries: [String]? = nil) -> [Range<UInt>] {
        var reader = CleanMappings(libraries: libraries)
        var found = text.split(separator: "\n").compactMap { reader.take("\($0)\n") }
        if let last = reader.finish() { found.append(last) }
        return found
    }

    @Test("Of the mappings, code and constants of files are let go, and nothing else")
    func onlyFiles() {
        let maps = """
            55d0c0000000-55d0c0100000 r--p 00000000 fe:00 1 /usr/sbin/handsetd
            55d0c0100000-55d0c0a00000 r-xp 00100000 fe:00 1                      /usr/sbin/handsetd
            55d0c0a00000-55d0c0b00000 rw-p 00a00000 fe:00 1 /usr/sbin/handsetd
            7f0000000000-7f0000021000 rw-p 00000000 00:00 0
            7f0000100000-7f0000110000 rwxp 00000000 fe:00 2 /usr/lib/odd.so
            7f0000200000-7f0000210000 r-xp 00000000 fe:00 3 /usr/lib/a name.so
            7f0000300000-7f0000310000 r--s 00000000 fe:00 3 /usr/share/zoneinfo/UTC
            7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0 [vdso]
            nonsense
            """
        #expect(
            clean(maps) == [
                0x55d0_c000_0000..<0x55d0_c010_0000, 0x55d0_c010_0000..<0x55d0_c0a0_0000,
                0x7f00_0020_0000..<0x7f00_0021_0000,
            ])
    }

    @Test("Where the audio loop turns, its own code and that of unnamed libraries are kept")
    func onlyNamed() {
        let maps = """
            55d0c0100000-55d0c0a00000 r-xp 00100000 fe:00 1 /usr/sbin/handsetd
            7f0000100000-7f0000110000 r-xp 00000000 fe:00 2 /usr/lib/libnss3.so
            7f0000200000-7f0000210000 r-xp 00000000 fe:00 3 /usr/lib/libopus.so.0.8.0
            7f0000300000-7f0000310000 r--p 00000000 fe:00 4 /opt/libnss3/libc.so.6
            """
        #expect(clean(maps, libraries: ["libnss3"]) == [0x7f00_0010_0000..<0x7f00_0011_0000])
    }

    @Test(
        "What was written to is kept, in memory or in the swap space",
        arguments: [("0", "0", true), ("8", "0", false), ("0", "4", false), ("", "0", false)])
    func onlyClean(anonymous: String, swap: String, isClean: Bool) {
        let smaps = """
            7f0000000000-7f0000021000 r--p 00000000 fe:00 2 /usr/lib/first.so
            Size:                 132 kB
            Rss:                  132 kB
            Anonymous:              \(anonymous) kB
            Swap:                   \(swap) kB
            VmFlags: rd mr mw me sd
            7f0000100000-7f0000110000 rw-p 00000000 fe:00 2 /usr/lib/first.so
            Anonymous:              8 kB
            """
        #expect(clean(smaps) == (isClean ? [0x7f00_0000_0000..<0x7f00_0002_1000] : []))
    }

    @Test("The process goes on after its code was let go")
    func goesOn() {
        ResidentCode.giveBack()
        #expect([1, 2, 3].map(String.init).joined(separator: ",") == "1,2,3")
    }
}
