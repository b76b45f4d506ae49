/// A gate that opens and closes over 5 ms, so that neither clicks.
struct Ramp: BitwiseCopyable {
    /// Samples at 48 kHz from closed to open.
    static var length: Int {
        @_noLocks @_noAllocation get { 240 }
    }
    /// 0 is closed, `length` is open.
    private(set) var position = 0

    @_noLocks @_noAllocation
    init(isOpen: Bool = false) { position = isOpen ? Self.length : 0 }

    /// Nothing passes.
    var isClosed: Bool {
        @_noLocks @_noAllocation get { position == 0 }
    }

    @_noLocks @_noAllocation
    mutating func close() { position = 0 }

    /// How many of the next `count` samples pass, at however little of their level: the first ones where the gate closes.
    @_noLocks @_noAllocation
    func audible(of count: Int, towardsOpen isOpening: Bool) -> Int {
        isOpening ? count : min(max(position - 1, 0), count)
    }

    /// Everything passes as it is, and is going to.
    @_noLocks @_noAllocation
    func isOpen(towardsOpen isOpening: Bool) -> Bool { isOpening && position == Self.length }

    /// The next `count` samples of `sound`, into `passed`. Where the gate is on its way to nowhere, no sample is looked at.
    @_noLocks @_noAllocation
    mutating func pass(
        _ sound: UnsafePointer<Int16>, into passed: UnsafeMutablePointer<Int16>, _ count: Int,
        towardsOpen isOpening: Bool
    ) {
        if isOpen(towardsOpen: isOpening) {
            for index in 0..<count { passed[index] = sound[index] }
        } else if !isOpening && isClosed {
            for index in 0..<count { passed[index] = 0 }
        } else {
            for index in 0..<count { passed[index] = pass(sound[index], towardsOpen: isOpening) }
        }
    }

    /// The next sample, on the way to open or closed.
    @_noLocks @_noAllocation
    mutating func pass(_ sample: Int16, towardsOpen isOpening: Bool) -> Int16 {
        Int16(truncatingIfNeeded: pass(Int(sample), towardsOpen: isOpening))
    }

    /// The same with the sum of several.
    @_noLocks @_noAllocation
    mutating func pass(_ sample: Int, towardsOpen isOpening: Bool) -> Int {
        if isOpening {
            if position < Self.length { position += 1 }
        } else if position > 0 {
            position -= 1
        }
        if position == Self.length { return sample }
        return sample * position / Self.length
    }
}
