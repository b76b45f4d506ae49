/// A sound of our own making that the loop adds to what is played.
public enum Tone: UInt32, Sendable, Hashable, CaseIterable {
    /// The ringer: a warble of two notes.
    case ring = 1
    /// The remote party is being rung: 425 Hz, 1 s of 5 s (ITU-T E.180).
    case ringBack = 2
    /// 425 Hz, 0.5 s of 1 s.
    case busy = 3
    /// 425 Hz, 0.25 s of 0.5 s.
    case congestion = 4
    /// Another call rings while one is up: two soft beeps every 4 s.
    case callWaiting = 5
    /// The microphone is about to open without anybody's doing: two beeps of 1,000 Hz within half a second, once in 4 s.
    case attention = 6

    /// As `init(rawValue:)`, for the loop.
    @_noLocks @_noAllocation
    static func numbered(_ number: UInt32) -> Tone? {
        switch number {
        case 1: .ring
        case 2: .ringBack
        case 3: .busy
        case 4: .congestion
        case 5: .callWaiting
        case 6: .attention
        default: nil
        }
    }

    /// Samples at 48 kHz until it begins again.
    var cycle: Int {
        @_noLocks @_noAllocation get {
            switch self {
            case .ring: 192_000
            case .ringBack: 240_000
            case .busy: 48_000
            case .congestion: 24_000
            case .callWaiting, .attention: 192_000
            }
        }
    }

    /// What sounds at `position` of the cycle.
    @_noLocks @_noAllocation
    func note(at position: Int) -> Note? {
        switch self {
        case .ring:
            // 20 notes of 70 ms, high and low in turn.
            let (index, offset) = (position / 3_360, position % 3_360)
            guard index < 20 else { return nil }
            return Note(
                hertz: index % 2 == 0 ? 784 : 988, peak: 11_000, overtone: 3, offset: offset, length: 3_360)
        case .ringBack: return Note.plain(peak: 3_300, offset: position, length: 48_000)
        case .busy: return Note.plain(peak: 3_300, offset: position, length: 24_000)
        case .congestion: return Note.plain(peak: 3_300, offset: position, length: 12_000)
        case .callWaiting:
            let offset = position < 28_800 ? position : position - 28_800
            return Note.plain(peak: 1_600, offset: offset, length: 9_600)
        case .attention:
            let offset = position < 14_400 ? position : position - 14_400
            guard offset < 9_600 else { return nil }
            return Note(hertz: 1_000, peak: 6_600, overtone: 0, offset: offset, length: 9_600)
        }
    }

    /// One note of a tone.
    struct Note: BitwiseCopyable {
        var hertz: Int
        var peak: Int
        /// The octave above sounds this many times weaker; 0: not at all.
        var overtone: Int
        /// Samples since it began, and that it lasts.
        var offset: Int
        var length: Int

        @_noLocks @_noAllocation
        init(hertz: Int, peak: Int, overtone: Int, offset: Int, length: Int) {
            (self.hertz, self.peak, self.overtone) = (hertz, peak, overtone)
            (self.offset, self.length) = (offset, length)
        }

        @_noLocks @_noAllocation
        static func plain(peak: Int, offset: Int, length: Int) -> Note? {
            offset < length ? Note(hertz: 425, peak: peak, overtone: 0, offset: offset, length: length) : nil
        }
    }
}
