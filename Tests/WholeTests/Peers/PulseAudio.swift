import Glibc

/// A PulseAudio of its own with null sinks: each endpoint's microphone is the monitor of a sink that a sine is played to,
/// and its loudspeaker a sink whose monitor is recorded.
final class PulseAudio {
    private let folder: ScratchFolder
    private let server: ChildProcess
    private var recorders: [ChildProcess] = []

    static var isInstalled: Bool {
        ChildProcess.exists("pulseaudio") && ChildProcess.exists("parec") && ChildProcess.exists("pactl")
            && ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"].contains {
                access("\($0)/alsa-lib/libasound_module_pcm_pulse.so", R_OK) == 0
            }
    }

    private var environment: [String: String] {
        [
            "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "XDG_CONFIG_HOME": folder.path,
            "PULSE_SERVER": "unix:\(folder.path)/native", "ALSA_CONFIG_PATH": "\(folder.path)/asound.conf",
        ]
    }

    /// - Parameter tones: by the name of each endpoint what its microphone hears, in Hz.
    init(_ tones: [(name: String, tone: Double)]) throws {
        folder = try ScratchFolder()
        var script = "load-module module-native-protocol-unix socket=\(folder.path)/native auth-anonymous=1\n"
        var devices = "</usr/share/alsa/alsa.conf>\n"
        for (name, tone) in tones {
            for part in ["microphone", "loudspeaker"] {
                script += "load-module module-null-sink sink_name=\(name)_\(part) rate=48000 channels=1 format=s16le\n"
            }
            script += "load-module module-sine sink=\(name)_microphone frequency=\(Int(tone)) rate=48000\n"
            devices += """
                pcm.\(name)_microphone { type pulse device "\(name)_microphone.monitor" }
                pcm.\(name)_loudspeaker { type pulse device "\(name)_loudspeaker" }

                """
        }
        try writeFile("\(folder.path)/script.pa", Array(script.utf8))
        try writeFile("\(folder.path)/asound.conf", Array(devices.utf8))
        let folder = self.folder
        server = try ChildProcess(
            "pulseaudio",
            [
                "-n", "-F", "\(folder.path)/script.pa", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
                "--realtime=no", "--high-priority=no", "--log-target=stderr",
            ],
            log: "\(folder.path)/log",
            environment: [
                "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "XDG_CONFIG_HOME": folder.path,
            ])
        let server = self.server
        _ = try eventually("PulseAudio listens") {
            if server.poll() != nil { throw SupportError("pulseaudio ended: \(server.output)") }
            return access("\(folder.path)/native", F_OK) == 0 ? true : nil
        }
    }

    /// What the server says of the streams that are played.
    func playedStreams() throws -> String {
        let listing = try ChildProcess(
            "pactl", ["list", "sink-inputs"], log: "\(folder.path)/streams-\(monotonicSeconds())",
            environment: environment)
        guard listing.wait(seconds: 10) == 0 else { throw SupportError("pactl: \(listing.output)") }
        return listing.output
    }

    /// The devices of the endpoint of that name.
    func sound(_ name: String) throws -> Sound {
        let recording = "\(folder.path)/\(name).raw"
        recorders.append(
            try ChildProcess(
                "parec",
                [
                    "--device=\(name)_loudspeaker.monitor", "--raw", "--rate=48000", "--channels=1", "--format=s16le",
                    "--latency-msec=50", recording,
                ],
                log: "\(folder.path)/\(name).log", environment: environment))
        _ = try eventually("the recording of \(name) begins") { access(recording, F_OK) == 0 ? true : nil }
        return Sound(
            settings: """
                capture = ["alsa:\(name)_microphone"]
                playback = ["alsa:\(name)_loudspeaker"]
                ring = []
                """,
            environment: environment, loudspeaker: RecordedLoudspeaker(path: recording, header: 0, lead: 0.7))
    }
}
