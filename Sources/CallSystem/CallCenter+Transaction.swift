public import CallModel
public import EventLoop

/// Several actions, one after the other.
extension CallCenter {
    /// The most actions a transaction may have.
    public static let maximumTransactionLength = 32

    /// Carries out `requests` in order. They are checked as a whole first; where one cannot be carried out, none is.
    /// Where one fails, those after it fail as `cancelled`.
    ///
    /// `done` is given one report for each request, in their order, or `emptyTransaction` (`notSupported` for more than
    /// 32). It is called once, on the event loop, never from within this method.
    public func transaction(
        _ requests: [CallRequest], readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<[ActionReport], CallError>) -> Void
    ) {
        guard !requests.isEmpty else {
            return later { done(.failure(CallError(.emptyTransaction, "The transaction has no actions."))) }
        }
        guard requests.count <= Self.maximumTransactionLength else {
            let most = Self.maximumTransactionLength
            let error = CallError(
                .notSupported, "The transaction has \(requests.count) actions; at most \(most) are taken.")
            return later { done(.failure(error)) }
        }
        if let (culprit, error) = firstImpossible(of: requests) {
            let elapsed = clock.now.milliseconds(since: readAt)
            let because = CallError(
                .cancelled, "Nothing was done, because action \(culprit + 1) of the transaction failed.")
            let reports = requests.enumerated().map { index, request in
                ActionReport(
                    request: request, result: .failure(index == culprit ? error : because), elapsedMs: elapsed)
            }
            return later { done(.success(reports)) }
        }
        step(requests, [], readAt: readAt, done)
    }

    /// The first request that cannot be carried out, as far as that is known before those ahead of it have been.
    private func firstImpossible(of requests: [CallRequest]) -> (index: Int, error: CallError)? {
        for (index, request) in requests.enumerated() {
            let earlier = requests[..<index]
            let same = earlier.filter { !Set($0.calls).isDisjoint(with: request.calls) }
            do throws(CallError) {
                if let call = request.call, same.contains(where: { $0.endsCall }) {
                    throw CallError(.unknownCall, "Call \(call) is over after an earlier action of the transaction.")
                }
                if let call = request.call, request.isStart, !same.isEmpty {
                    throw CallError(.callAlreadyExists, "Call \(call) is named earlier in the transaction.")
                }
                // What a call can do after these is seen when they are done.
                guard !same.contains(where: { $0.enablesOthers }) else { continue }
                let leaving = earlier.count { $0.endsCall } - earlier.count { $0.isStart }
                try check(request, leaving: leaving)
            } catch {
                return (index, error)
            }
        }
        return nil
    }

    private func step(
        _ requests: [CallRequest], _ reports: [ActionReport], readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<[ActionReport], CallError>) -> Void
    ) {
        guard reports.count < requests.count else { return done(.success(reports)) }
        let request = requests[reports.count]
        carryOut(request, readAt: readAt) { [self] result in
            var reports = reports
            let elapsed = clock.now.milliseconds(since: readAt)
            reports.append(ActionReport(request: request, result: result, elapsedMs: elapsed))
            if case .failure = result {
                let because = CallError(.cancelled, "Action \(reports.count) of the transaction failed.")
                for request in requests[reports.count...] {
                    reports.append(ActionReport(request: request, result: .failure(because), elapsedMs: elapsed))
                }
            }
            step(requests, reports, readAt: readAt, done)
        }
    }
}

extension CallRequest {
    /// Whether the call leaves the list with it.
    var endsCall: Bool {
        switch self {
        case .end, .reject: true
        default: false
        }
    }

    /// Whether the call can do more after it than before.
    var enablesOthers: Bool {
        switch self {
        case .start, .answer, .resume, .merge, .split: true
        default: false
        }
    }
}
