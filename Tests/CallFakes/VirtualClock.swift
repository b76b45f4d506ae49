import CallSystem
import EventLoop
import FoundationEssentials

/// Time that passes when a test says so.
@DaemonActor final class VirtualClock: CallClock {
    private struct Due {
        var deadline: UInt64
        var number: Int
        var handler: @DaemonActor () -> Void
    }

    private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    private var due: [Due] = []
    private var numbers = 0
    /// Whether time passes by itself: 100 ms in the loop's next turn, whenever something has been put off.
    var passesByItself = false
    private var isPassing = false

    var date: Date { Date(timeIntervalSince1970: Double(now.nanoseconds) / 1e9) }

    func schedule(after delay: Duration, _ handler: @escaping @DaemonActor () -> Void) -> @DaemonActor () -> Void {
        numbers += 1
        let number = numbers
        due.append(Due(deadline: (now + delay).nanoseconds, number: number, handler: handler))
        if passesByItself { passSoon() }
        return { [weak self] in self?.due.removeAll { $0.number == number } }
    }

    private func passSoon() {
        guard !isPassing else { return }
        isPassing = true
        Timer(after: .zero) { [weak self] in
            self?.isPassing = false
            self?.run(.milliseconds(100))
        }
    }

    /// Lets `duration` pass, and everything happen that is due by then.
    func run(_ duration: Duration = .zero) {
        let end = now + duration
        while let next = due.min(by: { ($0.deadline, $0.number) < ($1.deadline, $1.number) }),
            next.deadline <= end.nanoseconds
        {
            due.removeAll { $0.number == next.number }
            now.nanoseconds = max(now.nanoseconds, next.deadline)
            next.handler()
        }
        now = end
    }
}
