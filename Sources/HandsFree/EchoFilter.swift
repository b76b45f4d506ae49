/// Takes the loudspeaker's sound out of the microphone's, as far as the way between them is linear: learns that way as a
/// filter in the frequency domain, in blocks of 5 ms.
///
/// Two filters learn it. The one that is heard is a Kalman filter, which learns little once it is sure; so a coarse one beside
/// it, which is never sure, shows where the way has changed: it is better then for long enough, and while somebody speaks here
/// it never is.
struct EchoFilter: ~Copyable {
    /// Blocks of the filter: how long the way is.
    let length: Int
    /// Blocks of the coarse filter.
    private let coarseLength: Int
    /// Blocks that the beginning of the filter may lie behind the reference.
    static var mostOffset: Int {
        @_noLocks @_noAllocation get { 64 }
    }

    private let fft: RealFFT
    private var reference: ReferenceHistory
    private let path: EchoPath
    private let coarsePath: EchoPath
    private var learner: KalmanLearner
    private var coarseLearner: CoarseLearner
    private var lateEcho: LateEcho
    private let rows: FloatRows
    private let padded: UnsafeMutablePointer<Float>
    private let errorSpectrum: UnsafeMutablePointer<Float>
    private let coarseError: UnsafeMutablePointer<Float>
    private let coarseEcho: UnsafeMutablePointer<Float>

    /// Blocks that the beginning of the filter lies behind the reference.
    private(set) var offset = 0
    private var turn = 0
    // Energies of a block, smoothed.
    private var microphoneEnergy: Float = 0
    private var errorEnergy: Float = 0
    private var coarseEnergy: Float = 0
    private var echoEnergy: Float = 0
    /// The microphone's sound times what is taken out, smoothed.
    private var product: Float = 0
    private var blocksUnlike = 0
    private var blocksCoarseIsBetter = 0
    private var blocksCoarseIsWorse = 0
    private var blocksWorseThanNothing = 0
    private var use = 0
    /// Blocks of the loudspeaker's for which it is still believed: ten seconds at most, twenty times as long as it was seen.
    private var usefulness = 0
    /// Times that the way was found to have changed, and that all was forgotten.
    private(set) var changes = 0

    /// - Parameter milliseconds: how long the way may be.
    init(milliseconds: Int) {
        length = max(milliseconds / 5, 4)
        coarseLength = min(length, 20)
        fft = RealFFT()
        reference = ReferenceHistory(length: length + Self.mostOffset + 1)
        path = EchoPath(length: length)
        coarsePath = EchoPath(length: coarseLength)
        learner = KalmanLearner(length: length)
        coarseLearner = CoarseLearner(length: coarseLength)
        lateEcho = LateEcho()
        var rows = FloatRows(4, of: Block.transform + Block.spectrum + 2 * Block.samples)
        padded = rows.next(Block.transform)
        errorSpectrum = rows.next(Block.spectrum)
        coarseError = rows.next(Block.samples)
        coarseEcho = rows.next(Block.samples)
        self.rows = rows
    }

    /// As `KalmanLearner.expected`.
    var expected: UnsafePointer<Float> {
        @_noLocks @_noAllocation get { UnsafePointer(learner.expected) }
    }

    /// As `LateEcho.power`.
    var late: UnsafePointer<Float> {
        @_noLocks @_noAllocation get { UnsafePointer(lateEcho.power) }
    }

    /// Whether the loudspeaker has played anything within the filter's length.
    var isActive: Bool {
        @_noLocks @_noAllocation get { reference.silentBlocks < reference.length }
    }

    /// Blocks in which the loudspeaker has played anything, of all.
    var blocksPlayed: Int {
        @_noLocks @_noAllocation get { reference.soundingBlocks }
    }

    /// Whether it has taken out of late what was heard: there is an echo. Where both talk and there is none, what it takes out
    /// is of who speaks here.
    var isOfUse: Bool {
        @_noLocks @_noAllocation get { usefulness > 0 }
    }

    /// The newest spectrum of the reference.
    var newestReference: UnsafePointer<Float> {
        @_noLocks @_noAllocation get { reference.spectrum(0) }
    }

    /// Samples from the reference to where the echo is strongest: what is known of its delay.
    @_noLocks @_noAllocation
    func strongestDelay() -> Int { (offset &+ path.loudest()) &* Block.samples }

    /// Whether the echo is known to begin before `blocks` behind the reference: a hundredth of what was learned lies there.
    @_noLocks @_noAllocation
    func beginsBefore(_ blocks: Int) -> Bool {
        let early = min(blocks &- offset, length)
        return isOfUse && early > 0 && path.energy(0, early) > 0.01 * path.energy(0, length)
    }

    /// The beginning of the filter lies `blocks` behind the reference from now on. What was learned goes along.
    @_noLocks @_noAllocation
    mutating func move(to blocks: Int) {
        let blocks = min(max(blocks, 0), Self.mostOffset)
        let by = blocks &- offset
        offset = blocks
        path.move(by: by)
        coarsePath.move(by: by)
        learner.move(by: by)
    }

