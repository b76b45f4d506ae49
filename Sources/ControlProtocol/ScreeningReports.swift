internal import CallModel
public import Screening

extension Contact {
    public var json: JSONValue {
        [
            "name": .string(name), "handles": .array(handles.map(JSONValue.string)),
            "ringTone": ringTone.isEmpty ? .null : .string(ringTone), "autoAnswer": .bool(autoAnswer),
            "throughDoNotDisturb": .bool(throughDoNotDisturb),
        ]
    }

    public init?(json: JSONValue) {
        guard let name = json["name"]?.string, let handles = json["handles"]?.array else { return nil }
        self.init(
            name: name, handles: handles.compactMap(\.string), ringTone: json["ringTone"]?.string ?? "",
            autoAnswer: json["autoAnswer"]?.bool ?? false,
            throughDoNotDisturb: json["throughDoNotDisturb"]?.bool ?? false)
    }

    /// Reads and checks the params of `contacts.add`.
    init(params: JSONObject) throws(ControlError) {
        let name = try params.contactName()
        guard let list = params["handles"]?.array, 1...Self.maximumHandles ~= list.count else {
            throw .invalidParams("handles is a list of 1 to \(Self.maximumHandles) handles")
        }
        var handles: [String] = []
        for entry in list { handles.append(try Handle(parameter: entry).value) }
        let ringTone = try params.optionalString("ringTone") ?? ""
        let isTone = ringTone.isEmpty || ringTone == "silent" || ringTone.hasPrefix("/")
        guard isTone, ringTone.utf8.count <= 1_024, !ringTone.utf8.contains(0) else {
            throw .invalidParams("ringTone is \"silent\" or the absolute path, of at most 1,024 bytes, of a sound file")
        }
        self.init(
            name: name, handles: handles, ringTone: ringTone,
            autoAnswer: try params.optionalBoolean("autoAnswer") ?? false,
            throughDoNotDisturb: try params.optionalBoolean("throughDoNotDisturb") ?? false)
    }
}

extension JSONObject {
    func contactName() throws(ControlError) -> String {
        guard let name = try optionalString("name"), 1...Contact.maximumNameLength ~= name.utf8.count,
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F..<0xA0 ~= $0.value) })
        else {
            throw .invalidParams(
                "name is a string of 1 to \(Contact.maximumNameLength) bytes without control characters")
        }
        return name
    }

    /// An entry of the block list.
    func blockEntry() throws(ControlError) -> String {
        guard let entry = try optionalString("handle") else { throw .invalidParams("handle is missing: whom to block") }
        guard CallerList.accepts(entry) else {
            throw .failed(
                .invalidHandle,
                "`\(entry.prefix(64))` is nothing that can be blocked: name a handle, @domain, the beginning of a number "
                    + "with * after it, or anonymous")
        }
        return entry
    }
}

/// Whether somebody wants to be disturbed: the result of `dnd.set`.
public struct DoNotDisturbInfo: Sendable, Hashable {
    /// Switched on by hand.
    public var on: Bool
    /// The hours say so.
    public var scheduled: Bool
    /// Either of them: calls do not ring.
    public var active: Bool { on || scheduled }
    /// Where it was switched: whether it is still so after a restart.
    public var saved: Bool?

    public init(on: Bool, scheduled: Bool, saved: Bool? = nil) {
        self.on = on
        self.scheduled = scheduled
        self.saved = saved
    }

    public var json: JSONValue {
        var members: JSONObject = ["on": .bool(on), "scheduled": .bool(scheduled), "active": .bool(active)]
        if let saved { members["saved"] = .bool(saved) }
        return .object(members)
    }

    public init?(json: JSONValue) {
        guard let on = json["on"]?.bool else { return nil }
        self.init(on: on, scheduled: json["scheduled"]?.bool ?? false, saved: json["saved"]?.bool)
    }
}

