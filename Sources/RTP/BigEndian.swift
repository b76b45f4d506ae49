extension Span where Element == UInt8 {
    /// The 16 bits at `offset`; traps outside the span, as every access to it does.
    func bigEndian16(at offset: Int) -> UInt16 { UInt16(self[offset]) << 8 | UInt16(self[offset + 1]) }

    /// The 32 bits at `offset`.
    func bigEndian32(at offset: Int) -> UInt32 {
        UInt32(bigEndian16(at: offset)) << 16 | UInt32(bigEndian16(at: offset + 2))
    }
}

extension [UInt8] {
    mutating func append(bigEndian value: UInt16) {
        append(UInt8(value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    mutating func append(bigEndian value: UInt32) {
        append(bigEndian: UInt16(value >> 16))
        append(bigEndian: UInt16(truncatingIfNeeded: value))
    }
}
