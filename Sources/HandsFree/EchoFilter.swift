internal import Realtime

/// Takes the loudspeaker's sound out of the microphone's, as far as the way between them is linear: learns that way as a
/// filter in the frequency domain, in blocks of 5 ms.
///
/// Two filters learn it. The one that is heard weighs, for every block and frequency of the filter, how unsure it still is
/// against how much else the microphone hears (a Kalman filter with diagonal covariances), so that who speaks here spoils
/// nothing. It learns little once it is sure; so a coarse one beside it, which is never sure, takes over where the way has
/// changed: it is better then for long enough, and while somebody speaks here it never is.
struct EchoFilter: ~Copyable {
    /// Blocks of the filter: how long the way is.
    let length: Int
    /// Blocks of the coarse filter.
    private let coarseLength: Int
    /// Blocks that the beginning of the filter may lie behind the reference.
    static var mostOffset: Int {
        @_noLocks @_noAllocation get { 64 }
    }

    private let memory: LockedBuffer
    private let fft: RealFFT
    private let historyLength: Int
    /// Spectra of the reference, a ring; the newest at `newest`.
    private let history: UnsafeMutablePointer<Float>
    private var newest = 0
    private let weights: UnsafeMutablePointer<Float>
    private let coarseWeights: UnsafeMutablePointer<Float>
    /// How unsure each weight is: the expected square of its error.
    private let doubt: UnsafeMutablePointer<Float>
    /// The last samples of the reference, a transform of them.
    private let window: UnsafeMutablePointer<Float>
    private let time: UnsafeMutablePointer<Float>
    private let sum: UnsafeMutablePointer<Float>
    private let errorSpectrum: UnsafeMutablePointer<Float>
    private let coarseSpectrum: UnsafeMutablePointer<Float>
    private let coarseError: UnsafeMutablePointer<Float>
    /// What the filter expects to have left over: the power of each frequency of a block.
    let expected: UnsafeMutablePointer<Float>
    /// The power of what is left over, smoothed.
    private let remainder: UnsafeMutablePointer<Float>
    private let step: UnsafeMutablePointer<Float>
    private let referencePower: UnsafeMutablePointer<Float>
    private var lateEcho: LateEcho

    /// Blocks that the beginning of the filter lies behind the reference.
    private(set) var offset = 0
    /// Blocks in a row in which the reference was silent.
    private var silentBlocks = 1 << 20
    private var turn = 0
    // Energies of a block, smoothed.
    private var microphoneEnergy: Float = 0
    private var errorEnergy: Float = 0
    private var coarseEnergy: Float = 0
    private var blocksCoarseIsBetter = 0
    private var blocksCoarseIsWorse = 0
    private var blocksWorseThanNothing = 0
    private var blocksOfUse = 0
    private var blocksSinceUse = 1 << 20
    /// Times that the coarse filter took over, and that all was forgotten.
    private(set) var changes = 0

    /// The share of a transform that is new: what a block's error says of the whole.
    private static var share: Float {
        @_noLocks @_noAllocation get { 240.0 / 512 }
    }
    /// How much of its certainty a weight keeps over a block, and how much of its square becomes doubt.
    private static var kept: Float {
        @_noLocks @_noAllocation get { 0.9995 }
    }
    /// A reference below this energy (2 units of 16-bit sound) is silence.
    private static var silence: Float {
        @_noLocks @_noAllocation get { 4 * 240 }
    }

    /// - Parameter milliseconds: how long the way may be.
    init(milliseconds: Int) {
        length = max(milliseconds / 5, 4)
        coarseLength = min(length, 20)
        historyLength = length + Self.mostOffset + 1
        let numbers =
            (historyLength + length + coarseLength) * Block.spectrum + length * Block.imaginary
            + 4 * Block.transform + 3 * Block.spectrum + 4 * Block.imaginary
        memory = LockedBuffer(byteCount: numbers * MemoryLayout<Float>.stride)
        history = memory.base.bindMemory(to: Float.self, capacity: numbers)
        weights = history + historyLength * Block.spectrum
        coarseWeights = weights + length * Block.spectrum
        doubt = coarseWeights + coarseLength * Block.spectrum
        window = doubt + length * Block.imaginary
        time = window + Block.transform
        coarseError = time + Block.transform
        sum = coarseError + 2 * Block.transform
        errorSpectrum = sum + Block.spectrum
        coarseSpectrum = errorSpectrum + Block.spectrum
        expected = coarseSpectrum + Block.spectrum
        remainder = expected + Block.imaginary
        step = remainder + Block.imaginary
        referencePower = step + Block.imaginary
        lateEcho = LateEcho()
        fft = RealFFT()
        forget()
    }

