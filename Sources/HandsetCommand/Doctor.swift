internal import CLinux
internal import ControlProtocol
internal import Glibc
internal import HandsetKit

/// `handset doctor`: what is looked at, and what each finding means.
enum Doctor {
    enum Grade: String, Sendable { case good = "ok", note, bad }

    struct Check: Sendable, Hashable {
        var name: String
        var grade: Grade
        var finding: String
        /// What to do; empty where nothing is.
        var advice = ""
    }

    /// Looks at everything and prints it; returns 0, or 1 where something is bad. Throws where no daemon answers,
    /// and where it cannot be printed.
    static func run(_ handset: Handset, json: Bool, _ terminal: Terminal) async throws(Failure) -> Int32 {
        let (status, report): (DaemonStatus, StatisticsReport)
        do throws(HandsetError) {
            (status, report) = (try await handset.status(), try await handset.statistics())
        } catch {
            throw Failure(error)
        }
        // A daemon without sound answers this with an error, which is a finding and no reason to stop.
        var devices: [DeviceInfo]?
        do throws(HandsetError) { devices = try await handset.devices() } catch { devices = nil }
        var checks = [Check(name: "daemon", grade: .good, finding: "answers at \(handset.path)"), membership()]
        checks += Self.checks(status)
        checks += [sound(devices, used: status.audio), loop(report.loop)]
        try terminal.write((json ? Self.json(checks).text : text(checks)) + "\n")
        return checks.contains { $0.grade == .bad } ? 1 : 0
    }

    static func text(_ checks: [Check]) -> String {
        var table = Table()
        for check in checks {
            table.add([check.grade.rawValue, check.name, check.finding])
            if !check.advice.isEmpty { table.add(["", "", "→ " + check.advice]) }
        }
        return table.text
    }

    static func json(_ checks: [Check]) -> JSONValue {
        let list = checks.map { check -> JSONValue in
            [
                "name": .string(check.name), "grade": .string(check.grade.rawValue), "finding": .string(check.finding),
                "advice": check.advice.isEmpty ? .null : .string(check.advice),
            ]
        }
        return ["checks": .array(list)]
    }

    // MARK: What is looked at

    static func checks(_ status: DaemonStatus) -> [Check] {
        var checks = [version(status.version)]
        if status.accounts.isEmpty {
            let file = status.configuration ?? "/etc/handset/handset.toml"
            checks.append(
                Check(
                    name: "accounts", grade: .note, finding: "none: only direct calls are possible",
                    advice: "add an [[account]] to \(file) to use a PBX or a provider"))
        }
        checks += status.accounts.map(account)
        checks += [audio(status.audio), scheduling(status.audio.scheduling), records(status.records)]
        checks += problems(status.problems) + [dropped(status)]
        return checks
    }

    private static func version(_ version: String) -> Check {
        version == handsetVersion
            ? Check(name: "version", grade: .good, finding: version)
            : Check(
                name: "version", grade: .note, finding: "daemon \(version), command \(handsetVersion)",
                advice: "restart the daemon after an update: systemctl restart handsetd")
    }

    private static func account(_ account: AccountInfo) -> Check {
        let name = "account \(account.name)"
        let reason = account.lastError.map { ": \($0)" } ?? ""
        switch account.state {
        case "registered" where account.reachable:
            return Check(name: name, grade: .good, finding: "registered")
        case "registered":
            return Check(
                name: name, grade: .bad, finding: "registered, but the registrar does not answer\(reason)",
                advice: "check the network and the PBX")
        case "unregistered":
            return Check(name: name, grade: .good, finding: "has no registrar: calls go out, none are expected")
        case "registering":
            return Check(
                name: name, grade: .note, finding: "is registering\(reason)",
                advice: "look again in a few seconds; if it stays so, check registrar and transport")
        default:
            return Check(
                name: name, grade: .bad, finding: "\(account.state)\(reason)",
                advice: "check uri, username, password_file and registrar of the account in the configuration")
        }
    }

    private static func audio(_ audio: AudioInfo) -> Check {
        audio.state == "interrupted"
            ? Check(
                name: "audio", grade: .bad, finding: "interrupted: \(audio.capture) / \(audio.playback)",
                advice: "plug the device in again, or name another one in [audio] devices")
            : Check(name: "audio", grade: .good, finding: "\(audio.state): \(audio.capture) / \(audio.playback)")
    }

    private static func scheduling(_ scheduling: String) -> Check {
        if scheduling.hasPrefix("SCHED_FIFO") { return Check(name: "scheduling", grade: .good, finding: scheduling) }
        if scheduling.isEmpty {
            return Check(name: "scheduling", grade: .note, finding: "not known before the first call")
        }
        return Check(
            name: "scheduling", grade: .note, finding: "not real-time: \(scheduling)",
            advice: "give the daemon LimitRTPRIO=95 (its unit does), or an rtprio line in /etc/security/limits.conf")
    }

