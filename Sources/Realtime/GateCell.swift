public import Synchronization

/// What was asked of a call's gates and what the loop has done: one atomic each.
public final class GateCell: Sendable {
    private let memory = LockedValue(GateMemory())

    public init() {}

    /// The word that was asked for last.
    public var requested: GateWord { GateWord(rawValue: memory.pointer.pointee.requested.load(ordering: .acquiring)) }

    /// The word whose request has been acknowledged last.
    public var settled: GateWord { GateWord(rawValue: memory.pointer.pointee.settled.load(ordering: .acquiring)) }

    /// Asks for these gates and returns the word, of the next generation, whose acknowledgement to wait for.
    /// For one thread at a time.
    public func request(held: Bool, muted: Bool, earmuffed: Bool) -> GateWord {
        let word = GateWord(
            held: held, muted: muted, earmuffed: earmuffed, generation: requested.generation &+ 1)
        memory.pointer.pointee.requested.store(word.rawValue, ordering: .releasing)
        return word
    }

    /// Acknowledges `word` on the control side, for when no loop runs.
    public func settle(_ word: GateWord) {
        memory.pointer.pointee.settled.store(word.rawValue, ordering: .releasing)
    }

    /// The loop's way to the cell, valid as long as the cell is.
    public var loopEnd: LoopEnd { LoopEnd(memory: memory.pointer) }

    @usableFromInline struct GateMemory: ~Copyable, Sendable {
        @usableFromInline let requested = Atomic<UInt32>(0)
        @usableFromInline let settled = Atomic<UInt32>(0)
    }

    /// A pointer to a gate cell. `@unchecked`: it reaches nothing but atomics.
    public struct LoopEnd: BitwiseCopyable, @unchecked Sendable {
        @usableFromInline let memory: UnsafeMutablePointer<GateMemory>

        init(memory: UnsafeMutablePointer<GateMemory>) { self.memory = memory }

        /// What is asked for. Load it once a turn.
        @_noLocks @_noAllocation
        @inlinable public func load() -> GateWord {
            GateWord(rawValue: memory.pointee.requested.load(ordering: .acquiring))
        }

        /// Acknowledges `word`.
        @_noLocks @_noAllocation
        @inlinable public func settle(_ word: GateWord) {
            memory.pointee.settled.store(word.rawValue, ordering: .releasing)
        }
    }
}
