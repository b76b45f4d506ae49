public import MediaDescription

/// Questions, and settings of the daemon.
extension Handset {
    /// The daemon, its accounts and its audio session.
    public func status() async throws(HandsetError) -> DaemonStatus {
        try await result(.daemonStatus, DaemonStatus.init(json:))
    }

    /// Calls somebody, sends sound for some seconds and measures what comes back; returns when that is over.
    public func probe(_ wish: ProbeWish) async throws(HandsetError) -> ProbeReport {
        try await result(.probeRun(wish), ProbeReport.init(json:))
    }

    /// The calls that are not over, the oldest first.
    public func calls() async throws(HandsetError) -> [CallSnapshot] {
        try await result(.callList) { $0["calls"]?.array?.compactMap(CallSnapshot.init(json:)) }
    }

    /// What is measured of `call`, or of all calls, and of the audio loop.
    public func statistics(of call: CallID? = nil) async throws(HandsetError) -> StatisticsReport {
        try await result(.statsGet(call), StatisticsReport.init(json:))
    }

    /// The sound devices of the daemon's machine.
    public func devices() async throws(HandsetError) -> [DeviceInfo] {
        try await result(.devicesList) { $0["devices"]?.array?.compactMap(DeviceInfo.init(json:)) }
    }

    /// Sets levels, 0 to 100, and returns those in force; nil leaves a side as it is.
    @discardableResult
    public func setVolume(capture: Int? = nil, playback: Int? = nil) async throws(HandsetError) -> VolumeInfo {
        try await result(.volumeSet(capture: capture, playback: playback), VolumeInfo.init(json:))
    }

    /// Chooses what is done to the microphone's sound, at once and until the daemon ends; nil only asks.
    @discardableResult
    public func setProfile(_ choice: ProfileChoice?) async throws(HandsetError) -> ProfileState {
        try await result(.profileSet(choice), ProfileState.init(json:))
    }

    /// Has the daemon read its configuration again, and returns what is in force and what waits for a restart.
    @discardableResult
    public func reload() async throws(HandsetError) -> ReloadReport {
        try await result(.daemonReload, ReloadReport.init(json:))
    }
}
