internal import CallModel

/// Parameters of a request: absent and null are the same, anything of the wrong type is -32602.
extension JSONObject {
    func optionalString(_ name: String) throws(ControlError) -> String? {
        switch self[name] {
        case nil, .null?: return nil
        case .string(let string)?: return string
        default: throw .invalidParams("\(name) is a string")
        }
    }

    func optionalInteger(_ name: String, in range: ClosedRange<Int>) throws(ControlError) -> Int? {
        guard let value = self[name], value != .null else { return nil }
        guard let integer = value.integer, range ~= integer else {
            throw .invalidParams("\(name) is a whole number, \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    func optionalBoolean(_ name: String) throws(ControlError) -> Bool? {
        switch self[name] {
        case nil, .null?: return nil
        case .bool(let value)?: return value
        default: throw .invalidParams("\(name) is true or false")
        }
    }

    func optionalCallID(_ name: String) throws(ControlError) -> CallID? {
        guard let text = try optionalString(name) else { return nil }
        guard let id = CallID(text) else { throw .invalidParams("\(name) is a UUID") }
        return id
    }

    /// The path of a file on the daemon's machine, from the root.
    func path(_ name: String) throws(ControlError) -> String {
        guard let path = try optionalString(name), path.hasPrefix("/"), isFileName(path) else {
            throw .invalidParams("\(name) is the path of a file on the daemon's machine, beginning with /")
        }
        return path
    }

    /// Such a path, or the name of a file without any `/`.
    func recordingName(_ name: String) throws(ControlError) -> String? {
        guard let text = try optionalString(name) else { return nil }
        guard text.hasPrefix("/") || !text.contains("/"), !text.isEmpty, isFileName(text) else {
            throw .invalidParams(
                "\(name) is a name in the folder of recordings, or a path that begins with /; it ends in .opus or .wav")
        }
        return text
    }

    private func isFileName(_ text: String) -> Bool { text.utf8.count <= 4_000 && !text.utf8.contains(0) }

    func callID(_ name: String) throws(ControlError) -> CallID {
        guard let id = try optionalCallID(name) else {
            throw .invalidParams("\(name) is missing: the call's UUID (call.list shows them)")
        }
        return id
    }

    /// Two or more different calls; no more than there can be.
    func callIDs(_ name: String) throws(ControlError) -> [CallID] {
        guard let list = self[name]?.array, 2...CallRequest.maximumMerged ~= list.count else {
            throw .invalidParams("\(name) is missing, or no list of 2 to \(CallRequest.maximumMerged) calls' UUIDs")
        }
        var ids: [CallID] = []
        for element in list {
            guard let id = element.string.flatMap({ CallID($0) }), !ids.contains(id) else {
                throw .invalidParams("\(name) is a list of different UUIDs")
            }
            ids.append(id)
        }
        return ids
    }
}
