internal import Synchronization

/// A member that keeps the large type that has it where it lies: to look at one member of a type, Swift copies all of it,
/// thousands of bytes in a turn of the audio loop, but for a type with an atomic, which has an address.
public struct InPlace: ~Copyable, Sendable {
    private let anchor = Atomic<UInt8>(0)

    public init() {}
}
