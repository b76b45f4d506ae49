/// A set of short byte strings, packed: one array holds them all, another finds them. Looking one up takes a constant time
/// and no memory, however many there are.
struct KeyTable: Sendable {
    /// Bytes of a key, at most.
    static let maximumLength = 255

    /// One after the other: a byte of length, and the key.
    private var keys: [UInt8] = []
    /// Where in `keys` the key begins, plus 1; 0 is a free slot. A power of two, at most five eighths of it in use.
    private var slots: [UInt32] = []
    /// Makes the slots differ from run to run, so that nobody can choose keys that collide.
    private let seed = UInt64.random(in: .min ... .max)
    private(set) var count = 0

    /// Bytes of memory that it takes.
    var octets: Int { keys.capacity + slots.capacity * MemoryLayout<UInt32>.stride }

    /// Makes room for `count` keys in all, those that are new of `octets` bytes together with one each for their lengths.
    mutating func reserve(_ count: Int, octets: Int) {
        keys.reserveCapacity(keys.count + octets)
        grow(to: count)
    }

    /// Adds `key`; false where it is there already, is longer than `maximumLength`, or there is no room for more.
    @discardableResult
    mutating func insert(_ key: ArraySlice<UInt8>) -> Bool {
        guard key.count <= Self.maximumLength, keys.count < Int(UInt32.max) - 512 else { return false }
        if !Self.holds(slots.count, count + 1) { grow(to: max(8, count * 2)) }
        let slot = slot(of: key)
        guard slots[slot] == 0 else { return false }
        slots[slot] = UInt32(keys.count) + 1
        keys.append(UInt8(key.count))
        keys.append(contentsOf: key)
        count += 1
        return true
    }

    func contains(_ key: ArraySlice<UInt8>) -> Bool {
        guard count > 0, key.count <= Self.maximumLength else { return false }
        return slots[slot(of: key)] != 0
    }

    /// The slot where `key` is, or the free one where it belongs.
    private func slot(of key: ArraySlice<UInt8>) -> Int {
        let (key, keys, slots) = (key.span, keys.span, slots.span)
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash(key)) & mask
        while slots[slot] != 0 {
            let start = Int(slots[slot]) - 1
            if Int(keys[start]) == key.count, isEqual(key, keys.extracting((start + 1)..<(start + 1 + key.count))) {
                break
            }
            slot = (slot + 1) & mask
        }
        return slot
    }

    private func isEqual(_ key: borrowing Span<UInt8>, _ other: borrowing Span<UInt8>) -> Bool {
        for index in key.indices where key[index] != other[index] { return false }
        return true
    }

    /// Multiplies and folds eight bytes at a time, from a seed; the last ones with their number.
    private func hash(_ key: borrowing Span<UInt8>) -> UInt64 {
        var (hash, word) = (seed, UInt64(key.count))
        for index in key.indices {
            word = word << 8 | UInt64(key[index])
            if index & 7 == 7 { (hash, word) = (Self.folded(hash ^ word), 0) }
        }
        return Self.folded(hash ^ word)
    }

    private static func folded(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    /// Whether so many slots are enough for `count` keys: the fewer there are, the more of them are in the caches.
    private static func holds(_ slots: Int, _ count: Int) -> Bool { slots / 8 * 5 >= count }

    private mutating func grow(to wanted: Int) {
        var size = 16
        while !Self.holds(size, wanted) { size *= 2 }
        guard size > slots.count else { return }
        var slots = [UInt32](repeating: 0, count: size)
        var start = 0
        while start < keys.count {
            let length = Int(keys[start])
            let key = keys.span.extracting((start + 1)..<(start + 1 + length))
            var slot = Int(truncatingIfNeeded: hash(key)) & (size - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = UInt32(start) + 1
            start += length + 1
        }
        self.slots = slots
    }
}
