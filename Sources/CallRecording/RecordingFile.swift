internal import Codecs
internal import Glibc
internal import SoundDevices

/// A new file of a recording: what a call's peer is sent on its left channel, what is heard of it on its right one.
/// Whole at every moment, but for what was given in the last second.
struct RecordingFile: ~Copyable {
    let path: String
    /// One of the two. Written so, they are not nil from the beginning: Swift 6.2 cannot let go of that where `init` throws.
    private var wave: Optional<WaveFile>
    private var pages: Optional<OpusPages>

    /// Never writes over a file: throws where there is one. `failure` may be set from the beginning.
    init(path: String, format: RecordingFormat) throws(RecordingError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0o640)
        guard file >= 0 else { throw RecordingError(path: path, code: errno) }
        let pages: OpusPages?
        do throws(CodecError) { pages = format == .opus ? try OpusPages(begun: file) : nil } catch {
            close(file)
            unlink(path)
            throw RecordingError(path: path, reason: "\(error)")
        }
        wave = format == .wav ? WaveFile(begun: file, channels: 2) : nil
        self.pages = pages
        self.path = path
    }

    /// What keeps anything more from being written; nil: nothing.
    var failure: RecordingError? {
        var code: Int32 = 0
        switch wave {
        case .some(let file): code = file.failure
        case .none: break
        }
        switch pages {
        case .some(let pages): code = pages.failure
        case .none: break
        }
        return code == 0 ? nil : RecordingError(path: path, code: code)
    }

    /// Whether any sound is in the file.
    var hasSound: Bool {
        switch wave {
        case .some(let file): if file.frameCount > 0 { return true }
        case .none: break
        }
        switch pages {
        case .some(let pages): return pages.hasSound
        case .none: return false
        }
    }

    mutating func append(_ frames: UnsafeBufferPointer<Int16>) {
        wave?.append(frames)
        pages?.append(frames)
    }

    mutating func appendSilence(frames: Int) {
        wave?.appendSilence(frames: frames)
        pages?.appendSilence(frames: frames)
    }

    /// Ends the file as its format wants it.
    mutating func finish() { pages?.finish() }
}
