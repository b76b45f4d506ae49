internal import ControlProtocol
internal import Screening
internal import Settings
internal import SoundDevices

/// Ring tones that the configuration and contacts name, looked at before anybody calls: one that cannot be played would be
/// found when it should ring.
struct RingToneCheck: Sendable {
    /// Files that are looked at, at most: an address book may name one for each contact.
    private static let maximumFiles = 256

    /// Which setting names a file, and for whom.
    private struct Tone: Sendable, Hashable {
        var setting: String
        var owner: String
        var path: String
    }

    private var tones: [Tone] = []
    private var paths: Set<String> = []

    init(_ settings: Settings, contacts: some Sequence<Contact>) {
        add(settings.audio.ringTone, "audio.ring_tone", "the ring tone")
        for account in settings.accounts {
            add(account.ringTone ?? "", "account.ring_tone", "the ring tone of account \(account.name)")
        }
        for contact in contacts { add(contact.ringTone, "contacts", "the ring tone of \(contact.name)") }
    }

    private mutating func add(_ path: String, _ setting: String, _ owner: String) {
        guard Self.isFile(path), paths.count < Self.maximumFiles, paths.insert(path).inserted else { return }
        tones.append(Tone(setting: setting, owner: owner, path: path))
    }

    /// Whether a ring tone is a file: not the usual one, and not silence.
    static func isFile(_ ringTone: String) -> Bool { !ringTone.isEmpty && ringTone != "silent" }

    var isEmpty: Bool { tones.isEmpty }

    /// Those that cannot be played. Reads the files: not for the event loop's thread.
    var problems: [ProblemInfo] {
        tones.compactMap { tone in
            Self.problem(ofFile: tone.path).map {
                ProblemInfo(setting: tone.setting, message: "\(tone.owner), \(tone.path), cannot be played: \($0)")
            }
        }
    }

    /// Why a file cannot be played; nil where it can.
    static func problem(ofFile path: String) -> String? {
        do throws(SoundDeviceError) {
            _ = try SoundClip(path: path)
            return nil
        } catch { return error.message }
    }
}
