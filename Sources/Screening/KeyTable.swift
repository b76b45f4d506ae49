/// A set of short byte strings, packed: one array holds them all, another finds them. Looking one up takes a constant time
/// and no memory, however many there are.
struct KeyTable: Sendable {
    /// Bytes of a key, at most.
    static let maximumLength = 255

    /// One after the other: a byte of length, and the key.
    private var keys: [UInt8] = []
    /// Where in `keys` the key begins, plus 1; 0 is a free slot. A power of two, at most half of it in use.
    private var slots: [UInt32] = []
    /// Makes the slots differ from run to run, so that nobody can choose keys that collide.
    private let seed = UInt64.random(in: .min ... .max)
    private(set) var count = 0

    /// Makes room for `count` keys of `octets` bytes together.
    mutating func reserve(_ count: Int, octets: Int) {
        keys.reserveCapacity(octets + count)
        grow(to: count)
    }

    /// Adds `key`; false where it is there already, is longer than `maximumLength`, or there is no room for more.
    @discardableResult
    mutating func insert(_ key: ArraySlice<UInt8>) -> Bool {
        guard key.count <= Self.maximumLength, keys.count < Int(UInt32.max) - 512 else { return false }
        if (count + 1) * 2 > slots.count { grow(to: max(8, count * 2)) }
        let slot = slot(of: key)
        guard slots[slot] == 0 else { return false }
        slots[slot] = UInt32(keys.count) + 1
        keys.append(UInt8(key.count))
        keys.append(contentsOf: key)
        count += 1
        return true
    }

    func contains(_ key: [UInt8]) -> Bool {
        guard count > 0, key.count <= Self.maximumLength else { return false }
        return slots[slot(of: key[...])] != 0
    }

    /// The slot where `key` is, or the free one where it belongs.
    private func slot(of key: ArraySlice<UInt8>) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash(key)) & mask
        while slots[slot] != 0 {
            let start = Int(slots[slot]) - 1
            if Int(keys[start]) == key.count, isEqual(key, at: start + 1) { break }
            slot = (slot + 1) & mask
        }
        return slot
    }

    private func isEqual(_ key: ArraySlice<UInt8>, at start: Int) -> Bool {
        var index = start
        for byte in key {
            if keys[index] != byte { return false }
            index += 1
        }
        return true
    }

    /// FNV-1a, seeded and mixed.
    private func hash(_ key: ArraySlice<UInt8>) -> UInt64 {
        var hash = seed
        for byte in key { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash ^= hash >> 32
        hash &*= 0x9E37_79B9_7F4A_7C15
        return hash ^ (hash >> 29)
    }

    private mutating func grow(to wanted: Int) {
        var size = 16
        while size < wanted * 2 + 2 { size *= 2 }
        guard size > slots.count else { return }
        slots = [UInt32](repeating: 0, count: size)
        var start = 0
        while start < keys.count {
            let length = Int(keys[start])
            var slot = Int(truncatingIfNeeded: hash(keys[(start + 1)..<(start + 1 + length)])) & (size - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = UInt32(start) + 1
            start += length + 1
        }
    }
}