    /// Knows nothing of the way any more.
    @_noLocks @_noAllocation
    func forget() {
        SpectralMath.fill(weights, length * Block.spectrum)
        SpectralMath.fill(coarseWeights, coarseLength * Block.spectrum)
        doubtAll(1)
    }

    /// What is not known is expected to die away by 60 dB in half a second, as rooms do.
    @_noLocks @_noAllocation
    private func doubtAll(_ scale: Float) {
        var expectation = 0.1 * scale
        var block = 0
        while block < length {
            SpectralMath.fill(doubt + block &* Block.imaginary, Block.imaginary, with: expectation)
            expectation *= 0.87
            block &+= 1
        }
    }

    /// What was learned may be wrong, by as much as it is.
    @_noLocks @_noAllocation
    private mutating func doubtLearned() {
        var expectation: Float = 3
        var block = 0
        while block < length {
            let w = weights + block &* Block.spectrum
            let p = doubt + block &* Block.imaginary
            var index = 0
            while index < Block.imaginary {
                let square = w[index] * w[index] + w[Block.imaginary &+ index] * w[Block.imaginary &+ index]
                p[index] += square + expectation
                index &+= 1
            }
            expectation *= 0.87
            block &+= 1
        }
    }

    /// As `LateEcho.power`.
    var late: UnsafePointer<Float> {
        @_noLocks @_noAllocation get { UnsafePointer(lateEcho.power) }
    }

    /// Whether the loudspeaker has played anything within the filter's length.
    var isActive: Bool {
        @_noLocks @_noAllocation get { silentBlocks < historyLength }
    }

    /// Whether it has taken 5 dB out of what was heard, for 50 ms at a time, within ten seconds of the loudspeaker's: there is
    /// an echo. Where both talk and there is none, what it takes out is of who speaks here.
    var isOfUse: Bool {
        @_noLocks @_noAllocation get { blocksSinceUse < 10 &* Block.perSecond }
    }

    /// The newest spectrum of the reference.
    var newestReference: UnsafePointer<Float> {
        @_noLocks @_noAllocation get { UnsafePointer(history + newest &* Block.spectrum) }
    }

    @_noLocks @_noAllocation @inline(__always)
    private func reference(_ block: Int) -> UnsafePointer<Float> {
        var place = newest &- offset &- block
        if place < 0 { place &+= historyLength }
        return UnsafePointer(history + place &* Block.spectrum)
    }

    /// The beginning of the filter lies `blocks` behind the reference from now on. What was learned goes along.
    @_noLocks @_noAllocation
    mutating func move(to blocks: Int) {
        let blocks = min(max(blocks, 0), Self.mostOffset)
        let by = blocks &- offset
        offset = blocks
        Self.slide(weights, Block.spectrum, length, by, fillingWith: 0)
        Self.slide(coarseWeights, Block.spectrum, coarseLength, by, fillingWith: 0)
        Self.slide(doubt, Block.imaginary, length, by, fillingWith: 0.05)
    }

    /// Moves rows down by `distance`; those that come in have `value`.
    @_noLocks @_noAllocation
    private static func slide(
        _ rows: UnsafeMutablePointer<Float>, _ size: Int, _ count: Int, _ distance: Int, fillingWith value: Float
    ) {
        var index = 0
        while index < count {
            let row = distance >= 0 ? index : count &- 1 &- index
            let from = row &+ distance
            if from >= 0 && from < count {
                SpectralMath.copy(rows + from &* size, to: rows + row &* size, size)
            } else {
                SpectralMath.fill(rows + row &* size, size, with: value)
            }
            index &+= 1
        }
    }

