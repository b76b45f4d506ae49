internal import ControlProtocol
internal import Screening
internal import Settings

/// What the files say that the configuration names: lists of callers, and vCards.
struct ListFiles: Sendable {
    /// MiB of a list, at most.
    private static let maximumListMegabytes = 64

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
        do throws(Unreadable) {
            let wrong = list.add(lines: try text(ofFile: path, megabytes: maximumListMegabytes))
            let what = wrong.map(String.init).joined(separator: ", ")
            return ListFileInfo(
                path: path, entries: list.count - before,
                problem: wrong.isEmpty ? nil : "line \(what): nothing that can be on a list; passed over")
        } catch {
            return ListFileInfo(path: path, entries: 0, problem: error.problem)
        }
    }

    private mutating func read(contacts path: String) {
        do throws(Unreadable) {
            let found = VCardReader(try Self.text(ofFile: path, megabytes: VCardReader.maximumBytes >> 20)).contacts
            contacts.append((path, found))
            let problem = found.isEmpty ? "it has no vCard with a name and something to call" : nil
            contactFiles.append(ListFileInfo(path: path, entries: found.count, problem: problem))
        } catch {
            contactFiles.append(ListFileInfo(path: path, entries: 0, problem: error.problem))
        }
    }

    private struct Unreadable: Error { var problem: String }

    private static func text(ofFile path: String, megabytes: Int) throws(Unreadable) -> [UInt8] {
        let limit = megabytes << 20
        let text: [UInt8]
        do throws(FileError) { text = try contents(ofFile: path, limit: limit, mayWait: false) } catch {
            throw Unreadable(problem: "cannot be read: \(error.reason)")
        }
        guard text.count <= limit else {
            throw Unreadable(problem: "it is larger than \(megabytes) MiB; nothing of it is taken")
        }
        return text
    }
}
