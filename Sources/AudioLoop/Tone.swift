/// A sound of our own making that the loop adds to what is played.
public enum Tone: UInt32, Sendable, Hashable, CaseIterable {
    /// The ringer: a warble of two notes.
    case ring = 1
    /// The remote party is being rung.
    case ringBack = 2
    case busy = 3
    case congestion = 4
    /// Another call rings while one is up: softer than the others.
    case callWaiting = 5
    /// The microphone is about to open without anybody's doing: two beeps of 1,000 Hz within half a second, once in 4 s.
    case attention = 6
}

/// The built-in ringer: 20 notes of 70 ms, high and low in turn, every 4 s. Each dies away like a bell.
enum Warble {
    /// Samples at 48 kHz until it begins again.
    static var cycle: Int {
        @_noLocks @_noAllocation get { 192_000 }
    }

    /// Samples of a note.
    static var noteLength: Int {
        @_noLocks @_noAllocation get { 3_360 }
    }

    /// The frequency that sounds at `position` of the cycle; 0 for silence.
    @_noLocks @_noAllocation
    static func hertz(at position: Int) -> Int {
        let index = position / noteLength
        guard index < 20 else { return 0 }
        return index % 2 == 0 ? 784 : 988
    }
}
