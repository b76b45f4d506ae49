internal import Realtime

/// Turns down, frequency by frequency, what is left of the echo and the noise of the room.
///
/// What is left of the echo is told from who speaks here by what the filter took out: where the two rise and fall together,
/// it is echo (after Valin 2007, here for bands); the filter's own doubt is the least that is assumed. Nothing is turned
/// down further than the room's noise, so that the other party does not hear it come and go with its own voice. Gains become
/// a filter of 255 taps, so that sound is late by 127 samples (2.6 ms), not by a frame.
struct Suppressor: ~Copyable {
    /// Samples by which the output is late.
    static var delay: Int {
        @_noLocks @_noAllocation get { 127 }
    }
    private static var bands: Int {
        @_noLocks @_noAllocation get { 24 }
    }
    /// The lowest noise is looked for in so many pieces of so many blocks: 6.4 s.
    private static var pieces: Int {
        @_noLocks @_noAllocation get { 8 }
    }
    private static var pieceBlocks: Int {
        @_noLocks @_noAllocation get { 160 }
    }

    private let memory: LockedBuffer
    private let fft: RealFFT
    private let errorWindow: UnsafeMutablePointer<Float>
    private let echoWindow: UnsafeMutablePointer<Float>
    let errorSpectrum: UnsafeMutablePointer<Float>
    let echoSpectrum: UnsafeMutablePointer<Float>
    private let shaped: UnsafeMutablePointer<Float>
    private let time: UnsafeMutablePointer<Float>
    private let former: UnsafeMutablePointer<Float>
    private let response: UnsafeMutablePointer<Float>
    private let errorPower: UnsafeMutablePointer<Float>
    private let echoPower: UnsafeMutablePointer<Float>
    private let residue: UnsafeMutablePointer<Float>
    private let smooth: UnsafeMutablePointer<Float>
    private let noise: UnsafeMutablePointer<Float>
    private let lowest: UnsafeMutablePointer<Float>
    private let voice: UnsafeMutablePointer<Float>
    private let gain: UnsafeMutablePointer<Float>
    private let applied: UnsafeMutablePointer<Float>
    private let formerApplied: UnsafeMutablePointer<Float>
    private let leak: UnsafeMutablePointer<Float>
    private let bandEdges: UnsafeMutablePointer<Int>
    private let bandErrorMeans: UnsafeMutablePointer<Float>
    private let bandEchoMeans: UnsafeMutablePointer<Float>
    private let bandProducts: UnsafeMutablePointer<Float>
    private let bandSquares: UnsafeMutablePointer<Float>
    private var blocks = 0
    private var piece = 0
    /// Power gains that nothing is turned down below: of noise, and of echo.
    private var noiseFloor: Float = 0.06
    private let echoFloor: Float = 1e-5
    /// Whether the room's noise is known well enough to tell speech from it.
    var knowsNoise: Bool {
        @_noLocks @_noAllocation get { blocks >= Self.pieceBlocks }
    }
    /// What is said here, of what is sent: 0...1.
    private(set) var voiceShare: Float = 0
    /// The energy of the room's noise in a block.
    private(set) var noiseEnergy: Float = 0

    init() {
        let bins = Block.imaginary
        let numbers =
            2 * Block.transform + 2 * Block.transform + 3 * Block.spectrum + Block.transform + 10 * bins
            + Self.pieces * bins + 8 * Self.bands + 64
        memory = LockedBuffer(byteCount: numbers * 4 + (Self.bands + 1) * 8 + 64)
        errorWindow = memory.base.bindMemory(to: Float.self, capacity: numbers)
        echoWindow = errorWindow + Block.transform
        time = echoWindow + Block.transform
        former = time + Block.transform
        response = former + Block.transform
        errorSpectrum = response + Block.transform
        echoSpectrum = errorSpectrum + Block.spectrum
        shaped = echoSpectrum + Block.spectrum
        errorPower = shaped + Block.spectrum
        echoPower = errorPower + bins
        residue = echoPower + bins
        smooth = residue + bins
        noise = smooth + bins
        voice = noise + bins
        gain = voice + bins
        applied = gain + bins
        formerApplied = applied + bins
        lowest = formerApplied + bins
        leak = lowest + Self.pieces * bins
        bandErrorMeans = leak + Self.bands
        bandEchoMeans = bandErrorMeans + Self.bands
        bandProducts = bandEchoMeans + Self.bands
        bandSquares = bandProducts + Self.bands
        bandEdges = (memory.base + (numbers * 4 + 7) / 8 * 8).bindMemory(to: Int.self, capacity: Self.bands + 1)
        fft = RealFFT()
        Self.layOut(bandEdges)
        for bin in 0..<bins {
            applied[bin] = 1
            formerApplied[bin] = 1
        }
        SpectralMath.fill(lowest, Self.pieces * bins, with: .greatestFiniteMagnitude)
        SpectralMath.fill(leak, Self.bands, with: 1)
    }

