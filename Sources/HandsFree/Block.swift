/// The sizes that everything here goes by: sound is worked on in blocks of 5 ms at 48 kHz, so that any period of whole blocks
/// passes without waiting, and its spectra are those of the last 512 samples.
enum Block {
    /// Samples of a block.
    static var samples: Int {
        @_noLocks @_noAllocation get { 240 }
    }
    /// Blocks a second.
    static var perSecond: Int {
        @_noLocks @_noAllocation get { 200 }
    }
    /// Samples of a transform.
    static var transform: Int {
        @_noLocks @_noAllocation get { 512 }
    }
    /// The share of a transform that is new: what a block's error says of the whole.
    static var share: Float {
        @_noLocks @_noAllocation get { 240.0 / 512 }
    }
    /// Frequencies of a spectrum, 93.75 Hz apart, 0 Hz and 24 kHz included.
    static var bins: Int {
        @_noLocks @_noAllocation get { 257 }
    }
    /// Numbers from a spectrum's real parts to its imaginary parts: `bins`, rounded up to whole vectors.
    static var imaginary: Int {
        @_noLocks @_noAllocation get { 264 }
    }
    /// Numbers of a spectrum.
    static var spectrum: Int {
        @_noLocks @_noAllocation get { 528 }
    }
}
