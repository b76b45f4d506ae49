internal import Glibc
internal import Realtime

/// Turns down, frequency by frequency, what is left of the echo and the noise of the room.
///
/// The echo goes down to below the room's noise, not further, so that the other party does not hear the noise come and go
/// with its own voice. Noise goes down by some decibels, and no further than it disturbs: where it is hardly heard, sound
/// passes as it is.
struct Suppressor: ~Copyable {
    /// Samples by which the output is late.
    static var delay: Int {
        @_noLocks @_noAllocation get { GainFilter.delay }
    }
    /// How far noise is turned down at most, as a gain of power (12 dB), and as far below the noise echo ends.
    private static var noiseFloor: Float {
        @_noLocks @_noAllocation get { 0.06 }
    }
    /// The least power gain of echo.
    private static var least: Float {
        @_noLocks @_noAllocation get { 1e-5 }
    }
    /// The power of a frequency, through the window, of white noise of -65 dBFS: who listens does not mind that.
    private static var bearable: Float { 65_000 }

    private let rows: FloatRows
    private let fft: RealFFT
    private let filter: GainFilter
    private let residual: ResidualEcho
    private var noise: NoiseEstimate
    private let errorWindow: UnsafeMutablePointer<Float>
    private let echoWindow: UnsafeMutablePointer<Float>
    private let errorSpectrum: UnsafeMutablePointer<Float>
    private let echoSpectrum: UnsafeMutablePointer<Float>
    private let heardSpectrum: UnsafeMutablePointer<Float>
    private let errorPower: UnsafeMutablePointer<Float>
    private let echoPower: UnsafeMutablePointer<Float>
    /// The power of a block before, as it was without echo, and without noise.
    private let withoutEcho: UnsafeMutablePointer<Float>
    private let withoutNoise: UnsafeMutablePointer<Float>
    private let gain: UnsafeMutablePointer<Float>
    /// The power of noise that disturbs nobody, at each frequency.
    private let bearable: UnsafeMutablePointer<Float>
    /// The energies of what is left and of the echo in it, smoothed; blocks since the one was far more than the other.
    private var leftEnergy: Float = 0
    private var residueEnergy: Float = 0
    private var blocksSinceVoice = 1 << 20
    /// What is said here, of what is sent: 0...1.
    private(set) var voiceShare: Float = 0
    /// The energy of the room's noise in a block, as it is sent.
    private(set) var noiseEnergy: Float = 0

    init() {
        var rows = FloatRows(
            11, of: 2 * Block.transform + 3 * Block.spectrum + 6 * Block.imaginary)
        errorWindow = rows.next(Block.transform)
        echoWindow = rows.next(Block.transform)
        errorSpectrum = rows.next(Block.spectrum)
        echoSpectrum = rows.next(Block.spectrum)
        heardSpectrum = rows.next(Block.spectrum)
        errorPower = rows.next(Block.imaginary)
        echoPower = rows.next(Block.imaginary)
        withoutEcho = rows.next(Block.imaginary)
        withoutNoise = rows.next(Block.imaginary)
        gain = rows.next(Block.imaginary)
        bearable = rows.next(Block.imaginary, filledWith: Self.bearable)
        self.rows = rows
        fft = RealFFT()
        filter = GainFilter()
        residual = ResidualEcho()
        noise = NoiseEstimate()
        // Low sound is hardly heard, and no room is without it: 3.6 dB an octave below 1 kHz.
        for bin in 0..<11 { bearable[bin] *= pow(10.67 / Float(max(bin, 1)), 1.2) }
    }

    /// Whether the room's noise is known well enough to tell speech from it.
    var knowsNoise: Bool {
        @_noLocks @_noAllocation get { noise.isKnown }
    }

    /// What the filter took out is a way that it has just begun to learn.
    @_noLocks @_noAllocation
    func doubt() { residual.doubt() }

    /// Takes a block of the filter's, and gives the block of `delay` samples ago as it is to be sent.
    ///
    /// - Parameters:
    ///   - expected: the power of each frequency that the filter doubts; nil where there is no loudspeaker.
    ///   - late: the power that is beyond the filter's reach.
    ///   - isOverdriven: as for `ResidualEcho.estimate`.
    ///   - raised: by how much what is sent is brought up after this, as a gain.
    @_noLocks @_noAllocation
    mutating func process(
        error: UnsafePointer<Float>, echo: UnsafePointer<Float>, expected: UnsafePointer<Float>?,
        late: UnsafePointer<Float>?, isOverdriven: Bool, raised: Float, into output: UnsafeMutablePointer<Float>
    ) {
        SpectralMath.advance(errorWindow, by: error)
        fft.forward(errorWindow, into: errorSpectrum)
        Self.windowedPower(errorSpectrum, into: errorPower)
        if let expected, let late {
            SpectralMath.advance(echoWindow, by: echo)
            fft.forward(echoWindow, into: echoSpectrum)
            Self.windowedPower(echoSpectrum, into: echoPower)
            residual.estimate(
                left: errorPower, taken: echoPower, expected: expected, late: late, isOverdriven: isOverdriven)
        } else {
            SpectralMath.fill(echoSpectrum, Block.spectrum)
            residual.clear()
        }
        noise.take(errorPower, residue: residual.power)
        decide(raised)
        filter.apply(gain, to: errorSpectrum, using: fft, into: output)
    }

