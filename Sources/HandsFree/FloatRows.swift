internal import Realtime

/// Locked memory for rows of numbers: mapped at once, handed out row by row where its owner is made, each row on a cache line.
struct FloatRows: ~Copyable {
    private let memory: LockedBuffer
    private let capacity: Int
    private var used = 0

    /// - Parameters:
    ///   - rows: how many rows there will be, at most.
    ///   - numbers: how many numbers they have together, at most.
    init(_ rows: Int, of numbers: Int) {
        capacity = numbers + rows * Self.line
        memory = LockedBuffer(byteCount: capacity * MemoryLayout<Float>.stride)
    }

    /// Numbers of a cache line.
    private static var line: Int { 16 }

    /// The next row: `count` numbers, all of them `value`. It is valid as long as this is. Traps where there is no room.
    mutating func next(_ count: Int, filledWith value: Float = 0) -> UnsafeMutablePointer<Float> {
        let start = used
        used += (count + Self.line - 1) / Self.line * Self.line
        precondition(used <= capacity)
        let row = (memory.base + start * MemoryLayout<Float>.stride).bindMemory(to: Float.self, capacity: count)
        row.initialize(repeating: value, count: count)
        return row
    }
}
