internal import Glibc

/// What the system calls an errno value.
func systemMessage(_ code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
        // Unlike strerror, safe on any thread.
        guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else { return "error \(code)" }
        return String(cString: base)
    }
}
