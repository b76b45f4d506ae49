internal import CallSystem
internal import EventLoop
internal import FoundationEssentials
internal import Glibc
internal import Settings

/// Keeps the volume over restarts, in the file `volume` of the state directory: two numbers, capture and playback.
struct VolumeFile: Sendable {
    private let path: String
    private let file: ReplacedFile

    /// - Parameter directory: exists and may be written to.
    init(in directory: String) {
        path = "\(directory)/volume"
        file = ReplacedFile(path: path)
    }

    /// What was saved last; nil where there is nothing that could be read.
    func load() -> AudioVolume? {
        guard let text = try? contents(ofFile: path, limit: 64), text.count <= 64 else { return nil }
        let numbers = String(decoding: text, as: UTF8.self).split { $0.isWhitespace }.map { Int($0) }
        guard numbers.count == 2, let capture = numbers[0], let playback = numbers[1], 0...100 ~= capture,
            0...100 ~= playback
        else { return nil }
        return AudioVolume(capture: capture, playback: playback)
    }

    /// Replaces the file as a whole. Saves that are numbered lower than one before come too late.
    func save(_ volume: AudioVolume, number: Int) async throws(VolumeError) {
        do { try await file.replace("\(volume.capture) \(volume.playback)\n", number: number) } catch {
            throw VolumeError(path: path, cause: error)
        }
    }
}

/// Why the volume is not in its file.
struct VolumeError: Error, CustomStringConvertible {
    let path: String
    /// For people.
    let reason: String

    init(path: String, cause: any Error) {
        self.path = path
        let system = (cause as? CocoaError)?.underlying as? POSIXError
        reason = system.map { String(cString: strerror(Int32($0.code.rawValue))) } ?? "it cannot be written"
    }

    var description: String { "the volume cannot be kept in \(path): \(reason)" }
}