    /// Bands of three bins at first (280 Hz), then each a fifth of its frequency wide.
    private static func layOut(_ edges: UnsafeMutablePointer<Int>) {
        var edge = 0
        for band in 0...bands {
            edges[band] = edge
            edge += max(3, edge * 6 / 25)
        }
        edges[bands] = Block.bins
        for band in 0..<bands where edges[band] > Block.bins { edges[band] = Block.bins }
    }

    /// How far the room's noise is turned down, as a gain of power.
    @_noLocks @_noAllocation
    mutating func limit(noiseFloor: Float) { self.noiseFloor = noiseFloor }

    /// What the filter took out is a way that it has just begun to learn.
    @_noLocks @_noAllocation
    mutating func doubt() { SpectralMath.fill(leak, Self.bands, with: 1) }

    /// Takes a block of the filter's, and gives the block of `delay` samples ago as it is to be sent.
    ///
    /// - Parameters:
    ///   - expected: the power of each frequency that the filter doubts; nil where there is no loudspeaker.
    ///   - late: the power that is beyond the filter's reach.
    @_noLocks @_noAllocation
    mutating func process(
        error: UnsafePointer<Float>, echo: UnsafePointer<Float>, expected: UnsafePointer<Float>?,
        late: UnsafePointer<Float>?, into output: UnsafeMutablePointer<Float>
    ) {
        let kept = Block.transform &- Block.samples
        SpectralMath.copy(errorWindow + Block.samples, to: errorWindow, kept)
        SpectralMath.copy(error, to: errorWindow + kept, Block.samples)
        fft.forward(errorWindow, into: errorSpectrum)
        Self.windowedPower(errorSpectrum, into: errorPower)
        if let expected, let late {
            SpectralMath.copy(echoWindow + Block.samples, to: echoWindow, kept)
            SpectralMath.copy(echo, to: echoWindow + kept, Block.samples)
            fft.forward(echoWindow, into: echoSpectrum)
            Self.windowedPower(echoSpectrum, into: echoPower)
            estimateLeak()
            estimateResidue(expected, late)
        } else {
            SpectralMath.fill(residue, Block.imaginary)
        }
        estimateNoise()
        decide()
        design()
        apply(into: output)
        blocks &+= 1
    }