    /// Takes a block of what the loudspeaker played and of what the microphone heard at the same time.
    ///
    /// - Parameters:
    ///   - error: the microphone's sound without the echo.
    ///   - echo: what was taken out of it.
    @_noLocks @_noAllocation
    mutating func process(
        reference: UnsafePointer<Float>, microphone: UnsafePointer<Float>, error: UnsafeMutablePointer<Float>,
        echo: UnsafeMutablePointer<Float>
    ) {
        let samples = Block.samples
        take(reference)
        guard isActive else {
            SpectralMath.copy(microphone, to: error, samples)
            SpectralMath.fill(echo, samples)
            SpectralMath.fill(expected, Block.imaginary)
            lateEcho.clear()
            return
        }
        estimate(weights, length)
        SpectralMath.copy(time + (Block.transform &- samples), to: echo, samples)
        var index = 0
        while index < samples {
            error[index] = microphone[index] - echo[index]
            index &+= 1
        }
        transformError(UnsafePointer(error), into: errorSpectrum)
        estimate(coarseWeights, coarseLength)
        let coarse = time + (Block.transform &- samples)
        index = 0
        while index < samples {
            coarseError[index] = microphone[index] - coarse[index]
            index &+= 1
        }
        transformError(UnsafePointer(coarseError), into: coarseSpectrum)
        learn()
        learnCoarsely()
        compare(microphone, UnsafePointer(error))
        if turn % 64 == 32 { lateEcho.measure(UnsafePointer(weights), blocks: length) }
        lateEcho.advance(self.reference(length &- 1))
        turn &+= 1
    }

    /// Adds a block to the reference.
    @_noLocks @_noAllocation
    private mutating func take(_ reference: UnsafePointer<Float>) {
        let kept = Block.transform &- Block.samples
        SpectralMath.copy(window + Block.samples, to: window, kept)
        SpectralMath.copy(reference, to: window + kept, Block.samples)
        newest &+= 1
        if newest == historyLength { newest = 0 }
        let isSilent = SpectralMath.energy(reference, Block.samples) < Self.silence
        silentBlocks = isSilent ? min(silentBlocks &+ 1, 1 << 20) : 0
        let place = history + newest &* Block.spectrum
        if silentBlocks > 3 {
            SpectralMath.fill(place, Block.spectrum)
        } else {
            fft.forward(window, into: place)
        }
    }

    /// The echo that a filter expects: its last block of samples is in `time`.
    @_noLocks @_noAllocation
    private func estimate(_ weights: UnsafeMutablePointer<Float>, _ count: Int) {
        SpectralMath.fill(sum, Block.spectrum)
        var block = 0
        while block < count {
            SpectralMath.multiplyAdd(reference(block), UnsafePointer(weights + block &* Block.spectrum), to: sum)
            block &+= 1
        }
        fft.inverse(sum, into: time)
    }

    @_noLocks @_noAllocation
    private func transformError(_ error: UnsafePointer<Float>, into spectrum: UnsafeMutablePointer<Float>) {
        let zeros = Block.transform &- Block.samples
        SpectralMath.fill(time, zeros)
        SpectralMath.copy(error, to: time + zeros, Block.samples)
        fft.forward(time, into: spectrum)
    }

    /// The Kalman filter's step.
    @_noLocks @_noAllocation
    private mutating func learn() {
        let imaginary = Block.imaginary
        let (expected, remainder, step, error) = (self.expected, self.remainder, self.step, errorSpectrum)
        SpectralMath.fill(expected, imaginary)
        SpectralMath.fill(referencePower, imaginary)
        var block = 0
        while block < length {
            let (x, p) = (reference(block), UnsafePointer(doubt + block &* imaginary))
            let power = referencePower
            let isCoarse = block < coarseLength
            var index = 0
            if isCoarse {
                while index < imaginary {
                    let square = x[index] * x[index] + x[imaginary &+ index] * x[imaginary &+ index]
                    expected[index] += p[index] * square
                    power[index] += square
                    index &+= 1
                }
            } else {
                while index < imaginary {
                    let square = x[index] * x[index] + x[imaginary &+ index] * x[imaginary &+ index]
                    expected[index] += p[index] * square
                    index &+= 1
                }
            }
            block &+= 1
        }
        var index = 0
        while index < imaginary {
            let square = error[index] * error[index] + error[imaginary &+ index] * error[imaginary &+ index]
            remainder[index] += 0.25 * (square - remainder[index])
            expected[index] *= Self.share
            step[index] = 1 / (expected[index] + remainder[index] + 1_000)
            index &+= 1
        }
        block = 0
        while block < length {
            update(block)
            block &+= 1
        }
        constrain(weights, turn % length)
        constrain(weights, (turn &+ length / 2) % length)
        if turn % length != 0 { constrain(weights, turn % 2) }
    }

