internal import CALSA

/// What a card has agreed to: near what was wanted, in its own frames.
struct PCMParameters: BitwiseCopyable {
    var format = SampleFormat.s16
    var channels = 1
    /// In Hz.
    var rate = 48_000
    /// Frames between two interrupts.
    var periodFrames = 480
    var bufferFrames = 3_840
    /// A sound server (PulseAudio, PipeWire, JACK), not a card: it takes sound in blocks of its own choice and plays
    /// silence for what its buffer lacks.
    var isServer = false
    /// It says where it plays once a period only, or of another's buffer (dmix): less may lie ahead than it says.
    var hasCoarsePointer = false
    /// Frames that the card has fetched before they sound.
    var fetchedFrames = 0

    /// A card's period or buffer in frames of 48 kHz, rounded up.
    func frames48(_ frames: Int) -> Int { (frames * 48_000 + rate - 1) / rate }
    /// Frames of 48 kHz in the card's, rounded up.
    func cardFrames(_ frames: Int) -> Int { (frames * rate + 47_999) / 48_000 }

    /// Negotiates: 48 kHz mono S16 where the card has it, else what is nearest. Returns a negative errno value on failure.
    ///
    /// - Parameter turn: frames of 48 kHz that the period should have.
    mutating func negotiate(_ handle: OpaquePointer, turn: Int) -> Int32 {
        let kind = Self.description(of: handle)
        isServer = kind.contains("ALSA <-> ")
        // First at a rate of the card's own, since our converter is better than alsa-lib's linear one.
        var code = negotiate(handle, turn: turn, resampling: false, exactPeriod: true)
        if code < 0 { code = negotiate(handle, turn: turn, resampling: true, exactPeriod: true) }
        if code < 0 { code = negotiate(handle, turn: turn, resampling: true, exactPeriod: false) }
        // dmix, dshare and dsnoop
        if kind.contains("Direct ") { hasCoarsePointer = true }
        return code
    }

    private mutating func negotiate(
        _ handle: OpaquePointer, turn: Int, resampling: Bool, exactPeriod: Bool
    ) -> Int32 {
        var made: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&made) == 0, let hardware = made else { return -ENOMEM }
        defer { snd_pcm_hw_params_free(hardware) }
        var code = snd_pcm_hw_params_any(handle, hardware)
        guard code >= 0 else { return code }
        code = snd_pcm_hw_params_set_rate_resample(handle, hardware, resampling ? 1 : 0)
        guard code >= 0 else { return code }
        code = snd_pcm_hw_params_set_access(handle, hardware, SND_PCM_ACCESS_RW_INTERLEAVED)
        guard code >= 0 else { return code }
        let offered = SampleFormat.allCases.first { snd_pcm_hw_params_test_format(handle, hardware, $0.alsa) == 0 }
        guard let offered else { return -EINVAL }
        format = offered
        code = snd_pcm_hw_params_set_format(handle, hardware, offered.alsa)
        guard code >= 0 else { return code }
        var near: UInt32 = 1
        code = snd_pcm_hw_params_set_channels_near(handle, hardware, &near)
        guard code >= 0, near > 0, near <= 64 else { return min(code, -EINVAL) }
        channels = Int(near)
        // `direction` says on which side of the value the card is; stale ones make alsa-lib refuse.
        var direction: Int32 = 0
        near = 48_000
        code = snd_pcm_hw_params_set_rate_near(handle, hardware, &near, &direction)
        guard code >= 0, (4_000...768_000).contains(near) else { return min(code, -EINVAL) }
        rate = Int(near)
        let wanted = snd_pcm_uframes_t(cardFrames(turn))
        var period = wanted
        if exactPeriod {
            direction = 0
            code = snd_pcm_hw_params_set_period_size_near(handle, hardware, &period, &direction)
            guard code >= 0 else { return code }
        }
        // A large buffer costs no delay (how full it is kept does) and lets a late loop find everything.
        // A server fits its own delay to the buffer, so there it is what is to be kept full.
        let isPlayback = snd_pcm_stream(handle) == SND_PCM_STREAM_PLAYBACK
        var buffer = isServer && isPlayback ? Self.serverPeriods * period : max(8 * wanted, 4 * period)
        code = snd_pcm_hw_params_set_buffer_size_near(handle, hardware, &buffer)
        guard code >= 0 else { return code }
        code = snd_pcm_hw_params(handle, hardware)
        guard code >= 0 else { return code }
        direction = 0
        _ = snd_pcm_hw_params_get_period_size(hardware, &period, &direction)
        _ = snd_pcm_hw_params_get_buffer_size(hardware, &buffer)
        guard period > 0, buffer > 0, buffer <= 1 << 24 else { return -EINVAL }
        periodFrames = Int(period)
        bufferFrames = Int(buffer)
        hasCoarsePointer = snd_pcm_hw_params_is_batch(hardware) != 0
        fetchedFrames = max(0, Int(snd_pcm_hw_params_get_fifo_size(hardware)))
        return 0
    }

    /// The turn of a loop that this card paces, in frames of 48 kHz: a whole number of its periods, where that is 5...20 ms,
    /// so that nothing of a period waits for the next; else `wanted`.
    func turn(wanted: Int) -> Int {
        guard !isServer, periodFrames * 48_000 % rate == 0 else { return wanted }
        let period = periodFrames * 48_000 / rate
        let turn = period * max(1, (wanted + period / 2) / period)
        return (240...960).contains(turn) ? turn : wanted
    }

    /// Periods in the playback buffer of a sound server.
    static let serverPeriods: snd_pcm_uframes_t = 4

    /// Only the description for people tells what a PCM is, also through a plug-in on top: `ALSA <-> PulseAudio PCM I/O
    /// Plugin`, and so on for PipeWire and JACK, `Direct Stream Mixing PCM` for dmix. Empty where there is none.
    private static func description(of handle: OpaquePointer) -> String {
        var made: OpaquePointer?
        guard snd_output_buffer_open(&made) == 0, let output = made else { return "" }
        defer { snd_output_close(output) }
        guard snd_pcm_dump(handle, output) == 0 else { return "" }
        var text: UnsafeMutablePointer<CChar>?
        let length = snd_output_buffer_string(output, &text)
        guard length > 0, let text else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: text, count: Int(length)), as: UTF8.self)
    }

    /// Sets when the card starts by itself and when it wakes us, in its frames.
    func applySoftware(_ handle: OpaquePointer, startThreshold: Int, wakeAt available: Int) -> Int32 {
        var made: OpaquePointer?
        guard snd_pcm_sw_params_malloc(&made) == 0, let software = made else { return -ENOMEM }
        defer { snd_pcm_sw_params_free(software) }
        var code = snd_pcm_sw_params_current(handle, software)
        guard code >= 0 else { return code }
        code = snd_pcm_sw_params_set_start_threshold(handle, software, snd_pcm_uframes_t(startThreshold))
        guard code >= 0 else { return code }
        code = snd_pcm_sw_params_set_stop_threshold(handle, software, snd_pcm_uframes_t(bufferFrames))
        guard code >= 0 else { return code }
        code = snd_pcm_sw_params_set_avail_min(handle, software, snd_pcm_uframes_t(max(1, available)))
        guard code >= 0 else { return code }
        // Refused by some plug-ins; then the time stamps are just not there.
        _ = snd_pcm_sw_params_set_tstamp_mode(handle, software, SND_PCM_TSTAMP_ENABLE)
        _ = snd_pcm_sw_params_set_tstamp_type(handle, software, SND_PCM_TSTAMP_TYPE_MONOTONIC)
        return snd_pcm_sw_params(handle, software)
    }
}
