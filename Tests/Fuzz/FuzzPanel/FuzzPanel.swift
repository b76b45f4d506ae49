import CLinux
import CallModel
import ControlProtocol
import Glibc
import Panel

/// What hardware and scripts send: lines of the pipe of events, actions, the order of a button's events, and the records
/// of an input device.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    readLines(bytes)
    readRecords(bytes)
    guard let action = try? PanelAction(parsing: String(decoding: bytes.prefix(300), as: UTF8.self)) else {
        press(bytes, .volumeUp, .reject)
        return 0
    }
    _ = action.request(calls: [], last: nil)
    press(bytes, action, nil)
    return 0
}

private func readLines(_ bytes: [UInt8]) {
    var framer = LineFramer(limit: PanelEvent.maximumLength)
    let middle = bytes.count / 2
    for line in framer.append(bytes[..<middle]) + framer.append(bytes[middle...]) + framer.append([0x0A]) {
        guard case .complete(let text) = line else { continue }
        precondition(text.count <= PanelEvent.maximumLength, "a line that is too long")
        guard let event = PanelEvent(parsing: text) else { continue }
        precondition(PanelEvent.isName(event.name), "a name that no button can have")
        let again = "\(event.isPressed ? "press" : "release") \(event.name)"
        precondition(PanelEvent(parsing: Array(again.utf8)) == event, "an event is read differently")
    }
}

/// Each byte is an event of the button.
private func press(_ bytes: [UInt8], _ action: PanelAction, _ longPress: PanelAction?) {
    var button = PanelButton(name: "b", contact: .pipe, press: action)
    button.longPress = longPress
    var machine = ButtonPress(button)
    var isTimed = false
    for byte in bytes {
        let event = ButtonPress.Event.allCases[Int(byte) % ButtonPress.Event.allCases.count]
        if event == .timePassed {
            // A timer that does not run passes nothing.
            guard isTimed else { continue }
            isTimed = false
        }
        for effect in machine.handle(event) {
            switch effect {
            case .startTimer:
                precondition(!isTimed, "a second timer")
                isTimed = true
            case .stopTimer:
                precondition(isTimed, "no timer to stop")
                isTimed = false
            case .act(let what): precondition(what == action || what == longPress, "another button's action")
            }
        }
    }
}

/// A pipe gives the records as a device does, the last one perhaps in part.
private func readRecords(_ bytes: [UInt8]) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    defer { close(ends[0]) }
    let written = write(ends[1], bytes, bytes.count)
    close(ends[1])
    precondition(written == bytes.count, "a pipe holds 64 KiB")
    var event = clinux_input_event()
    var changes = 0
    while clinux_input_read(ends[0], &event) > 0 {
        changes += 1
        precondition(1...3 ~= event.kind, "a change of nothing")
    }
    precondition(changes <= bytes.count / 24, "more changes than records")
}
