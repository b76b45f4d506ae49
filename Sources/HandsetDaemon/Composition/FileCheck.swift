internal import ControlProtocol
internal import EventLoop
internal import Supervision

/// What is wrong with files that the daemon will need, looked at before it does. A disk may take its time, and one of a
/// network may never answer: each look has a thread of its own, there is one at a time, and nobody waits for it.
@DaemonActor final class FileCheck {
    typealias Look = @Sendable () -> [ProblemInfo]

    /// What the last look has found.
    private(set) var problems: [ProblemInfo] = []
    /// What is to be looked at when the look that goes on is over.
    private var next: Look?
    private var isLooking = false
    /// What the look that goes on finds is of no interest any more.
    private var isOutdated = false

    /// Has a look; what is new of what it finds is logged.
    func look(_ look: @escaping Look) {
        (isOutdated, next) = (true, look)
        if !isLooking { begin() }
    }

    /// There is nothing to be looked at any more, and nothing wrong.
    func clear() { (isOutdated, next, problems) = (true, nil, []) }

    /// Takes `problem`, which was found by use, in place of what a look has found.
    func note(_ problem: ProblemInfo) {
        isOutdated = true
        problems = [problem]
    }

    private func begin() {
        guard let look = next else { return }
        (next, isLooking, isOutdated) = (nil, true, false)
        WorkerThread().run(look) { [weak self] found in self?.found(found) }
    }

    private func found(_ found: [ProblemInfo]) {
        isLooking = false
        if !isOutdated {
            for problem in found where !problems.contains(problem) { Log.write(.warning, problem.description) }
            problems = found
        }
        begin()
    }
}
