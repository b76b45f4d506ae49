internal import CallSystem
internal import FoundationEssentials

/// Keeps the volume over restarts, in the file `volume` of the state directory: two numbers, capture and playback.
///
/// An actor, since a disk may take its time.
actor VolumeFile {
    private let url: URL
    private var newest = 0

    /// - Parameter directory: exists and may be written to.
    init(in directory: String) { url = URL(filePath: directory).appending(path: "volume") }

    /// What was saved last; nil where there is nothing that could be read.
    nonisolated func load() -> AudioVolume? {
        guard let contents = try? Data(contentsOf: url), contents.count <= 64 else { return nil }
        let numbers = String(decoding: contents, as: UTF8.self).split { $0.isWhitespace }.map {
            Int($0)
        }
        guard numbers.count == 2, let capture = numbers[0], let playback = numbers[1],
            0...100 ~= capture,
            0...100 ~= playback
        else { return nil }
        return AudioVolume(capture: capture, playback: playback)
    }

    /// Replaces the file as a whole. Saves that are numbered lower than one before come too late.
    func save(_ volume: AudioVolume, number: Int) throws {
        guard number > newest else { return }
        newest = number
        try Data("\(volume.capture) \(volume.playback)\n".utf8).write(to: url, options: .atomic)
    }
}
