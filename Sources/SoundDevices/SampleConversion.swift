extension SampleFormat {
    /// Whether frames are what we compute with, so that many are copied at once.
    @_noLocks @_noAllocation
    private func isPlain(_ channels: Int) -> Bool {
        if case .s16 = self { channels == 1 } else { false }
    }

    /// Interleaved frames of a card to mono: the mean of the first two channels, as a microphone is often on one or both.
    @_noLocks @_noAllocation
    func mixDown(_ frames: UnsafeRawPointer, channels: Int, count: Int, into mono: UnsafeMutablePointer<Int16>) {
        let stride = channels &* bytes
        var address = frames
        var index = 0
        if isPlain(channels) {
            while index < count {
                mono[index] = (frames + 2 &* index).loadUnaligned(as: Int16.self)
                index &+= 1
            }
            return
        }
        while index < count {
            let first = load(address)
            if channels == 1 {
                mono[index] = first
            } else {
                mono[index] = Int16(truncatingIfNeeded: (Int(first) &+ Int(load(address + bytes))) >> 1)
            }
            address += stride
            index &+= 1
        }
    }

    /// Mono to interleaved frames of a card: the same on every channel.
    @_noLocks @_noAllocation
    func spread(_ mono: UnsafePointer<Int16>, channels: Int, count: Int, into frames: UnsafeMutableRawPointer) {
        var address = frames
        var index = 0
        if isPlain(channels) {
            while index < count {
                (frames + 2 &* index).storeBytes(of: mono[index], as: Int16.self)
                index &+= 1
            }
            return
        }
        while index < count {
            var channel = 0
            while channel < channels {
                store(mono[index], to: address)
                address += bytes
                channel &+= 1
            }
            index &+= 1
        }
    }
}