    /// The spectrum of what the microphone heard: what is left and what was taken out. It is valid until the next block.
    @_noLocks @_noAllocation
    func microphoneSpectrum() -> UnsafePointer<Float> {
        var index = 0
        while index < Block.spectrum {
            shaped[index] = errorSpectrum[index] + echoSpectrum[index]
            index &+= 1
        }
        return UnsafePointer(shaped)
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

    /// How much of what was taken out is left in each band: where both rise and fall together, the one is of the other.
    @_noLocks @_noAllocation
    private mutating func estimateLeak() {
        var band = 0
        while band < Self.bands {
            let (low, high) = (bandEdges[band], bandEdges[band &+ 1])
            var (left, taken): (Float, Float) = (0, 0)
            var bin = low
            while bin < high {
                left += errorPower[bin]
                taken += echoPower[bin]
                bin &+= 1
            }
            bandErrorMeans[band] += 0.02 * (left - bandErrorMeans[band])
            bandEchoMeans[band] += 0.02 * (taken - bandEchoMeans[band])
            let (rise, of) = (left - bandErrorMeans[band], taken - bandEchoMeans[band])
            // The louder the echo is in a block, the more that block says.
            let loudness = taken / (taken + bandEchoMeans[band] + 1)
            let speed = 0.012 * loudness
            bandProducts[band] += speed * (rise * of - bandProducts[band])
            bandSquares[band] += speed * (of * of - bandSquares[band])
            let ratio = bandProducts[band] / (bandSquares[band] + 1e6)
            leak[band] += 0.05 * (min(max(ratio, 0.0003), 1) - leak[band])
            band &+= 1
        }
    }

    /// The power of the echo that is left at each frequency; it dies away as rooms do.
    @_noLocks @_noAllocation
    private func estimateResidue(_ expected: UnsafePointer<Float>, _ late: UnsafePointer<Float>) {
        var band = 0
        while band < Self.bands {
            let (low, high, leak) = (bandEdges[band], bandEdges[band &+ 1], leak[band])
            var bin = low
            while bin < high {
                // A block's power in the window of two is four fifths. Less is believed: the filter doubts more than it need.
                let doubted = min(expected[bin] * 0.3, errorPower[bin])
                // A transform's power through the Hann window.
                let reverberant = min(0.7 * 0.375 * late[bin], errorPower[bin])
                let heard = 0.7 * leak * echoPower[bin] + reverberant
                residue[bin] = max(max(heard, 0.8 * residue[bin]), doubted)
                bin &+= 1
            }
            band &+= 1
        }
    }

    /// The least that a frequency falls to within six seconds is the room's noise.
    @_noLocks @_noAllocation
    private mutating func estimateNoise() {
        let place = blocks % Self.pieceBlocks
        let isNew = place == 0
        if isNew { piece = (piece &+ 1) % Self.pieces }
        // A mean that has just begun is too low.
        let isYoung = blocks < 30
        let row = lowest + piece &* Block.imaginary
        var (energy, bin): (Float, Int) = (0, 0)
        while bin < Block.bins {
            smooth[bin] += (blocks < 20 ? 0.3 : 0.08) * (errorPower[bin] - smooth[bin])
            row[bin] = isNew || isYoung ? smooth[bin] : min(row[bin], smooth[bin])
            bin &+= 1
        }
        if place % 8 == 0 {
            bin = 0
            while bin < Block.bins {
                var least = Float.greatestFiniteMagnitude
                var index = 0
                while index < Self.pieces {
                    least = min(least, lowest[index &* Block.imaginary &+ bin])
                    index &+= 1
                }
                noise[bin] = knowsNoise ? 1.4 * least : 0
                energy += noise[bin]
                bin &+= 1
            }
            // Of a window of two blocks, whose squares sum up to 192, in half the spectrum.
            noiseEnergy = energy * 2 / 512 * 240 / 192
        }
    }

    /// The gain of each frequency, from what is said here against what is left of echo and noise (Ephraim and Malah's
    /// decision-directed estimate, a Wiener filter).
    @_noLocks @_noAllocation
    private mutating func decide() {
        var (kept, all): (Float, Float) = (0, 0)
        let (noiseFloor, echoFloor) = (self.noiseFloor, self.echoFloor)
        var bin = 0
        while bin < Block.bins {
            // Over neighbours, so that single peaks of noise are not taken for speech.
            let beside = errorPower[max(bin &- 1, 0)] + errorPower[min(bin &+ 1, Block.bins &- 1)]
            let power = 0.5 * errorPower[bin] + 0.25 * beside + 1
            let unwanted = noise[bin] + residue[bin] + 1
            let instant = max(power / unwanted - 1, 0)
            let prior = 0.9 * voice[bin] / unwanted + 0.1 * instant
            let wiener = prior / (1 + prior)
            voice[bin] = wiener * wiener * power
            let floor = min(max(noiseFloor * noise[bin] / power, echoFloor), noiseFloor)
            gain[bin] = max(wiener, SpectralMath.root(floor))
            if bin >= 3 && bin < 43 {
                kept += voice[bin]
                all += power
            }
            bin &+= 1
        }
        voiceShare = kept / all
    }

    /// Makes of the gains a filter as long as a block allows.
    @_noLocks @_noAllocation
    private func design() {
        SpectralMath.copy(applied, to: formerApplied, Block.imaginary)
        SpectralMath.copy(gain, to: shaped, Block.bins)
        SpectralMath.fill(shaped + Block.imaginary, Block.imaginary)
        fft.inverse(shaped, into: response)
        var tap = 1
        while tap < 256 {
            // A window of the second order: 1 at the middle, 0 from 128 on.
            let distance = Float(tap) / 128
            let window = tap < 128 ? (1 - distance * distance) * (1 - distance * distance) : 0
            response[tap] *= window
            response[Block.transform &- tap] *= window
            tap &+= 1
        }
        response[256] = 0
        fft.forward(response, into: shaped)
        SpectralMath.copy(shaped, to: applied, Block.imaginary)
    }

    /// Filters the last block but `delay` samples, with the former gains at its beginning and the new ones at its end.
    @_noLocks @_noAllocation
    private func apply(into output: UnsafeMutablePointer<Float>) {
        filter(formerApplied, into: former)
        filter(applied, into: time)
        let start = Block.transform &- Block.samples &- Self.delay
        var index = 0
        while index < Block.samples {
            let share = Float(index &+ 1) / 240
            output[index] = former[start &+ index] + share * (time[start &+ index] - former[start &+ index])
            index &+= 1
        }
    }

    @_noLocks @_noAllocation
    private func filter(_ gains: UnsafePointer<Float>, into samples: UnsafeMutablePointer<Float>) {
        let imaginary = Block.imaginary
        var bin = 0
        while bin < imaginary {
            shaped[bin] = errorSpectrum[bin] * gains[bin]
            shaped[imaginary &+ bin] = errorSpectrum[imaginary &+ bin] * gains[bin]
            bin &+= 1
        }
        fft.inverse(shaped, into: samples)
    }
}
