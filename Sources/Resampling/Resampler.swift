internal import CSpeexDSP

/// Converts mono 16-bit sound from one sample rate to another. All its memory is made at `init`.
///
/// `@unchecked`: the state has one owner, which may move between threads.
public struct Resampler: ~Copyable, @unchecked Sendable {
    private let state: OpaquePointer

    /// Rates of the sound taken and given, in Hz.
    public let inputRate: Int
    public let outputRate: Int

    /// `quality` is that of speexdsp, 0 (short filter, little delay) ... 10. Rates are 1...1 000 000 Hz.
    public init(from inputRate: Int, to outputRate: Int, quality: Int = 4) throws(ResamplerError) {
        var code: Int32 = 0
        guard (1...1_000_000).contains(inputRate), (1...1_000_000).contains(outputRate), (0...10).contains(quality),
            let made = speex_resampler_init(1, UInt32(inputRate), UInt32(outputRate), Int32(quality), &code)
        else { throw ResamplerError(inputRate: inputRate, outputRate: outputRate, quality: quality) }
        state = made
        self.inputRate = inputRate
        self.outputRate = outputRate
    }

    deinit { speex_resampler_destroy(state) }

    /// How many frames a call of `process` has taken and given.
    public struct Progress: BitwiseCopyable, Hashable, Sendable {
        public var consumed: Int
        public var produced: Int

        @_noLocks @_noAllocation
        public init(consumed: Int, produced: Int) {
            self.consumed = consumed
            self.produced = produced
        }
    }

    /// Converts until `input` is used up or `output` is full.
    @_noLocks @_noAllocation
    public borrowing func process(
        _ input: UnsafeBufferPointer<Int16>, into output: UnsafeMutableBufferPointer<Int16>
    ) -> Progress {
        guard let from = input.baseAddress, let to = output.baseAddress else {
            return Progress(consumed: 0, produced: 0)
        }
        let state = self.state
        var consumed = UInt32(truncatingIfNeeded: input.count)
        var produced = UInt32(truncatingIfNeeded: output.count)
        // Bounded: a filter of fixed length over at most `output.count` frames; speexdsp allocates at init only.
        _ = _unsafePerformance { speex_resampler_process_int(state, 0, from, &consumed, to, &produced) }
        return Progress(consumed: Int(consumed), produced: Int(produced))
    }

    /// Forgets what was heard: the next output depends on new input alone.
    @_noLocks @_noAllocation
    public borrowing func reset() {
        let state = self.state
        // Bounded: zeroes the filter's memory.
        _ = _unsafePerformance { speex_resampler_reset_mem(state) }
    }

    /// Leaves out the leading silence that the filter's delay would give: what comes out is aligned with what goes in,
    /// and `inputLatency` frames of it only after that much more input. Right after `init` or `reset` only.
    public borrowing func skipLatency() { speex_resampler_skip_zeros(state) }

    /// The filter's delay in frames of the input.
    public var inputLatency: Int { Int(speex_resampler_get_input_latency(state)) }

    /// The filter's delay in frames of the output.
    public var outputLatency: Int { Int(speex_resampler_get_output_latency(state)) }
}

/// No converter could be made for these rates.
public struct ResamplerError: Error, Hashable, CustomStringConvertible {
    public let inputRate: Int
    public let outputRate: Int
    public let quality: Int

    public var description: String {
        "cannot convert \(inputRate) Hz to \(outputRate) Hz at quality \(quality); rates are 1...1000000, qualities 0...10"
    }
}