    @_noLocks @_noAllocation
    private func update(_ block: Int) {
        let imaginary = Block.imaginary
        let x = reference(block)
        let w = weights + block &* Block.spectrum
        let p = doubt + block &* imaginary
        let (step, error) = (UnsafePointer(self.step), UnsafePointer(errorSpectrum))
        let (share, kept) = (Self.share, Self.kept)
        var index = 0
        while index < imaginary {
            let (xr, xi) = (x[index], x[imaginary &+ index])
            let (er, ei) = (error[index], error[imaginary &+ index])
            let gain = p[index] * step[index]
            let wr = w[index] + gain * (xr * er + xi * ei)
            let wi = w[imaginary &+ index] + gain * (xr * ei - xi * er)
            w[index] = wr
            w[imaginary &+ index] = wi
            let sure = 1 - share * gain * (xr * xr + xi * xi)
            p[index] = kept * sure * p[index] + (1 - kept) * (wr * wr + wi * wi)
            index &+= 1
        }
    }

    /// A normalised step of the coarse filter.
    @_noLocks @_noAllocation
    private func learnCoarsely() {
        let imaginary = Block.imaginary
        let (step, power, error) = (self.step, referencePower, coarseSpectrum)
        var index = 0
        while index < imaginary {
            step[index] = 0.6 / (power[index] * Self.share + 2_000)
            index &+= 1
        }
        var block = 0
        while block < coarseLength {
            let x = reference(block)
            let w = coarseWeights + block &* Block.spectrum
            index = 0
            while index < imaginary {
                let (xr, xi) = (x[index], x[imaginary &+ index])
                let (er, ei) = (error[index] * step[index], error[imaginary &+ index] * step[index])
                w[index] += xr * er + xi * ei
                w[imaginary &+ index] += xr * ei - xi * er
                index &+= 1
            }
            block &+= 1
        }
        constrain(coarseWeights, turn % coarseLength)
        constrain(coarseWeights, (turn &+ coarseLength / 2) % coarseLength)
    }

    /// A block of a filter is as many samples as a block of sound: what the spectrum says beyond is let go.
    @_noLocks @_noAllocation
    private func constrain(_ weights: UnsafeMutablePointer<Float>, _ block: Int) {
        let w = weights + block &* Block.spectrum
        fft.inverse(w, into: time)
        SpectralMath.fill(time + Block.samples, Block.transform &- Block.samples)
        fft.forward(time, into: w)
    }

    /// Lets the better filter win, and forgets what makes the sound worse.
    @_noLocks @_noAllocation
    private mutating func compare(_ microphone: UnsafePointer<Float>, _ error: UnsafePointer<Float>) {
        let samples = Block.samples
        microphoneEnergy += 0.1 * (SpectralMath.energy(microphone, samples) - microphoneEnergy)
        errorEnergy += 0.1 * (SpectralMath.energy(error, samples) - errorEnergy)
        coarseEnergy += 0.1 * (SpectralMath.energy(UnsafePointer(coarseError), samples) - coarseEnergy)
        guard silentBlocks < coarseLength else { return }
        let takes = errorEnergy < 0.3 * microphoneEnergy && microphoneEnergy > 100 * Self.silence
        blocksOfUse = takes ? blocksOfUse &+ 1 : 0
        blocksSinceUse = blocksOfUse >= 10 ? 0 : min(blocksSinceUse &+ 1, 1 << 20)
        // A coarse filter follows single vowels, too: it is believed only where the other has little to show.
        let isBetter = coarseEnergy < 0.4 * errorEnergy && errorEnergy > 0.1 * microphoneEnergy
        blocksCoarseIsBetter = isBetter ? blocksCoarseIsBetter &+ 1 : 0
        blocksCoarseIsWorse = coarseEnergy > 4 * errorEnergy ? blocksCoarseIsWorse &+ 1 : 0
        blocksWorseThanNothing = errorEnergy > 2 * microphoneEnergy ? blocksWorseThanNothing &+ 1 : 0
        if blocksCoarseIsBetter >= 16 {
            doubtLearned()
            blocksCoarseIsBetter = -60
            changes &+= 1
        }
        if blocksCoarseIsWorse >= 40 {
            SpectralMath.copy(weights, to: coarseWeights, coarseLength &* Block.spectrum)
            coarseEnergy = errorEnergy
            blocksCoarseIsWorse = 0
        }
        if blocksWorseThanNothing >= 40 {
            forget()
            blocksWorseThanNothing = 0
            changes &+= 1
        }
    }

    /// Samples from the reference to where the echo is strongest: what is known of its delay.
    @_noLocks @_noAllocation
    func strongestDelay() -> Int {
        var (best, most): (Int, Float) = (0, 0)
        var block = 0
        while block < length {
            let energy = SpectralMath.energy(UnsafePointer(weights + block &* Block.spectrum), Block.spectrum)
            if energy > most { (best, most) = (block, energy) }
            block &+= 1
        }
        return (offset &+ best) &* Block.samples
    }
}
