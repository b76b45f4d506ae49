internal import Glibc
internal import Realtime

/// The Fourier transform of 512 real samples, and back: a complex transform of 256 by four steps of radix 4 (Stockham's order,
/// which needs no reversal), and one step that takes even and odd samples apart.
///
/// A spectrum is `Block.spectrum` numbers: 257 real parts, and from `Block.imaginary` on 257 imaginary parts.
struct RealFFT: ~Copyable {
    private let memory: LockedBuffer
    /// cos and -sin of 2πk/256, k in 0..<256 each.
    private let turns: UnsafeMutablePointer<Float>
    /// cos and sin of 2πk/512, k in 0..<256 each.
    private let halfTurns: UnsafeMutablePointer<Float>
    /// Two buffers of 256 complex numbers, real parts first.
    private let first: UnsafeMutablePointer<Float>
    private let second: UnsafeMutablePointer<Float>

    init() {
        memory = LockedBuffer(byteCount: 2_048 * MemoryLayout<Float>.stride)
        turns = memory.base.bindMemory(to: Float.self, capacity: 2_048)
        halfTurns = turns + 512
        first = halfTurns + 512
        second = first + 512
        for index in 0..<256 {
            let angle = 2 * Double.pi * Double(index) / 256
            turns[index] = Float(cos(angle))
            turns[256 + index] = Float(-sin(angle))
            halfTurns[index] = Float(cos(angle / 2))
            halfTurns[256 + index] = Float(sin(angle / 2))
        }
    }

    /// Transforms 512 samples.
    @_noLocks @_noAllocation
    borrowing func forward(_ samples: UnsafePointer<Float>, into spectrum: UnsafeMutablePointer<Float>) {
        var index = 0
        while index < 256 {
            first[index] = samples[2 &* index]
            first[256 &+ index] = samples[2 &* index &+ 1]
            index &+= 1
        }
        transform()
        let (real, imaginary) = (UnsafePointer(first), UnsafePointer(first + 256))
        spectrum[0] = real[0] + imaginary[0]
        spectrum[256] = real[0] - imaginary[0]
        spectrum[Block.imaginary] = 0
        spectrum[Block.imaginary &+ 256] = 0
        let outReal = spectrum, outImaginary = spectrum + Block.imaginary
        index = 1
        while index < 256 {
            let mirror = 256 &- index
            let evenReal = 0.5 * (real[index] + real[mirror])
            let evenImaginary = 0.5 * (imaginary[index] - imaginary[mirror])
            let oddReal = 0.5 * (imaginary[index] + imaginary[mirror])
            let oddImaginary = 0.5 * (real[mirror] - real[index])
            let (cosine, sine) = (halfTurns[index], halfTurns[256 &+ index])
            outReal[index] = evenReal + cosine * oddReal + sine * oddImaginary
            outImaginary[index] = evenImaginary + cosine * oddImaginary - sine * oddReal
            index &+= 1
        }
    }

    /// The 512 samples that have this spectrum.
    @_noLocks @_noAllocation
    borrowing func inverse(_ spectrum: UnsafePointer<Float>, into samples: UnsafeMutablePointer<Float>) {
        let real = spectrum, imaginary = spectrum + Block.imaginary
        // Conjugated, so that the forward transform is the way back.
        var index = 0
        while index < 256 {
            let mirror = 256 &- index
            let evenReal = 0.5 * (real[index] + real[mirror])
            let evenImaginary = 0.5 * (imaginary[index] - imaginary[mirror])
            let differenceReal = 0.5 * (real[index] - real[mirror])
            let differenceImaginary = 0.5 * (imaginary[index] + imaginary[mirror])
            let (cosine, sine) = (halfTurns[index], halfTurns[256 &+ index])
            let oddReal = cosine * differenceReal - sine * differenceImaginary
            let oddImaginary = cosine * differenceImaginary + sine * differenceReal
            first[index] = evenReal - oddImaginary
            first[256 &+ index] = -(evenImaginary + oddReal)
            index &+= 1
        }
        transform()
        index = 0
        while index < 256 {
            samples[2 &* index] = first[index] * (1 / 256)
            samples[2 &* index &+ 1] = first[256 &+ index] * (-1 / 256)
            index &+= 1
        }
    }

    /// The complex transform of `first`, in place.
    @_noLocks @_noAllocation
    private borrowing func transform() {
        let turns = UnsafePointer(self.turns)
        Self.step(256, 1, from: UnsafePointer(first), to: second, turns)
        Self.step(64, 4, from: UnsafePointer(second), to: first, turns)
        Self.step(16, 16, from: UnsafePointer(first), to: second, turns)
        Self.step(4, 64, from: UnsafePointer(second), to: first, turns)
    }

    /// One step: `stride` transforms of `size` become four times as many of a quarter. The sizes are constants where it is
    /// called, so that the compiler sees what lies apart.
    @_noLocks @_noAllocation @inline(__always)
    private static func step(
        _ size: Int, _ stride: Int, from input: UnsafePointer<Float>, to output: UnsafeMutablePointer<Float>,
        _ turns: UnsafePointer<Float>
    ) {
        let quarter = size / 4
        var place = 0
        while place < quarter {
            let (c1, s1) = (turns[place &* stride], turns[256 &+ place &* stride])
            let (c2, s2) = (turns[2 &* place &* stride], turns[256 &+ 2 &* place &* stride])
            let (c3, s3) = (turns[3 &* place &* stride], turns[256 &+ 3 &* place &* stride])
            let from = input + stride &* place
            let to = output + 4 &* stride &* place
            let gap = stride &* quarter
            var index = 0
            while index < stride {
                let (ar, ai) = (from[index], from[256 &+ index])
                let (br, bi) = (from[gap &+ index], from[256 &+ gap &+ index])
                let (cr, ci) = (from[2 &* gap &+ index], from[256 &+ 2 &* gap &+ index])
                let (dr, di) = (from[3 &* gap &+ index], from[256 &+ 3 &* gap &+ index])
                let (sumR, sumI, differenceR, differenceI) = (ar + cr, ai + ci, ar - cr, ai - ci)
                let (otherR, otherI) = (br + dr, bi + di)
                // i · (b - d)
                let (turnedR, turnedI) = (di - bi, br - dr)
                to[index] = sumR + otherR
                to[256 &+ index] = sumI + otherI
                let (r1, i1) = (differenceR - turnedR, differenceI - turnedI)
                to[stride &+ index] = c1 * r1 - s1 * i1
                to[256 &+ stride &+ index] = c1 * i1 + s1 * r1
                let (r2, i2) = (sumR - otherR, sumI - otherI)
                to[2 &* stride &+ index] = c2 * r2 - s2 * i2
                to[256 &+ 2 &* stride &+ index] = c2 * i2 + s2 * r2
                let (r3, i3) = (differenceR + turnedR, differenceI + turnedI)
                to[3 &* stride &+ index] = c3 * r3 - s3 * i3
                to[256 &+ 3 &* stride &+ index] = c3 * i3 + s3 * r3
                index &+= 1
            }
            place &+= 1
        }
    }
}
