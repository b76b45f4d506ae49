internal import MediaDescription

extension TableReader {
    /// Devices to capture from: each a name, or a table `{device, profile}`, whose profile is noted.
    mutating func devices(
        _ key: String, default value: [String], profiles: inout [String: HandsFreeProfile]
    ) -> [String] {
        guard let elements = elements(key, atMost: 16) else { return value }
        return elements.compactMap { element in
            switch element.value {
            case .string(let name):
                checkDevice(name, key)
                noteInput(of: name, key, line: element.line)
                return name
            case .table(let entries):
                var reader = TableReader(file: file, name: "\(self.name).\(key)", line: element.line, entries: entries)
                let name = reader.string("device", default: "")
                reader.checkDevice(name, "device")
                if reader.has("profile") {
                    let profile = reader.choice("profile", default: HandsFreeProfile.line)
                    if let other = profiles[name], other != profile {
                        reader.report("profile", "is another than before for \"\(name)\"; a device has one profile")
                    }
                    profiles[name] = profile
                } else {
                    // Known all the same.
                    _ = reader.choice("profile", default: HandsFreeProfile.line)
                }
                take(reader.finish())
                noteInput(of: name, key, line: element.line)
                return name
            default:
                report(
                    key, "holds \(element.kindName); names, or tables {device, profile}, are wanted", line: element.line
                )
                return nil
            }
        }
    }
}