/// The result of what changes a list.
public struct ListChange: Sendable, Hashable {
    /// False where it was so already.
    public var changed: Bool
    /// Whether it is still so after a restart.
    public var saved: Bool

    public init(changed: Bool, saved: Bool) {
        self.changed = changed
        self.saved = saved
    }

    public var json: JSONValue { ["changed": .bool(changed), "saved": .bool(saved)] }

    public init?(json: JSONValue) {
        guard let changed = json["changed"]?.bool else { return nil }
        self.init(changed: changed, saved: json["saved"]?.bool ?? false)
    }
}

/// A file of callers or contacts that the configuration names.
public struct ListFileInfo: Sendable, Hashable {
    public var path: String
    /// What was taken from it.
    public var entries: Int
    /// What is wrong with it; nil: nothing.
    public var problem: String?

    public init(path: String, entries: Int, problem: String? = nil) {
        self.path = path
        self.entries = entries
        self.problem = problem
    }

    public var json: JSONValue {
        ["path": .string(path), "entries": JSONValue(entries), "problem": JSONValue(problem)]
    }

    public init?(json: JSONValue) {
        guard let path = json["path"]?.string else { return nil }
        self.init(path: path, entries: json["entries"]?.integer ?? 0, problem: json["problem"]?.string)
    }
}

/// The result of `block.list`.
public struct BlockReport: Sendable, Hashable {
    /// What was blocked by hand.
    public var handles: [String]
    /// What the configuration names, besides.
    public var configured: [String]
    public var files: [ListFileInfo]

    public init(handles: [String], configured: [String], files: [ListFileInfo]) {
        self.handles = handles
        self.configured = configured
        self.files = files
    }

    public var json: JSONValue {
        [
            "handles": .array(handles.map(JSONValue.string)), "configured": .array(configured.map(JSONValue.string)),
            "files": .array(files.map(\.json)),
        ]
    }

    public init(json: JSONValue) {
        handles = json["handles"]?.array?.compactMap(\.string) ?? []
        configured = json["configured"]?.array?.compactMap(\.string) ?? []
        files = json["files"]?.array?.compactMap(ListFileInfo.init(json:)) ?? []
    }
}

/// The result of `contacts.list`.
public struct ContactsReport: Sendable, Hashable {
    /// A contact, and where it is from.
    public struct Entry: Sendable, Hashable {
        public var contact: Contact
        /// The file it is from; nil: it was added by hand.
        public var file: String?

        public init(contact: Contact, file: String?) {
            self.contact = contact
            self.file = file
        }
    }

    public var entries: [Entry]
    public var files: [ListFileInfo]
    /// The number to go on from, where there are more.
    public var next: Int?

    public init(entries: [Entry], files: [ListFileInfo], next: Int? = nil) {
        self.entries = entries
        self.files = files
        self.next = next
    }

    public var json: JSONValue {
        let contacts = entries.map { entry -> JSONValue in
            guard case .object(var object) = entry.contact.json else { return .null }
            object["file"] = JSONValue(entry.file)
            return .object(object)
        }
        return ["contacts": .array(contacts), "files": .array(files.map(\.json)), "next": JSONValue(next)]
    }

    public init(json: JSONValue) {
        entries = (json["contacts"]?.array ?? []).compactMap { entry in
            Contact(json: entry).map { Entry(contact: $0, file: entry["file"]?.string) }
        }
        files = json["files"]?.array?.compactMap(ListFileInfo.init(json:)) ?? []
        next = json["next"]?.integer
    }
}

/// Where the daemon keeps what lasts.
public struct RecordsInfo: Sendable, Hashable {
    /// nil: in memory only.
    public var path: String?
    /// What is wrong; nil: nothing.
    public var problem: String?

    public init(path: String? = nil, problem: String? = nil) {
        self.path = path
        self.problem = problem
    }

    public var json: JSONValue { ["path": JSONValue(path), "problem": JSONValue(problem)] }

    public init(json: JSONValue) {
        path = json["path"]?.string
        problem = json["problem"]?.string
    }
}
