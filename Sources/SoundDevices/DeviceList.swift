internal import CALSA
internal import Glibc

/// A sound device that exists.
public struct ListedDevice: Hashable, Sendable {
    /// The name to configure.
    public var name: DeviceName
    /// What the card or plug-in calls itself; may be empty.
    public var title: String
    public var isCapture: Bool
    public var isPlayback: Bool
}

/// The ALSA devices that exist: those of alsa-lib's configuration, and each card by its identifier. It asks, and opens
/// nothing; it reads files, so not on a thread that must not wait.
public func listDevices() -> [ListedDevice] {
    var devices: [ListedDevice] = []
    var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    if snd_device_name_hint(-1, "pcm", &hints) == 0, let hints {
        defer { snd_device_name_free_hint(hints) }
        var index = 0
        while index < 1_000, let hint = hints[index] {
            index += 1
            guard let name = hintText(hint, "NAME"), name != "null" else { continue }
            // Absent: both.
            let direction = hintText(hint, "IOID")
            let title = (hintText(hint, "DESC") ?? "").split(separator: "\n").joined(separator: ", ")
            devices.append(
                ListedDevice(
                    name: .alsa(name), title: title, isCapture: direction != "Output", isPlayback: direction != "Input")
            )
        }
    }
    for card in SoundCards().list() {
        let name = DeviceName.alsa("plughw:CARD=\(card.identifier)")
        guard !devices.contains(where: { "\($0.name)".hasPrefix("\(name)") }) else { continue }
        devices.append(ListedDevice(name: name, title: card.title, isCapture: true, isPlayback: true))
    }
    return devices
}

private func hintText(_ hint: UnsafeRawPointer, _ key: String) -> String? {
    guard let text = snd_device_name_get_hint(hint, key) else { return nil }
    defer { free(text) }
    return String(cString: text)
}
