internal import Realtime

/// The power of the room's noise at each frequency.
///
/// The least that a frequency falls to within six seconds tells what can be noise (Martin's minimum statistics). Speech has
/// dips at every frequency, but not at all at once, and none that last: a pause is where most are near to their least, and stay
/// there. The mean of pauses is the estimate. So soft speech is not taken for noise, even of who hardly pauses.
struct NoiseEstimate: ~Copyable {
    /// The lowest power is looked for in so many pieces of so many blocks: 6.4 s.
    private static var pieces: Int {
        @_noLocks @_noAllocation get { 8 }
    }
    private static var pieceBlocks: Int {
        @_noLocks @_noAllocation get { 160 }
    }
    /// A frequency is near to its least where it is louder by no more than this.
    private static var near: Float {
        @_noLocks @_noAllocation get { 4 }
    }
    /// A frequency stays where it is if its highest power of late is not above its lowest by more than this.
    private static var steady: Float {
        @_noLocks @_noAllocation get { 12 }
    }
    /// By how much the highest and the lowest power of late are forgotten in a block: 35 dB a second.
    private static var forgotten: Float {
        @_noLocks @_noAllocation get { 0.96 }
    }
    /// The mean of noise is not louder than the least by more than this.
    private static var most: Float {
        @_noLocks @_noAllocation get { 3 }
    }
    /// What lasts for so many blocks is not a vowel: 120 ms.
    private static var shortest: Int {
        @_noLocks @_noAllocation get { 24 }
    }
    /// The frequencies that tell a pause: 300 Hz to 7 kHz.
    private static var first: Int {
        @_noLocks @_noAllocation get { 3 }
    }
    private static var end: Int {
        @_noLocks @_noAllocation get { 75 }
    }

    /// The energy of a block, of the sum of the powers of all frequencies: of a window of two blocks, whose squares sum up to
    /// 192, in half the spectrum.
    static var blockShare: Float {
        @_noLocks @_noAllocation get { 2.0 / 512 * 240 / 192 }
    }

    private let rows: FloatRows
    private let smooth: UnsafeMutablePointer<Float>
    private let lowest: UnsafeMutablePointer<Float>
    private let least: UnsafeMutablePointer<Float>
    /// The highest and the lowest of late.
    private let top: UnsafeMutablePointer<Float>
    private let bottom: UnsafeMutablePointer<Float>
    /// The power of each frequency, through a Hann window; 0 as long as nothing is known.
    let power: UnsafeMutablePointer<Float>
    private var blocks = 0
    private var piece = 0
    /// Blocks of the pause that lasts, and of all.
    private var run = 0
    private var pauseBlocks = 0

    init() {
        let bins = Block.imaginary
        var rows = FloatRows(6, of: (5 + Self.pieces) * bins)
        smooth = rows.next(bins)
        lowest = rows.next(Self.pieces * bins, filledWith: .greatestFiniteMagnitude)
        least = rows.next(bins)
        top = rows.next(bins)
        bottom = rows.next(bins)
        power = rows.next(bins)
        self.rows = rows
    }

    /// Whether it is known well enough to tell speech from it: from pauses of 200 ms, or since three seconds had none.
    var isKnown: Bool {
        @_noLocks @_noAllocation get { pauseBlocks >= 40 || blocks > 3 &* Block.perSecond }
    }

    /// Takes the power of each frequency of a block, and how much of that is echo.
    @_noLocks @_noAllocation
    mutating func take(_ heard: UnsafePointer<Float>, residue: UnsafePointer<Float>) {
        let place = blocks % Self.pieceBlocks
        let isNew = place == 0
        if isNew { piece = (piece &+ 1) % Self.pieces }
        // A mean that has just begun is too low.
        let isYoung = blocks < 30
        let row = lowest + piece &* Block.imaginary
        let speed: Float = blocks < 20 ? 0.3 : 0.08
        var bin = 0
        while bin < Block.bins {
            smooth[bin] += speed * (heard[bin] - smooth[bin])
            let now = smooth[bin]
            top[bin] = isYoung ? now : max(now, Self.forgotten * top[bin])
            bottom[bin] = isYoung ? now : min(now, bottom[bin] / Self.forgotten)
            row[bin] = isNew || isYoung ? now : min(row[bin], now)
            bin &+= 1
        }
        if place % 8 == 0 { findLeast() }
        // What has been heard for a second has had its highs and lows.
        if blocks >= Block.perSecond { average(heard, residue) }
        blocks &+= 1
    }

    @_noLocks @_noAllocation
    private func findLeast() {
        var bin = 0
        while bin < Block.bins {
            var found = lowest[bin]
            var index = 1
            while index < Self.pieces {
                found = min(found, lowest[index &* Block.imaginary &+ bin])
                index &+= 1
            }
            least[bin] = found
            bin &+= 1
        }
    }

    /// Whether nobody speaks, here or from the loudspeaker.
    @_noLocks @_noAllocation
    private func isPause(_ residue: UnsafePointer<Float>) -> Bool {
        var count = 0
        var bin = Self.first
        while bin < Self.end {
            let isSteady = top[bin] < Self.steady * bottom[bin]
            if isSteady && smooth[bin] < Self.near * least[bin] && residue[bin] < smooth[bin] { count &+= 1 }
            bin &+= 1
        }
        return count &* 10 > 7 &* (Self.end &- Self.first)
    }

    @_noLocks @_noAllocation
    private mutating func average(_ heard: UnsafePointer<Float>, _ residue: UnsafePointer<Float>) {
        var speed: Float = 0
        run = isPause(residue) ? run &+ 1 : 0
        if run > Self.shortest {
            pauseBlocks = min(pauseBlocks &+ 1, 1 << 20)
            // The mean of all at first, then of 250 ms.
            speed = max(1 / Float(pauseBlocks), 0.02)
        }
        var bin = 0
        while bin < Block.bins {
            power[bin] = min(power[bin] + speed * (heard[bin] - power[bin]), Self.most * least[bin])
            bin &+= 1
        }
    }
}