    /// The spectrum of what the microphone heard: what is left and what was taken out. It is valid until the next block.
    @_noLocks @_noAllocation
    func microphoneSpectrum() -> UnsafePointer<Float> {
        var index = 0
        while index < Block.spectrum {
            heardSpectrum[index] = errorSpectrum[index] + echoSpectrum[index]
            index &+= 1
        }
        return UnsafePointer(heardSpectrum)
    }

    /// The power of each frequency through a Hann window, which in the spectrum is a sum of neighbours.
    @_noLocks @_noAllocation
    private static func windowedPower(_ spectrum: UnsafePointer<Float>, into power: UnsafeMutablePointer<Float>) {
        let imaginary = Block.imaginary
        var bin = 1
        while bin < 256 {
            let real = 0.5 * spectrum[bin] - 0.25 * (spectrum[bin &- 1] + spectrum[bin &+ 1])
            let other =
                0.5 * spectrum[imaginary &+ bin]
                - 0.25 * (spectrum[imaginary &+ bin &- 1] + spectrum[imaginary &+ bin &+ 1])
            power[bin] = real * real + other * other
            bin &+= 1
        }
        power[0] = power[1]
        power[256] = power[255]
    }

    /// The gain of each frequency.
    ///
    /// - Parameter raised: as for `process`.
    @_noLocks @_noAllocation
    private mutating func decide(_ raised: Float) {
        let lowered = 1 / (raised * raised)
        let excess = excess()
        var (speech, all, left): (Float, Float, Float) = (0, 0, 0)
        var bin = 0
        while bin < Block.bins {
            // Over neighbours, so that single peaks of noise are not taken for speech.
            let beside = errorPower[max(bin &- 1, 0)] + errorPower[min(bin &+ 1, Block.bins &- 1)]
            let power = 0.5 * errorPower[bin] + 0.25 * beside + 1
            let floor = min(max(bearable[bin] * lowered / (noise.power[bin] + 1), Self.noiseFloor), 1)
            gain[bin] = echoGain(bin, power, excess) * noiseGain(bin, power, floor)
            left += floor * noise.power[bin]
            if bin >= 3 && bin < 43 {
                speech += min(withoutEcho[bin], withoutNoise[bin])
                all += power
            }
            bin &+= 1
        }
        voiceShare = speech / all
        noiseEnergy = left * NoiseEstimate.blockShare
    }

    /// By how much more echo is assumed than estimated: eight times, but not while somebody speaks here, of whom that would
    /// take. That is heard at once, by what is left being twelve times what can be echo, and believed for 150 ms.
    @_noLocks @_noAllocation
    private mutating func excess() -> Float {
        var (left, residue): (Float, Float) = (0, 0)
        var bin = 3
        while bin < 75 {
            left += errorPower[bin]
            residue += residual.power[bin]
            bin &+= 1
        }
        leftEnergy += 0.3 * (left - leftEnergy)
        residueEnergy += 0.3 * (residue - residueEnergy)
        let isVoice = leftEnergy > 12 * residueEnergy
        blocksSinceVoice = isVoice ? 0 : min(blocksSinceVoice &+ 1, 1 << 20)
        return blocksSinceVoice < 30 ? 1 : 8
    }

    /// What is not echo against what is: a Wiener filter, of what was there a block before and what is there now (Ephraim and
    /// Malah's decision-directed estimate).
    @_noLocks @_noAllocation @inline(__always)
    private func echoGain(_ bin: Int, _ power: Float, _ excess: Float) -> Float {
        let residue = excess * residual.power[bin] + 1
        let prior = 0.9 * withoutEcho[bin] / residue + 0.1 * max(power / residue - 1, 0)
        let wiener = prior / (1 + prior)
        withoutEcho[bin] = wiener * wiener * power
        let floor = min(max(Self.noiseFloor * noise.power[bin] / power, Self.least), Self.noiseFloor)
        return max(wiener, SpectralMath.root(floor))
    }

    /// What is not noise against what is: the gain that errs least in the logarithm of speech (Ephraim and Malah 1985), from
    /// an estimate that goes more slowly, since noise does.
    @_noLocks @_noAllocation @inline(__always)
    private func noiseGain(_ bin: Int, _ power: Float, _ floor: Float) -> Float {
        let ratio = power / (noise.power[bin] + 1)
        let prior = 0.93 * withoutNoise[bin] / (noise.power[bin] + 1) + 0.07 * max(ratio - 1, 0)
        let wiener = prior / (1 + prior)
        // exp(E1(v) / 2), within a hundredth.
        let v = wiener * ratio
        let gain = min(wiener * SpectralMath.root(1 + 0.5614 / (v * (1 + v * (0.75 + 0.53 * v)) + 1e-6)), 1)
        withoutNoise[bin] = gain * gain * power
        return max(gain, SpectralMath.root(floor))
    }
}
