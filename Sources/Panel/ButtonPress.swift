/// One button's presses, short and long.
public struct ButtonPress: Sendable {
    public enum Event: Sendable, Hashable, CaseIterable {
        case pressed
        case released
        /// Its device repeats a key that is kept pressed.
        case repeated
        /// So long after `startTimer`.
        case timePassed
        /// Its device has gone, or what happened since is not known.
        case lost
    }

    public enum Effect: Sendable, Hashable {
        case act(PanelAction)
        /// Send `timePassed` after `PanelButton.longPressMilliseconds`.
        case startTimer
        case stopTimer
    }

    private enum State { case released, pressed, timed }

    private let press: PanelAction
    private let longPress: PanelAction?
    private var state = State.released

    public init(_ button: PanelButton) {
        press = button.press
        longPress = button.longPress
    }

    /// Says what is to be done, in order. What cannot be (a second press without a release) is nothing.
    public mutating func handle(_ event: Event) -> [Effect] {
        switch (state, event) {
        case (.released, .pressed):
            guard longPress != nil else {
                state = .pressed
                return [.act(press)]
            }
            state = .timed
            return [.startTimer]
        case (.timed, .released):
            state = .released
            return [.stopTimer, .act(press)]
        case (.timed, .timePassed):
            state = .pressed
            return longPress.map { [.act($0)] } ?? []
        case (.timed, .lost):
            state = .released
            return [.stopTimer]
        case (.pressed, .repeated): return press.repeats && longPress == nil ? [.act(press)] : []
        case (.pressed, .released), (.pressed, .lost):
            state = .released
            return []
        case (.released, .released), (.released, .repeated), (.released, .timePassed), (.released, .lost),
            (.pressed, .pressed), (.pressed, .timePassed), (.timed, .pressed), (.timed, .repeated):
            return []
        }
    }
}
