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

/// The ALSA devices that exist: those of alsa-lib's configuration, and each card by its identifier.
///
/// Configuration names much that is not there, so each is opened for a moment, and what is busy counts as existing. That
/// takes a tenth of a second and more: not for a thread that must not wait.
public func listDevices() -> [ListedDevice] {
    PCM.keepMessages()
    var devices: [ListedDevice] = []
    var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    if snd_device_name_hint(-1, "pcm", &hints) == 0, let hints {
        defer { snd_device_name_free_hint(hints) }
        var index = 0
        while index < 1_000, let hint = hints[index] {
            index += 1
            // libjack writes to stderr where no server runs.
            guard let name = hintText(hint, "NAME"), name != "null", name != "jack" else { continue }
            // Absent: both.
            let direction = hintText(hint, "IOID")
            let title = (hintText(hint, "DESC") ?? "").split(separator: "\n").joined(separator: ", ")
            add(name, title, isCapture: direction != "Output", isPlayback: direction != "Input", to: &devices)
        }
    }
    for card in SoundCards().list() {
        let name = "plughw:CARD=\(card.identifier)"
        guard !devices.contains(where: { $0.name.description.hasPrefix("alsa:\(name)") }) else { continue }
        add(name, card.title, isCapture: true, isPlayback: true, to: &devices)
    }
    return devices
}

private func add(_ name: String, _ title: String, isCapture: Bool, isPlayback: Bool, to devices: inout [ListedDevice]) {
    let device = ListedDevice(
        name: .alsa(name), title: title, isCapture: isCapture && exists(name, SND_PCM_STREAM_CAPTURE),
        isPlayback: isPlayback && exists(name, SND_PCM_STREAM_PLAYBACK))
    if device.isCapture || device.isPlayback { devices.append(device) }
}

private func exists(_ name: String, _ stream: snd_pcm_stream_t) -> Bool {
    var opened: OpaquePointer?
    let code = snd_pcm_open(&opened, name, stream, Int32(SND_PCM_NONBLOCK))
    if code >= 0, let opened { snd_pcm_close(opened) }
    return code >= 0 || code == -EBUSY
}

private func hintText(_ hint: UnsafeRawPointer, _ key: String) -> String? {
    guard let text = snd_device_name_get_hint(hint, key) else { return nil }
    defer { free(text) }
    return String(cString: text)
}
