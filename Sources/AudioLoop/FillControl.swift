/// How much sound is to lie ahead of the loudspeaker when a turn is due: as little as the wake-ups of this machine allow.
///
/// The sound of a turn must be with the card before what lies ahead has been played, so that waking up and working may take
/// as long as that. It begins with what is safe, and comes down when it has seen for some seconds how late the sound comes: to
/// what 999 of 1,000 turns have needed, and a margin. A turn that was all but too late raises it for two minutes, the
/// next one after that for four, and so on; then it decays. A standstill longer than anything that could lie ahead changes nothing.
///
/// It moves where nobody can hear it: at once while the loudspeaker is quiet, and under sound so slowly that even a measurement
/// that is aligned in time finds nothing, unless more is needed. As sound is worked on for as long as it moves, a little less is
/// waited for until the next pause.
///
/// What it has measured and decided is in samples at 48 kHz.
struct FillControl {
    /// What is to lie ahead now.
    private(set) var target: Double

    private let turn: Int
    private let start: Int
    private let least: Int
    private let most: Int
    /// Turns by how late their sound came: each class is 8 samples wide, the last one has all that was later.
    private var classes = InlineArray<128, UInt32>(repeating: 0)
    private var counted = 0
    /// What 999 of 1,000 turns have needed; nil before enough of them are known.
    private var usual: Double?
    private var turnsToReview: Int
    /// What a turn that was all but too late has needed.
    private var reserve = 0.0
    /// For how many turns that is kept, and how many it will be the next time.
    private var hold = 0
    private var nextHold: Int
    private var isLowering = false
    /// It is not worth waiting for a pause.
    private var lowersUnderSound = false
    private var standsStill = false

    /// 4 ms beyond what was needed.
    private static var margin: Int {
        @_noLocks @_noAllocation get { 192 }
    }
    /// Less than 1 ms left is all but too late.
    private static var nearMiss: Int {
        @_noLocks @_noAllocation get { 48 }
    }
    /// So much less is worth a change.
    private static var worthwhile: Double {
        @_noLocks @_noAllocation get { 24 }
    }
    /// And so much less under sound: a pause is given ten seconds to come where a reserve decays.
    private static var worthwhileUnderSound: Double {
        @_noLocks @_noAllocation get { 48 }
    }
    private static var classWidth: Int {
        @_noLocks @_noAllocation get { 8 }
    }
    /// Counts are halved when there are so many: three minutes of turns of 10 ms.
    private static var mostCounted: Int {
        @_noLocks @_noAllocation get { 16_384 }
    }

    /// - Parameters:
    ///   - turn: samples of a turn.
    ///   - start: what lies ahead at first.
    ///   - least: what lies ahead at least, whatever was measured.
    ///   - learnt: what was found to be needed before: it lies ahead at first, then.
    init(turn: Int, start: Int, least: Int, learnt: Int? = nil) {
        self.turn = max(turn, 1)
        self.start = start
        let (least, most) = (min(least, start), max(2 * turn, start))
        (self.least, self.most) = (least, most)
        let learnt = learnt.map { Double(min(max($0, least), most)) }
        target = learnt ?? Double(start)
        usual = learnt.map { $0 - Double(Self.margin) }
        turnsToReview = 3 * 48_000 / self.turn
        nextHold = 120 * 48_000 / self.turn
    }

    /// Takes how long after a turn was due its sound is ready. Returns whether the target is to move with that turn.
    @_noLocks @_noAllocation
    mutating func take(delay: Int) -> Bool {
        // The turns that make up for a standstill are all late for one and the same reason.
        let isFirst = delay < turn || !standsStill
        standsStill = delay >= turn
        if isFirst { count(delay) }
        if isFirst && isNarrow(delay) { keep(delay) } else { decay() }
        turnsToReview -= 1
        if turnsToReview <= 0 { review() }
        let way = target - wanted
        if way >= Self.worthwhile { isLowering = true }
        if way >= Self.worthwhileUnderSound { lowersUnderSound = true }
        if way <= 0 { (isLowering, lowersUnderSound) = (false, false) }
        return isLowering || way < 0
    }

    /// Moves the target, and returns how many fewer samples than usual, a fraction of one, are to be handed over for that:
    /// negative for more.
    ///
    /// - Parameter isQuiet: the turn's sound is so soft that nobody hears its speed change by an eightieth.
    @_noLocks @_noAllocation
    mutating func move(isQuiet: Bool) -> Double {
        guard isQuiet || lowersUnderSound || target < wanted else { return 0 }
        let (lower, raise) = isQuiet ? (80.0, 80.0) : (10_000.0, 1_000.0)
        let fewer = min(max(target - wanted, -Double(turn) / raise), Double(turn) / lower)
        target -= fewer
        return fewer
    }

    /// A turn's sound came `delay` after it was due, which was too late: the loudspeaker starts anew, and with more at once.
    @_noLocks @_noAllocation
    mutating func ranDry(delay: Int) {
        keep(delay)
        if wanted > target { target = wanted }
    }

    @_noLocks @_noAllocation
    private mutating func count(_ delay: Int) {
        classes[min(max(delay, 0) / Self.classWidth, classes.count - 1)] += 1
        counted += 1
        guard counted >= Self.mostCounted else { return }
        counted = 0
        for index in 0..<classes.count {
            classes[index] /= 2
            counted += Int(classes[index])
        }
    }

    /// Whether a turn came all but too late, or would have but for what is kept in reserve.
    @_noLocks @_noAllocation @inline(__always)
    private func isNarrow(_ delay: Int) -> Bool {
        if delay > Int(target) - Self.nearMiss { return true }
        let needed = Double(delay + Self.margin)
        return needed > usualNeed && needed > reserve - Double(Self.margin) && reserve > 0
    }

    /// What is needed where nothing out of the ordinary happens.
    private var usualNeed: Double {
        @_noLocks @_noAllocation @inline(__always) get {
            max(usual.map { $0 + Double(Self.margin) } ?? Double(start), Double(least))
        }
    }

    @_noLocks @_noAllocation
    private mutating func keep(_ delay: Int) {
        let needed = delay + Self.margin
        guard needed <= most else { return decay() }
        // Again, after it had been trusted to be over.
        if hold == 0 && reserve > 0 { nextHold = min(2 * nextHold, 1_800 * 48_000 / turn) }
        reserve = max(reserve, Double(needed))
        hold = nextHold
    }

    /// By a twentieth of a millisecond a second.
    @_noLocks @_noAllocation
    private mutating func decay() {
        if hold > 0 {
            hold -= 1
        } else if reserve > 0 {
            reserve = max(0, reserve - 2.4 * Double(turn) / 48_000)
        }
    }

    /// Once a second.
    @_noLocks @_noAllocation
    private mutating func review() {
        turnsToReview = 48_000 / turn
        var beyond = 0
        var index = classes.count - 1
        while index > 0 && (beyond + Int(classes[index])) * 1_000 <= counted {
            beyond += Int(classes[index])
            index -= 1
        }
        usual = Double((index + 1) * Self.classWidth)
    }

    // In line: to call it would copy all classes.
    private var wanted: Double {
        @_noLocks @_noAllocation @inline(__always) get {
            min(max(usualNeed, reserve), Double(most))
        }
    }
}
