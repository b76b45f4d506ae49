internal import Resampling

/// Turns the bytes of a WAV file into 48 kHz mono.
struct WaveDecoder: ~Copyable {
    private let format: WaveFormat
    private let output: UnsafeMutableBufferPointer<Int16>
    private let resampler: Resampler?
    private var produced = 0

    /// Room for `frameCount` frames at 48 kHz, rounded up, is all that is ever filled.
    init(format: WaveFormat, into output: UnsafeMutableBufferPointer<Int16>) throws(SoundFileError) {
        self.format = format
        self.output = output
        guard format.rate != 48_000 else {
            resampler = nil
            return
        }
        do throws(ResamplerError) {
            // Off the loop and once: the best there is.
            let made = try Resampler(from: format.rate, to: 48_000, quality: 8)
            made.skipLatency()
            resampler = consume made
        } catch { throw .outOfRange(channels: format.channels, rate: format.rate) }
    }

    /// Adds whole frames; bytes beyond the last are ignored.
    mutating func append(_ bytes: [UInt8]) {
        let frames = bytes.count / format.bytesPerFrame
        guard frames > 0 else { return }
        let mono = [Int16](unsafeUninitializedCapacity: frames) { buffer, count in
            bytes.withUnsafeBytes { raw in
                for frame in 0..<frames {
                    var sum = 0
                    for channel in 0..<format.channels {
                        sum += Int(sample(raw, at: (frame * format.channels + channel) * format.bytesPerSample))
                    }
                    buffer[frame] = Int16(clamping: sum / format.channels)
                }
            }
            count = frames
        }
        add(mono)
    }

    /// Gives what the converter still holds, and the number of frames in all.
    mutating func finish() -> Int {
        let tail: Int
        switch resampler {
        case .none: tail = 0
        case .some(let resampler): tail = resampler.inputLatency + 1
        }
        if tail > 0 { add([Int16](repeating: 0, count: tail)) }
        return produced
    }

    private mutating func add(_ mono: [Int16]) {
        mono.withUnsafeBufferPointer { input in
            var rest = UnsafeBufferPointer(rebasing: input[...])
            while !rest.isEmpty, produced < output.count {
                let room = UnsafeMutableBufferPointer(rebasing: output[produced...])
                let progress: Resampler.Progress
                switch resampler {
                case .none:
                    let count = min(room.count, rest.count)
                    _ = room.update(fromContentsOf: rest.prefix(count))
                    progress = Resampler.Progress(consumed: count, produced: count)
                case .some(let resampler):
                    progress = resampler.process(rest, into: room)
                }
                guard progress.consumed > 0 || progress.produced > 0 else { break }
                produced += progress.produced
                rest = UnsafeBufferPointer(rebasing: rest[progress.consumed...])
            }
        }
    }

    private func sample(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int16 {
        switch format.encoding {
        case .unsigned8: (Int16(bytes[offset]) - 128) << 8
        case .signed16: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self)
        case .signed24: bytes.loadUnaligned(fromByteOffset: offset + 1, as: Int16.self)
        case .signed32: bytes.loadUnaligned(fromByteOffset: offset + 2, as: Int16.self)
        case .float32: SampleFormat.int16(bytes.loadUnaligned(fromByteOffset: offset, as: Float.self))
        case .float64: SampleFormat.int16(Float(bytes.loadUnaligned(fromByteOffset: offset, as: Double.self)))
        }
    }
}
