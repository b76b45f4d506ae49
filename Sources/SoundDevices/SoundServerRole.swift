internal import Glibc

/// What we tell a sound server, where one stands behind an ALSA PCM, that our sounds are: those of a telephone, so that it
/// may make others quiet while we sound (PulseAudio's module-role-cork and module-role-ducking; the roles of PipeWire's
/// session managers). The ALSA plug-ins of both take it from the environment only.
public enum SoundServerRole {
    /// The variables and what they are set to. `PULSE_PROP` and the configuration of PipeWire's clients go before them.
    static let variables = [
        ("PULSE_PROP_media.role", "phone"), ("PIPEWIRE_ALSA", "{ media.role = Communication }"),
    ]

    /// Sets the variables that the user has not set. To be called before there is a second thread, which might read the
    /// environment meanwhile, and before the first PCM is opened.
    public static func announce() {
        for (name, value) in variables { setenv(name, value, 0) }
    }
}
