internal import CSRTP
internal import MediaDescription
internal import Synchronization

/// libsrtp refused something.
struct SRTPError: Error, Hashable, CustomStringConvertible {
    /// One of libsrtp's `srtp_err_status_t`.
    var status: UInt32

    /// Whether the packet was seen before, or is too old to tell (RFC 3711 §3.3.2).
    var isReplay: Bool {
        status == srtp_err_status_replay_fail.rawValue || status == srtp_err_status_replay_old.rawValue
    }

    var description: String { "libsrtp status \(status)" }
}

/// Protection of one direction of a stream under one key (RFC 3711), for one thread at a time. Roll-over counter and
/// replay window live as long as it does: it is kept across hold and changes of codec.
struct SRTPSession: ~Copyable {
    enum Direction { case send, receive }

    /// Bytes that protecting adds to a packet at most, and that must be free behind it.
    static let maximumGrowth = 152

    private let context: srtp_t

    private static let libraryStatus: srtp_err_status_t = srtp_init()

    /// Has the library load and check its ciphers, which takes it some 15 ms once in the life of a process.
    static func prepare() {
        let keying = SRTPKeying(suite: .aesCM128HMACSHA1_80, keyAndSalt: [UInt8](repeating: 0, count: 30))
        // One that fails fails again, with a reason, where a call asks for it.
        _ = try? SRTPSession(.send, keying)
    }

    /// Throws where the key has not 30 octets or the library does not take it.
    init(_ direction: Direction, _ keying: SRTPKeying) throws(SRTPError) {
        guard Self.libraryStatus == srtp_err_status_ok else { throw SRTPError(status: Self.libraryStatus.rawValue) }
        guard keying.keyAndSalt.count == 30 else { throw SRTPError(status: srtp_err_status_bad_param.rawValue) }
        var policy = srtp_policy_t()
        switch keying.suite {
        case .aesCM128HMACSHA1_80:
            srtp_crypto_policy_set_rtp_default(&policy.rtp)
        case .aesCM128HMACSHA1_32:
            srtp_crypto_policy_set_aes_cm_128_hmac_sha1_32(&policy.rtp)
        }
        // RTCP has the 80-bit tag with either suite (RFC 4568 §6.2.2).
        srtp_crypto_policy_set_rtcp_default(&policy.rtcp)
        policy.ssrc.type = direction == .send ? ssrc_any_outbound : ssrc_any_inbound
        policy.window_size = 128
        // The same packet is never protected twice: RFC 4733's repeated ends have sequence numbers of their own.
        policy.allow_repeat_tx = 0
        var made: srtp_t?
        var key = keying.keyAndSalt
        let status = key.withUnsafeMutableBufferPointer { bytes in
            policy.key = bytes.baseAddress
            return srtp_create(&made, &policy)
        }
        for index in key.indices { key[index] = 0 }
        guard status == srtp_err_status_ok, let made else { throw SRTPError(status: status.rawValue) }
        context = made
    }

    deinit { srtp_dealloc(context) }

    /// Encrypts the RTP packet of `count` octets in place and returns its new length.
    mutating func protect(_ packet: UnsafeMutableRawPointer, count: Int) throws(SRTPError) -> Int {
        try apply(srtp_protect, packet, count)
    }

    mutating func protectRTCP(_ packet: UnsafeMutableRawPointer, count: Int) throws(SRTPError) -> Int {
        try apply(srtp_protect_rtcp, packet, count)
    }

    /// Authenticates and decrypts a received packet in place and returns its new length.
    mutating func unprotect(_ packet: UnsafeMutableRawPointer, count: Int) throws(SRTPError) -> Int {
        try apply(srtp_unprotect, packet, count)
    }

    mutating func unprotectRTCP(_ packet: UnsafeMutableRawPointer, count: Int) throws(SRTPError) -> Int {
        try apply(srtp_unprotect_rtcp, packet, count)
    }

    private typealias Operation = (srtp_t?, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int32>?) -> srtp_err_status_t

    private func apply(
        _ operation: Operation, _ packet: UnsafeMutableRawPointer, _ count: Int
    ) throws(SRTPError) -> Int {
        var length = Int32(clamping: count)
        let status = operation(context, packet, &length)
        guard status == srtp_err_status_ok else { throw SRTPError(status: status.rawValue) }
        return Int(length)
    }
}
