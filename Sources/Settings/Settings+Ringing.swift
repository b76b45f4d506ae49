extension TableReader {
    /// Devices that ring: each a name, or a table `{device, volume}`.
    mutating func ringDevices(_ key: String, default value: [Settings.RingDevice]) -> [Settings.RingDevice] {
        guard let elements = elements(key, atMost: 16) else { return value }
        return elements.compactMap { element in
            switch element.value {
            case .string(let name):
                checkDevice(name, key)
                return Settings.RingDevice(name: name)
            case .table(let entries):
                var reader = TableReader(file: file, name: "\(self.name).\(key)", line: element.line, entries: entries)
                let name = reader.string("device", default: "")
                let volume = reader.integer("volume", default: 100, in: 0...100)
                reader.checkDevice(name, "device")
                take(reader.finish())
                return Settings.RingDevice(name: name, volume: volume)
            default:
                report(
                    key, "holds \(element.kindName); names, or tables {device, volume}, are wanted", line: element.line)
                return nil
            }
        }
    }

    /// Empty, `silent`, or the path of a sound file, made absolute; nil where the file does not say.
    mutating func ringTone(_ key: String) -> String? {
        let isSet = has(key)
        let tone = soundFile(key, or: "silent")
        return isSet ? tone : nil
    }

    /// Empty, `word`, or the path of a WAV or Ogg Opus file, made absolute.
    mutating func soundFile(_ key: String, or word: String? = nil) -> String {
        let text = string(key, default: "")
        guard !text.isEmpty, text != word else { return text }
        if text.utf8.contains(0) || text.utf8.count > 4_000 {
            report(key, "is not the path of a WAV or Ogg Opus file")
        }
        let path = resolved(text)
        note(key, path)
        return path
    }
}
