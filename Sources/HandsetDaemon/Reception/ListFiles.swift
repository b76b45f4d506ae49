internal import ControlProtocol
internal import Screening
internal import Settings

/// What the files say that the configuration names: lists of callers, and vCards.
struct ListFiles: Sendable {
    /// MiB of a list, at most.
    private static let maximumListMegabytes = 64

    var blocked: CallerList
    var allowed: CallerList
    /// The contacts of all files, found by their handles.
    var phoneBook: PhoneBook
    /// The contacts of each file, in the order of the configuration.
    var contacts: [(file: String, contacts: [Contact])] = []
    var blockFiles: [ListFileInfo] = []
    var allowFiles: [ListFileInfo] = []
    var contactFiles: [ListFileInfo] = []
    /// What is wrong with any of them: which setting names the file, and what it is.
    private(set) var problems: [ProblemInfo] = []

    /// Reads them all. A file that cannot be read is empty, and says why.
    init(_ settings: Settings) {
        let plan = NumberPlan(countryCode: settings.calls.countryCode)
        blocked = CallerList(plan: plan)
        allowed = CallerList(plan: plan)
        phoneBook = PhoneBook(plan: plan)
        for entry in settings.block.handles { blocked.add(entry) }
        for entry in settings.allow.handles { allowed.add(entry) }
        for path in settings.block.files { blockFiles.append(add(path, "block.files", to: \.blocked)) }
        for path in settings.allow.files { allowFiles.append(add(path, "allow.files", to: \.allowed)) }
        for path in settings.contacts.files { read(contacts: path) }
    }

    private mutating func add(
        _ path: String, _ setting: String, to list: WritableKeyPath<ListFiles, CallerList>
    ) -> ListFileInfo {
        let before = self[keyPath: list].count
        do throws(Unreadable) {
            let text = try Self.text(ofFile: path, megabytes: Self.maximumListMegabytes)
            let wrong = self[keyPath: list].add(lines: text).sentences
            return info(path, setting, entries: self[keyPath: list].count - before, wrong)
        } catch {
            return info(path, setting, entries: 0, [error.problem])
        }
    }

    private mutating func read(contacts path: String) {
        let setting = "contacts.files"
        do throws(Unreadable) {
            let reader = VCardReader(try Self.text(ofFile: path, megabytes: VCardReader.maximumBytes >> 20))
            let found = reader.contacts.map { Self.resolved($0, besides: path) }
            var wrong = reader.findings.sentences
            var clashes = LineFindings()
            let taken = phoneBook.add(found) { index, handle, owner in
                let entry = reader.entries[index]
                clashes.add(
                    line: entry.line, "\(handle) of \(entry.contact.name) is also \(owner.name)'s, who keeps it")
            }
            wrong += clashes.sentences
            if taken < found.count {
                wrong.append(
                    "all files have more than \(PhoneBook.maximumCount) contacts; the last \(found.count - taken) are left out"
                )
            }
            if found.isEmpty { wrong.append("it has no vCard with a name and something to call") }
            contacts.append((path, Array(found.prefix(taken))))
            contactFiles.append(info(path, setting, entries: taken, wrong))
        } catch {
            contactFiles.append(info(path, setting, entries: 0, [error.problem]))
        }
    }

    /// The path of a ring tone begins at the folder of the file that names it.
    private static func resolved(_ contact: Contact, besides path: String) -> Contact {
        var contact = contact
        let tone = contact.ringTone
        if !tone.isEmpty, tone != "silent", !tone.hasPrefix("/"), let slash = path.lastIndex(of: "/") {
            contact.ringTone = path[...slash] + tone
        }
        return contact
    }

    private mutating func info(_ path: String, _ setting: String, entries: Int, _ wrong: [String]) -> ListFileInfo {
        problems += wrong.map { ProblemInfo(setting: setting, message: "\(path): \($0)") }
        return ListFileInfo(path: path, entries: entries, problem: wrong.isEmpty ? nil : wrong.joined(separator: "; "))
    }

    private struct Unreadable: Error { var problem: String }

    private static func text(ofFile path: String, megabytes: Int) throws(Unreadable) -> [UInt8] {
        let limit = megabytes << 20
        let text: [UInt8]
        do throws(FileError) { text = try contents(ofFile: path, limit: limit) } catch {
            throw Unreadable(problem: "cannot be read: \(error.reason)")
        }
        guard text.count <= limit else {
            throw Unreadable(problem: "it is larger than \(megabytes) MiB; nothing of it is taken")
        }
        return text
    }
}
