internal import CALSA
internal import CLinux
internal import Glibc

/// Which way sound flows, seen from the machine.
public enum SoundDirection: String, Hashable, Sendable {
    case capture, playback
}

/// A sound device could not be opened or has failed: what was tried, on what, why, and what to do.
public struct SoundDeviceError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Operation: String, Hashable, Sendable {
        case open, configure, start, read, write
    }

    public let operation: Operation
    /// The device's full name, as configured.
    public let device: String
    public let direction: SoundDirection
    /// A positive errno value.
    public let code: Int32
    /// The reason, and where there is one, the remedy.
    public let message: String

    /// `code` is an errno value of either sign, as ALSA returns it.
    public init(_ operation: Operation, _ device: String, _ direction: SoundDirection, code: Int32, message: String) {
        self.operation = operation
        self.device = device
        self.direction = direction
        self.code = abs(max(code, -Int32.max))
        self.message = message
    }

    public var description: String { "cannot \(operation.rawValue) \(device) for \(direction.rawValue): \(message)" }

    /// The error of an ALSA call that returned `code` just now on this thread.
    static func alsa(
        _ operation: Operation, _ name: String, _ direction: SoundDirection, code: Int32
    ) -> SoundDeviceError {
        let kept = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            clinux_take_message(buffer.baseAddress, buffer.count) > 0
                ? String(cString: buffer.baseAddress.unsafelyUnwrapped) : nil
        }
        let message = diagnose(
            code: -code, name: name, direction: direction, libraryMessage: kept, cards: SoundCards())
        return SoundDeviceError(operation, "alsa:\(name)", direction, code: code, message: message)
    }

    /// What an errno value of alsa-lib means for a person.
    static func diagnose(
        code: Int32, name: String, direction: SoundDirection, libraryMessage: String?, cards: SoundCards
    ) -> String {
        let reason = String(cString: snd_strerror(-code))
        let said = libraryMessage.map { " (\($0))" } ?? ""
        // What dmix and dsnoop say of their shared memory and semaphores.
        let isShared = libraryMessage?.contains("IPC") == true
        switch code {
        case EBUSY:
            let holders = cards.holders(of: direction, device: name)
            let who = holders.isEmpty ? "another program holds it" : "held by " + holders.joined(separator: ", ")
            return "\(reason): \(who); end that program, or share the card through dmix/dsnoop"
        case EACCES where isShared, EPERM where isShared:
            return
                "\(reason)\(said): another user's programs share the card by the same key; give dmix and dsnoop an"
                + " ipc_key of their own, or ipc_gid audio and ipc_perm 0660 (see asound.conf among the examples)"
        case EACCES, EPERM:
            return "\(reason)\(said): the user is not in group `audio` (systemd: SupplementaryGroups=audio)"
        case ENOENT, ENODEV, ENXIO:
            let known = cards.list()
            let there =
                known.isEmpty ? "no sound card is there" : "cards: " + known.map(\.description).joined(separator: ", ")
            return "\(reason)\(said): no such device; \(there)"
        case EHOSTDOWN, ECONNREFUSED:
            return
                "\(reason)\(said): a sound server is not reachable from here; a system service names the card itself,"
                + " as alsa:sysdefault:CARD=NAME or alsa:hw:CARD=NAME"
        default:
            return reason + said
        }
    }
}
