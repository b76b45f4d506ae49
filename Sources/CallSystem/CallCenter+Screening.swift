internal import CallModel
internal import EventLoop

/// Calls that come in and do not ring.
extension CallCenter {
    /// Calls that ring at the caller's end only, at most; one more is refused as busy.
    static let ringOutCapacity = 8

    /// Tells of a call that nobody here is shown: it begins and ends as one.
    ///
    /// - Parameters:
    ///   - record: the call, with all that is known of it.
    ///   - answer: what the caller is told; nil: nothing.
    func turnAway(_ record: CallRecord, _ answer: RejectReason?, because reason: EndReason) {
        let call = record.id
        var snapshot = record.snapshot
        snapshot.state = .ended
        snapshot.capabilities = CallCapabilities()
        snapshot.endReason = reason
        snapshot.endedAt = clock.date
        emit(.ended(snapshot))
        if let answer { return signalling.reject(call, answer) }
        guard ringingOut.count < Self.ringOutCapacity else { return signalling.reject(call, .busy) }
        ringingOut[call] = clock.schedule(after: .seconds(policy.ringTimeoutSeconds)) { [weak self] in
            guard let self, ringingOut.removeValue(forKey: call) != nil else { return }
            signalling.end(call)
        }
    }

    /// The caller has given up, or somebody else has answered.
    func stopRingingOut(_ call: CallID) { ringingOut.removeValue(forKey: call)?() }
}