    private static func records(_ records: RecordsInfo) -> Check {
        let place = records.path ?? "in memory only"
        guard let problem = records.problem else { return Check(name: "records", grade: .good, finding: place) }
        return Check(
            name: "records", grade: .bad, finding: problem,
            advice:
                "history, contacts and block list are not kept till then: free the disk, or see that the daemon's user "
                + "may write to [state] directory, then restart the daemon")
    }

    /// What the daemon goes on without, or that there is nothing of the kind.
    private static func problems(_ problems: [ProblemInfo]) -> [Check] {
        guard !problems.isEmpty else {
            return [
                Check(name: "files and controls", grade: .good, finding: "all that the configuration names can be used")
            ]
        }
        return problems.map { problem in
            Check(name: problem.setting, grade: .bad, finding: problem.message, advice: advice(on: problem.setting))
        }
    }

    private static func advice(on setting: String) -> String {
        switch setting {
        case "controls":
            "plug the device in, or see CONTROLS in handset.toml(5) for what the daemon's user may open"
        case "audio.devices", "audio.capture": "make the file, or name another one; then: handset reload"
        case "audio.ring_tone", "account.ring_tone":
            "name a sound file that the daemon's user can read; the built-in tone rings until then"
        case "contacts":
            "add the contact again with a sound file that the daemon's user can read, or correct its vCard"
        case "calls.hold_music":
            "name a sound file that the daemon's user can read; then: handset reload"
        case "recording.directory", "recording.keep_days", "recording.keep_mib":
            "name a folder that the daemon's user may write to (under systemd: ReadWritePaths=); then: handset reload"
        default: "correct the file, or see that the daemon's user can read it; then: handset reload"
        }
    }

    private static func dropped(_ status: DaemonStatus) -> Check {
        guard status.droppedRequests > 0 else {
            return Check(name: "strangers", grade: .good, finding: "no requests were dropped")
        }
        let advice = status.strangers.first.map { "to let \($0.address) in: \($0.advice)" } ?? ""
        return Check(
            name: "strangers", grade: .note, finding: "\(status.droppedRequests) requests were dropped in silence",
            advice: advice)
    }

    static func sound(_ devices: [DeviceInfo]?, used audio: AudioInfo?) -> Check {
        guard let devices else { return Check(name: "devices", grade: .note, finding: "cannot be listed") }
        let (inputs, outputs) = (devices.filter(\.capture).count, devices.filter(\.playback).count)
        let (wantsInput, wantsOutput) = (needsCard(audio?.capture), needsCard(audio?.playback))
        guard wantsInput || wantsOutput else {
            return Check(name: "devices", grade: .good, finding: "files are used, no sound card is needed")
        }
        guard inputs > 0 || !wantsInput, outputs > 0 || !wantsOutput else {
            return Check(
                name: "devices", grade: .bad, finding: "\(inputs) for capture, \(outputs) for playback",
                advice: "plug a sound card in, see that the daemon's user is in the group audio, or use file: devices")
        }
        // ALSA lists its plugins without any sound card, too; a card's devices name it.
        if let audio, !devices.contains(where: { $0.name.contains("CARD=") }),
            let missing = [audio.capture, audio.playback].first(where: { used in
                used.hasPrefix("alsa:") && !devices.contains { $0.name == used }
            })
        {
            return Check(
                name: "devices", grade: .bad, finding: "no sound card is found, and \(missing) is not listed",
                advice: "plug a sound card in, see that the daemon's user is in the group audio, or use file: devices")
        }
        return Check(name: "devices", grade: .good, finding: "\(inputs) for capture, \(outputs) for playback")
    }

    /// Whether a side is not a file, nor what it is where a `file:` device names none. One that is not known needs a card.
    private static func needsCard(_ side: String?) -> Bool {
        guard let side else { return true }
        return !side.hasPrefix("file:") && side != "silence" && side != "discarded"
    }

    static func loop(_ loop: LoopFigures) -> Check {
        loop.xruns == 0
            ? Check(name: "audio loop", grade: .good, finding: "\(loop.turns) turns, no xruns")
            : Check(
                name: "audio loop", grade: .note,
                finding: "\(loop.xruns) xruns in \(loop.turns) turns"
                    + (loop.lastXrun.map { "; \(Reports.lastXrun($0))" } ?? ""),
                advice: "raise [audio] period_ms, or see that scheduling is real-time")
    }

    private static func membership() -> Check {
        let number = clinux_group_number("handset")
        guard let group = gid_t(exactly: number) else {
            return Check(
                name: "group", grade: .note, finding: "there is no group handset",
                advice:
                    "sudo systemd-sysusers makes it after make install; till then only root and the daemon's user connect"
            )
        }
        var groups = [gid_t](repeating: 0, count: 1_024)
        let count = max(0, Int(getgroups(1_024, &groups)))
        if geteuid() == 0 || getegid() == group || groups[..<count].contains(group) {
            return Check(name: "group", grade: .good, finding: "this user may use the socket of the service")
        }
        return Check(
            name: "group", grade: .note, finding: "this user is not in the group handset",
            advice: "sudo usermod -aG handset $USER, then log in anew")
    }
}
