internal import ControlProtocol
internal import Screening
internal import Settings

/// What the files say that the configuration names: lists of callers, and vCards.
struct ListFiles: Sendable {
    /// Bytes of a list, at most.
    static let maximumListBytes = 64 << 20

    var blocked: CallerList
    var allowed: CallerList
    /// The contacts of each file, in the order of the configuration.
    var contacts: [(file: String, contacts: [Contact])] = []
    var blockFiles: [ListFileInfo] = []
    var allowFiles: [ListFileInfo] = []
    var contactFiles: [ListFileInfo] = []

    /// Reads them all. A file that cannot be read is empty, and says why.
    init(_ settings: Settings) {
        let plan = NumberPlan(countryCode: settings.calls.countryCode)
        blocked = CallerList(plan: plan)
        allowed = CallerList(plan: plan)
        for entry in settings.block.handles { blocked.add(entry) }
        for entry in settings.allow.handles { allowed.add(entry) }
        blockFiles = settings.block.files.map { Self.add($0, to: &blocked) }
        allowFiles = settings.allow.files.map { Self.add($0, to: &allowed) }
        for path in settings.contacts.files { read(contacts: path) }
    }

    /// What is wrong with any of them, for the log.
    var problems: [String] {
        (blockFiles + allowFiles + contactFiles).compactMap { file in file.problem.map { "\(file.path): \($0)" } }
    }

    private static func add(_ path: String, to list: inout CallerList) -> ListFileInfo {
        let before = list.count
        do throws(FileError) {
            let text = try contents(ofFile: path, limit: maximumListBytes)
            guard text.count <= maximumListBytes else {
                return ListFileInfo(path: path, entries: 0, problem: "it is larger than 64 MiB; nothing of it is taken")
            }
            let wrong = list.add(lines: text)
            let what = wrong.map(String.init).joined(separator: ", ")
            return ListFileInfo(
                path: path, entries: list.count - before,
                problem: wrong.isEmpty ? nil : "line \(what): nothing that can be on a list; passed over")
        } catch {
            return ListFileInfo(path: path, entries: 0, problem: "cannot be read: \(error.reason)")
        }
    }

    private mutating func read(contacts path: String) {
        do throws(FileError) {
            let text = try contents(ofFile: path, limit: VCardReader.maximumBytes)
            guard text.count <= VCardReader.maximumBytes else {
                let problem = "it is larger than 32 MiB; nothing of it is taken"
                contactFiles.append(ListFileInfo(path: path, entries: 0, problem: problem))
                return
            }
            let found = VCardReader(text).contacts
            contacts.append((path, found))
            let problem = found.isEmpty ? "it has no vCard with a name and something to call" : nil
            contactFiles.append(ListFileInfo(path: path, entries: found.count, problem: problem))
        } catch {
            contactFiles.append(ListFileInfo(path: path, entries: 0, problem: "cannot be read: \(error.reason)"))
        }
    }
}
