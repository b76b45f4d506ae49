import Settings

/// A configuration file.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(SettingsError) {
        _ = try Settings(parsing: bytes, file: "fuzz.toml")
    } catch {
        precondition(
            !error.problems.isEmpty && error.problems.allSatisfy { $0.line >= 1 }, "an error that names nothing")
    }
    return 0
}
