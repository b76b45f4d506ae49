internal import CallModel
internal import EventLoop
internal import MediaDescription

/// Calls whose remote party has gone without a word: one that loses its power or its network sends no BYE.
extension CallCenter {
    /// The stream of `call` was agreed on, first or anew.
    func noteStream(of call: CallID, _ direction: MediaDirection) {
        guard let index = records.firstIndex(where: { $0.id == call }) else { return }
        records[index].peerWatch = PeerWatch(flowsBothWays: direction == .sendrecv, since: now)
        watchMedia(of: call)
    }

    /// The time-out is another one.
    func watchAllMedia() {
        for record in records { watchMedia(of: record.id) }
    }

    /// Looks when the remote party was heard last, and looks again when it might be too long ago. While packets come, that
    /// is once in the time-out.
    func watchMedia(of call: CallID) {
        guard let index = records.firstIndex(where: { $0.id == call }) else { return }
        records[index].cancelPeerWatch?()
        records[index].cancelPeerWatch = nil
        guard policy.mediaTimeoutSeconds > 0, records[index].machine.state == .connected,
            let watch = records[index].peerWatch
        else { return }
        let timeout = Duration.seconds(policy.mediaTimeoutSeconds)
        let heard = media.lastHeard(of: call).map { Self.time(of: $0) }
        let deadline = watch.deadline(heard: heard, timeout: timeout)
        if let deadline, deadline <= now {
            return follow(call, .peerGone(silentSeconds: policy.mediaTimeoutSeconds))
        }
        var next = deadline ?? watch.enquiry(heard: heard, timeout: timeout)
        if next <= now {
            ask(index)
            next = now + timeout
        }
        records[index].cancelPeerWatch = clock.schedule(after: next - now) { [weak self] in self?.watchMedia(of: call) }
    }

    /// Asks the remote party of a call, of whom nothing need come, whether it is still there.
    private func ask(_ index: Int) {
        records[index].peerWatch?.askedAt = now
        signalling.enquire(records[index].id)
    }

    /// It no longer has the call, or did not answer. What has come of it since, or was agreed with it, counts for more.
    func peerLost(_ call: CallID) {
        guard policy.mediaTimeoutSeconds > 0, let watch = record(of: call)?.peerWatch else { return }
        let heard = media.lastHeard(of: call).map { Self.time(of: $0) }
        guard !watch.hasShownItself(heard: heard) else { return }
        follow(call, .peerGone(silentSeconds: policy.mediaTimeoutSeconds))
    }
}
