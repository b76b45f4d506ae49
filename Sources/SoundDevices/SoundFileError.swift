internal import COpusFile
internal import Glibc

/// Why a file is no sound we can play.
enum SoundFileError: Error, Hashable, CustomStringConvertible {
    case notRegular, notSound, noFormat, noData
    case unknownEncoding(tag: Int, bits: Int)
    case outOfRange(channels: Int, rate: Int)
    case tooLong(seconds: Int, most: Int)
    case tooLarge(megabytes: Int, most: Int)
    /// An Ogg file whose data is not as it must be; opusfile's code.
    case damagedOpus(Int32)
    /// Ogg Opus of another number of channels than one or two.
    case surroundOpus(channels: Int)
    /// Several Ogg Opus streams, one after the other.
    case chainedOpus(streams: Int)
    /// An errno value.
    case unreadable(Int32)

    /// The errno value that says it best.
    var code: Int32 { if case .unreadable(let code) = self { code } else { EINVAL } }

    var description: String {
        switch self {
        case .notRegular: "not a regular file"
        case .notSound: "neither a WAV file (no RIFF/WAVE header) nor an Ogg Opus one"
        case .noFormat: "a WAV file without a whole format chunk before its sound"
        case .noData: "a file without sound"
        case .unknownEncoding(let tag, let bits):
            "a WAV file in encoding \(tag) of \(bits) bits; known: PCM of 8, 16, 24 or 32 bits, float of 32 or 64"
        case .outOfRange(let channels, let rate):
            "a WAV file of \(channels) channels at \(rate) Hz; allowed: 1...64 channels, 1000...768000 Hz"
        case .tooLong(let seconds, let most): "\(seconds) s of sound, which is too long; allowed: \(most) s"
        case .tooLarge(let megabytes, let most): "a file of \(megabytes) MB, which is too large; allowed: \(most) MB"
        case .damagedOpus(let code):
            "an Ogg file that is damaged, or whose sound is not Opus (\(Self.meaning(ofOpusCode: code))); make it anew, such as by opusenc"
        case .surroundOpus(let channels): "an Ogg Opus file of \(channels) channels; allowed: 1 or 2"
        case .chainedOpus(let streams):
            "\(streams) Ogg Opus streams, one after the other; allowed: one, so make one file of them"
        case .unreadable(let code): systemMessage(code)
        }
    }

    private static func meaning(ofOpusCode code: Int32) -> String {
        switch code {
        case OP_HOLE: "data is missing"
        case OP_EREAD: "it cannot be read"
        case OP_EFAULT: "no memory for it"
        case OP_EIMPL: "of a kind that opusfile does not know"
        case OP_ENOTFORMAT: "no Opus stream"
        case OP_EBADHEADER: "a wrong header"
        case OP_EVERSION: "a later version of the format"
        case OP_EBADPACKET: "a packet that cannot be decoded"
        case OP_EBADLINK: "pages that do not belong together"
        case OP_EBADTIMESTAMP: "wrong times"
        default: "opusfile's error \(code)"
        }
    }
}