    /// Takes a block of what the loudspeaker played and of what the microphone heard at the same time.
    ///
    /// - Parameters:
    ///   - error: the microphone's sound without the echo.
    ///   - echo: what was taken out of it.
    @_noLocks @_noAllocation
    mutating func process(
        reference played: UnsafePointer<Float>, microphone: UnsafePointer<Float>, error: UnsafeMutablePointer<Float>,
        echo: UnsafeMutablePointer<Float>
    ) {
        reference.take(played, using: fft)
        guard isActive else {
            SpectralMath.copy(microphone, to: error, Block.samples)
            SpectralMath.fill(echo, Block.samples)
            learner.rest()
            lateEcho.clear()
            return
        }
        path.takeOut(
            of: microphone, reference: reference, offset: offset, using: fft, error: error, echo: echo)
        coarsePath.takeOut(
            of: microphone, reference: reference, offset: offset, using: fft, error: coarseError, echo: coarseEcho)
        transform(UnsafePointer(error))
        learner.learn(path, from: errorSpectrum, reference: reference, offset: offset, using: fft)
        transform(UnsafePointer(coarseError))
        coarseLearner.learn(coarsePath, from: errorSpectrum, reference: reference, offset: offset, using: fft)
        compare(microphone, UnsafePointer(error), UnsafePointer(echo))
        if turn % 64 == 32 { lateEcho.measure(path) }
        lateEcho.advance(reference.spectrum(offset &+ length &- 1))
        turn &+= 1
    }

    /// The spectrum of a block of what is left, behind nothing: what of it the reference's spectra explain.
    @_noLocks @_noAllocation
    private func transform(_ error: UnsafePointer<Float>) {
        let zeros = Block.transform &- Block.samples
        SpectralMath.fill(padded, zeros)
        SpectralMath.copy(error, to: padded + zeros, Block.samples)
        fft.forward(padded, into: errorSpectrum)
    }

    /// Lets the better filter win, and forgets what makes the sound worse.
    @_noLocks @_noAllocation
    private mutating func compare(
        _ microphone: UnsafePointer<Float>, _ error: UnsafePointer<Float>, _ echo: UnsafePointer<Float>
    ) {
        let samples = Block.samples
        microphoneEnergy += 0.1 * (SpectralMath.energy(microphone, samples) - microphoneEnergy)
        errorEnergy += 0.1 * (SpectralMath.energy(error, samples) - errorEnergy)
        coarseEnergy += 0.1 * (SpectralMath.energy(UnsafePointer(coarseError), samples) - coarseEnergy)
        echoEnergy += 0.05 * (SpectralMath.energy(echo, samples) - echoEnergy)
        product += 0.05 * (SpectralMath.product(microphone, echo, samples) - product)
        guard reference.silentBlocks < coarseLength else { return }
        learnUse()
        followChange()
        blocksCoarseIsWorse = coarseEnergy > 4 * errorEnergy ? blocksCoarseIsWorse &+ 1 : 0
        blocksWorseThanNothing = errorEnergy > 2 * microphoneEnergy ? blocksWorseThanNothing &+ 1 : 0
        if blocksCoarseIsWorse >= 40 {
            coarsePath.copy(path)
            coarseEnergy = errorEnergy
            blocksCoarseIsWorse = 0
        }
        if blocksWorseThanNothing >= 40 {
            path.clear()
            coarsePath.clear()
            learner.forget()
            blocksWorseThanNothing = 0
            changes &+= 1
        }
    }

    /// Whether what is taken out was heard: 5 dB less is left for 75 ms, or 3 dB for 300 ms.
    @_noLocks @_noAllocation
    private mutating func learnUse() {
        let isAudible = microphoneEnergy > 100 * ReferenceHistory.silence
        let taken = errorEnergy < 0.3 * microphoneEnergy ? 4 : errorEnergy < 0.5 * microphoneEnergy ? 1 : 0
        use = isAudible && taken > 0 ? use &+ taken : 0
        usefulness = use >= 60 ? min(usefulness &+ 20, 10 &* Block.perSecond) : max(usefulness &- 1, 0)
    }

    /// Whether the way has changed: what is taken out is then no longer a part of what is heard, as it is whoever else speaks.
    /// Where it is a little off, it counts that the coarse filter is better, which alone follows single vowels of who speaks.
    @_noLocks @_noAllocation
    private mutating func followChange() {
        let off = abs(product - echoEnergy)
        let isAudible = echoEnergy > 100 * ReferenceHistory.silence
        let isBetter =
            coarseEnergy < 0.4 * errorEnergy && errorEnergy > 0.1 * microphoneEnergy && off > 0.3 * echoEnergy
            && echoEnergy > 0.15 * microphoneEnergy
        let isUnlike = isAudible && off > 0.5 * echoEnergy && echoEnergy > 0.4 * microphoneEnergy
        blocksCoarseIsBetter = isBetter || blocksCoarseIsBetter < 0 ? blocksCoarseIsBetter &+ 1 : 0
        blocksUnlike = isUnlike || blocksUnlike < 0 ? blocksUnlike &+ 1 : 0
        guard blocksCoarseIsBetter >= 16 || blocksUnlike >= 10 else { return }
        if coarseEnergy < errorEnergy { path.copy(coarsePath) }
        learner.doubtWhatIsLeft(reference: reference, offset: offset)
        // It takes a second to learn the new one.
        blocksCoarseIsBetter = -Block.perSecond
        blocksUnlike = -Block.perSecond
        changes &+= 1
    }
}
