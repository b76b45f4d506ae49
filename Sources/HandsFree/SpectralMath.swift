/// Loops over spectra: the pointers' distances are constants, so that the compiler makes vectors of them.
enum SpectralMath {
    /// Adds the product of two spectra to a third.
    @_noLocks @_noAllocation @inline(__always)
    static func multiplyAdd(
        _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, to sum: UnsafeMutablePointer<Float>
    ) {
        let imaginary = Block.imaginary
        var index = 0
        while index < imaginary {
            let (ar, ai) = (a[index], a[imaginary &+ index])
            let (br, bi) = (b[index], b[imaginary &+ index])
            sum[index] += ar * br - ai * bi
            sum[imaginary &+ index] += ar * bi + ai * br
            index &+= 1
        }
    }

    /// The power of a frequency.
    @_noLocks @_noAllocation @inline(__always)
    static func power(_ spectrum: UnsafePointer<Float>, _ bin: Int) -> Float {
        let (real, imaginary) = (spectrum[bin], spectrum[Block.imaginary &+ bin])
        return real * real + imaginary * imaginary
    }

    /// Adds the power of each frequency.
    @_noLocks @_noAllocation @inline(__always)
    static func addPower(_ a: UnsafePointer<Float>, to sum: UnsafeMutablePointer<Float>) {
        var index = 0
        while index < Block.imaginary {
            sum[index] += power(a, index)
            index &+= 1
        }
    }

    /// Moves a window of `Block.transform` samples on by a block.
    @_noLocks @_noAllocation @inline(__always)
    static func advance(_ window: UnsafeMutablePointer<Float>, by block: UnsafePointer<Float>) {
        let kept = Block.transform &- Block.samples
        copy(window + Block.samples, to: window, kept)
        copy(block, to: window + kept, Block.samples)
    }

    /// Moves `count` rows of `size` numbers towards the first by `distance`, or away from it; those that come in have `value`.
    @_noLocks @_noAllocation
    static func slide(
        _ rows: UnsafeMutablePointer<Float>, _ size: Int, _ count: Int, by distance: Int, fillingWith value: Float
    ) {
        var index = 0
        while index < count {
            let row = distance >= 0 ? index : count &- 1 &- index
            let from = row &+ distance
            if from >= 0 && from < count {
                copy(rows + from &* size, to: rows + row &* size, size)
            } else {
                fill(rows + row &* size, size, with: value)
            }
            index &+= 1
        }
    }

    @_noLocks @_noAllocation @inline(__always)
    static func fill(_ numbers: UnsafeMutablePointer<Float>, _ count: Int, with value: Float = 0) {
        var index = 0
        while index < count {
            numbers[index] = value
            index &+= 1
        }
    }

    @_noLocks @_noAllocation @inline(__always)
    static func copy(_ from: UnsafePointer<Float>, to: UnsafeMutablePointer<Float>, _ count: Int) {
        var index = 0
        while index < count {
            to[index] = from[index]
            index &+= 1
        }
    }

    @_noLocks @_noAllocation @inline(__always)
    static func energy(_ samples: UnsafePointer<Float>, _ count: Int) -> Float {
        // Four sums, so that they are added side by side.
        var (a, b, c, d): (Float, Float, Float, Float) = (0, 0, 0, 0)
        var index = 0
        while index &+ 3 < count {
            a += samples[index] * samples[index]
            b += samples[index &+ 1] * samples[index &+ 1]
            c += samples[index &+ 2] * samples[index &+ 2]
            d += samples[index &+ 3] * samples[index &+ 3]
            index &+= 4
        }
        while index < count {
            a += samples[index] * samples[index]
            index &+= 1
        }
        return a + b + (c + d)
    }

    /// The sum of the products.
    @_noLocks @_noAllocation @inline(__always)
    static func product(_ x: UnsafePointer<Float>, _ y: UnsafePointer<Float>, _ count: Int) -> Float {
        var (a, b): (Float, Float) = (0, 0)
        var index = 0
        while index &+ 1 < count {
            a += x[index] * y[index]
            b += x[index &+ 1] * y[index &+ 1]
            index &+= 2
        }
        return a + b
    }

    /// The square root to five digits, without a call: for gains, by the thousand. 0 for what is not positive.
    @_noLocks @_noAllocation @inline(__always)
    static func root(_ x: Float) -> Float {
        let x = max(x, 1e-30)
        var inverse = Float(bitPattern: 0x5F37_59DF &- (x.bitPattern >> 1))
        inverse *= 1.5 - 0.5 * x * inverse * inverse
        inverse *= 1.5 - 0.5 * x * inverse * inverse
        return x * inverse
    }
}
