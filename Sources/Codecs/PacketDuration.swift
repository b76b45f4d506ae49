internal import COpus
public import MediaDescription

extension Codec {
    /// The sound in a packet of this codec in samples at 48 kHz, 120...5,760, or nil for one that is malformed. Opus says
    /// it in its first octets (RFC 6716 §3.1), the others by their length.
    @_noLocks @_noAllocation
    public func duration(of payload: UnsafePointer<UInt8>, _ count: Int) -> Int? {
        let samples: Int
        if case .opus = self {
            let length = Int32(truncatingIfNeeded: count)
            guard length > 0 else { return nil }
            // Reads at most two octets.
            samples = Int(_unsafePerformance { opus_packet_get_nb_samples(payload, length, 48_000) })
        } else {
            samples = count * 6  // 64 kbit/s is 8,000 octets a second
        }
        return samples >= 120 && samples <= 5_760 ? samples : nil
    }
}

extension Codec {
    /// Whether the packet repeats the sound of the one before it (RFC 6716 §2.1.7), at a lower bit rate.
    @_noLocks @_noAllocation
    public func hasRedundancy(in payload: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        guard case .opus = self else { return false }
        let length = Int32(truncatingIfNeeded: count)
        // Reads the packet's headers; writes to its own stack.
        return _unsafePerformance { copus_has_redundancy(payload, length) } != 0
    }
}
