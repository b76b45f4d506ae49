// swift-tools-version: 6.2
import PackageDescription

let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
let strict = features.map { SwiftSetting.enableUpcomingFeature($0) } + [.treatAllWarnings(as: .error)]
// The value layer: a pointer is a compile error.
let pure = strict + [.strictMemorySafety()]
// Lifetime dependencies of spans that outlive one expression.
let spans = [SwiftSetting.enableExperimentalFeature("Lifetimes")]

// What libFuzzer links: see tools/fuzz. Each is a library of its own, since each defines the same entry point.
let fuzzers: [(name: String, dependencies: [Target.Dependency])] = [
    ("FuzzSIP", ["SIP"]), ("FuzzSDP", ["SDP", "MediaDescription"]), ("FuzzRTP", ["RTP"]),
    ("FuzzControl", ["ControlProtocol", "CallModel"]), ("FuzzSettings", ["Settings"]), ("FuzzContacts", ["Screening"]),
    ("FuzzPanel", ["Panel", "CallModel", "ControlProtocol", "CLinux"]), ("FuzzResolver", ["CResolver", "CLinux"]),
    ("FuzzCodecs", ["Codecs", "MediaDescription"]), ("FuzzDialog", ["SIP"]),
    ("FuzzRecords", ["Records", "Screening", "CallModel", "ControlProtocol"]),
    ("FuzzCommand", ["HandsetCommand", "HandsetKit", "ControlProtocol", "CallModel"]),
    ("FuzzPlayout", ["Playout"]), ("FuzzSound", ["SoundDevices"]),
]

let package = Package(
    name: "handset",
    products: [
        .executable(name: "handsetd", targets: ["handsetd"]),
        .executable(name: "handset", targets: ["handset"]),
        .library(name: "HandsetKit", targets: ["HandsetKit"]),
    ] + fuzzers.map { .library(name: $0.name, type: .static, targets: [$0.name]) },
    targets: [
        // C libraries of the system, each imported by one Swift target.
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"])]),
        .systemLibrary(name: "COpusFile", pkgConfig: "opusfile", providers: [.apt(["libopusfile-dev"])]),
        .systemLibrary(name: "CSRTP", pkgConfig: "libsrtp2", providers: [.apt(["libsrtp2-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSpeexDSP", pkgConfig: "speexdsp", providers: [.apt(["libspeexdsp-dev"])]),
        .systemLibrary(name: "CSpanDSP", pkgConfig: "spandsp", providers: [.apt(["libspandsp-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // A few lines of our own over what Swift cannot import.
        .target(name: "CLinux"),
        .target(name: "CResolver", linkerSettings: [.linkedLibrary("resolv")]),
        .target(name: "CTOML", cxxSettings: [.define("TOML_HEADER_ONLY", to: "1")]),

        // Values: parsers and state machines.
        .target(name: "MediaDescription", swiftSettings: pure),
        .target(name: "CallModel", swiftSettings: pure),
        .target(name: "SIP", swiftSettings: pure),
        .target(name: "SDP", dependencies: ["MediaDescription"], swiftSettings: pure),
        .target(name: "RTP", swiftSettings: pure),
        .target(name: "Quality", dependencies: ["MediaDescription"], swiftSettings: pure),
        .target(name: "Screening", swiftSettings: pure),
        .target(name: "Probing", swiftSettings: pure),
        .target(
            name: "ControlProtocol", dependencies: ["CallModel", "Screening", "MediaDescription"], swiftSettings: pure),
        .target(name: "Panel", dependencies: ["CallModel"], swiftSettings: pure),

        // What the audio thread runs.
        .target(name: "Realtime", dependencies: ["CLinux"], swiftSettings: strict),
        .target(name: "Resampling", dependencies: ["Realtime", "CSpeexDSP"], swiftSettings: strict),
        .target(name: "HandsFree", dependencies: ["Realtime"], swiftSettings: strict),
        .target(
            name: "SoundDevices", dependencies: ["Realtime", "Resampling", "CALSA", "COpusFile", "CLinux"],
            swiftSettings: strict),
        .target(
            name: "Codecs", dependencies: ["MediaDescription", "Realtime", "Resampling", "COpus", "CSpanDSP"],
            swiftSettings: strict),
        .target(name: "Playout", dependencies: ["RTP", "Realtime"], swiftSettings: strict),
        .target(
            name: "AudioLoop",
            dependencies: [
                "MediaDescription", "Realtime", "Resampling", "HandsFree", "SoundDevices", "Codecs", "Playout", "RTP",
            ],
            swiftSettings: strict),

        // What a call's sound is written to.
        .target(
            name: "CallRecording", dependencies: ["AudioLoop", "Codecs", "SoundDevices", "Realtime", "CLinux"],
            swiftSettings: strict),

        // Adapters: sockets, files and one C library each, behind our own types and errors.
        .target(name: "Threads", swiftSettings: strict),
        .target(name: "EventLoop", dependencies: ["Threads", "CLinux"], swiftSettings: strict),
        .target(
            name: "CallSystem", dependencies: ["CallModel", "MediaDescription", "EventLoop"], swiftSettings: strict),
        .target(
            name: "SIPSignalling",
            dependencies: [
                "CallModel", "CallSystem", "SIP", "SDP", "MediaDescription", "EventLoop", "Threads", "COpenSSL",
                "CResolver", "CLinux",
            ], swiftSettings: strict),
        .target(
            name: "Media",
            dependencies: [
                "CallModel", "CallSystem", "MediaDescription", "AudioLoop", "CallRecording", "Codecs", "Playout",
                "SoundDevices", "Realtime", "RTP", "Quality", "EventLoop", "CSRTP", "CLinux",
            ], swiftSettings: strict),
        .target(
            name: "Settings",
            dependencies: [
                "MediaDescription", "CallModel", "ControlProtocol", "Screening", "Panel", "CTOML", "CLinux",
            ],
            swiftSettings: strict),
        .target(
            name: "Controls", dependencies: ["CallModel", "ControlProtocol", "Panel", "EventLoop", "CLinux"],
            swiftSettings: strict),
        .target(
            name: "Records", dependencies: ["CallModel", "Screening", "EventLoop", "CSQLite"], swiftSettings: strict),
        .target(name: "Supervision", dependencies: ["CSystemd", "EventLoop", "CLinux"], swiftSettings: strict),

        // Composition and programs.
        .target(
            name: "HandsetDaemon",
            dependencies: [
                "CallModel", "CallSystem", "MediaDescription", "ControlProtocol", "EventLoop", "SIPSignalling", "Media",
                "SoundDevices", "CallRecording", "Probing", "Settings", "Supervision", "Screening", "Records", "Panel",
                "Controls", "CLinux",
            ], swiftSettings: strict),
        .target(
            name: "HandsetKit",
            dependencies: [
                "ControlProtocol", "CallModel", "MediaDescription", "Screening", "Settings", "Threads", "CLinux",
            ],
            swiftSettings: strict),
        .target(
            name: "HandsetCommand",
            dependencies: [
                "HandsetKit", "ControlProtocol", "CallModel", "MediaDescription", "Screening", "Threads", "CLinux",
            ],
            swiftSettings: strict),
        .executableTarget(name: "handsetd", dependencies: ["HandsetDaemon"], swiftSettings: strict),
        .executableTarget(name: "handset", dependencies: ["HandsetCommand"], swiftSettings: strict),

        // The echo canceller over files, for bench.
        .executableTarget(
            name: "cancel", dependencies: ["HandsFree"], path: "bench/cancel", exclude: ["speex.c", "webrtc.cc"],
            swiftSettings: strict),
        // What the README shows.
        .executableTarget(
            name: "door", dependencies: ["HandsetKit"], path: "doc/examples/door", swiftSettings: strict),

        // Tests.
        .target(name: "AllocationCounter", path: "Tests/AllocationCounter"),
        // Signalling and media that do what a test says, on a virtual clock.
        .target(
            name: "CallFakes", dependencies: ["CallSystem", "CallModel", "MediaDescription", "EventLoop"],
            path: "Tests/CallFakes", swiftSettings: strict),
        .testTarget(name: "CallModelTests", dependencies: ["CallModel", "CallFakes"], swiftSettings: strict),
        .testTarget(name: "ScreeningTests", dependencies: ["Screening"], swiftSettings: strict),
        .testTarget(name: "ProbingTests", dependencies: ["Probing"], swiftSettings: strict),
        .testTarget(
            name: "CallRecordingTests",
            dependencies: [
                "CallRecording", "AudioLoop", "Codecs", "SoundDevices", "MediaDescription", "Realtime", "TestFiles",
            ], swiftSettings: strict),
        .testTarget(
            name: "RecordsTests", dependencies: ["Records", "Screening", "CallModel", "EventLoop"],
            swiftSettings: strict),
        .testTarget(name: "SIPTests", dependencies: ["SIP"], swiftSettings: strict),
        .testTarget(name: "SDPTests", dependencies: ["SDP", "MediaDescription"], swiftSettings: strict),
        .testTarget(name: "RTPTests", dependencies: ["RTP"], swiftSettings: strict),
        .testTarget(name: "QualityTests", dependencies: ["Quality", "MediaDescription"], swiftSettings: strict),
        .testTarget(
            name: "ControlProtocolTests",
            dependencies: ["ControlProtocol", "CallModel", "MediaDescription", "Screening"],
            swiftSettings: strict),
        .testTarget(name: "RealtimeTests", dependencies: ["Realtime"], swiftSettings: strict),
        .target(name: "TestFiles", path: "Tests/TestFiles", swiftSettings: strict),
        .target(name: "SoundMeters", path: "Tests/SoundMeters", swiftSettings: strict),
        .target(
            name: "OggOpusWriter", dependencies: ["Codecs", "MediaDescription"], path: "Tests/OggOpusWriter",
            swiftSettings: strict),
        .testTarget(
            name: "ResamplingTests", dependencies: ["Resampling", "AllocationCounter"], swiftSettings: strict),
        .testTarget(name: "HandsFreeTests", dependencies: ["HandsFree", "AllocationCounter"], swiftSettings: strict),
        .testTarget(
            name: "SoundDevicesTests",
            dependencies: ["SoundDevices", "Realtime", "AllocationCounter", "OggOpusWriter", "TestFiles"],
            swiftSettings: strict),
        .testTarget(
            name: "CodecsTests", dependencies: ["Codecs", "MediaDescription", "Realtime"], swiftSettings: strict),
        .testTarget(name: "PlayoutTests", dependencies: ["Playout", "RTP", "Realtime"], swiftSettings: strict),
        .testTarget(
            name: "AudioLoopTests",
            dependencies: [
                "AudioLoop", "MediaDescription", "Codecs", "Playout", "RTP", "SoundDevices", "Realtime",
                "AllocationCounter", "SoundMeters",
            ], swiftSettings: strict),
        .testTarget(name: "PanelTests", dependencies: ["Panel", "CallModel"], swiftSettings: strict),
        .testTarget(
            name: "ControlsTests", dependencies: ["Controls", "Panel", "CallModel", "EventLoop", "CLinux"],
            swiftSettings: strict),
        .testTarget(name: "EventLoopTests", dependencies: ["EventLoop"], swiftSettings: strict),
        .testTarget(
            name: "CallSystemTests",
            dependencies: ["CallFakes", "CallSystem", "CallModel", "MediaDescription", "EventLoop"],
            swiftSettings: strict),
        .testTarget(
            name: "SIPSignallingTests",
            dependencies: ["SIPSignalling", "SIP", "SDP", "CallModel", "CallSystem", "MediaDescription", "EventLoop"],
            swiftSettings: strict),
        .testTarget(
            name: "MediaTests",
            dependencies: [
                "Media", "AudioLoop", "RTP", "Quality", "CallModel", "CallSystem", "MediaDescription", "EventLoop",
                "SoundDevices",
            ], swiftSettings: strict),
        // The streams and loops of two ends on one virtual clock.
        .testTarget(
            name: "CallSoundTests",
            dependencies: [
                "Media", "AudioLoop", "Codecs", "Playout", "Quality", "RTP", "MediaDescription", "Realtime",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SettingsTests", dependencies: ["Settings", "Screening", "CallModel", "MediaDescription", "Panel"],
            swiftSettings: strict),
        .testTarget(name: "SupervisionTests", dependencies: ["Supervision", "EventLoop"], swiftSettings: strict),
        .target(
            name: "ScriptedDaemon", dependencies: ["ControlProtocol", "CallModel"], path: "Tests/ScriptedDaemon",
            swiftSettings: strict),
        .target(name: "TerminalScreen", path: "Tests/TerminalScreen", swiftSettings: strict),
        .testTarget(
            name: "HandsetKitTests", dependencies: ["HandsetKit", "ControlProtocol", "CallModel", "ScriptedDaemon"],
            swiftSettings: strict),
        .testTarget(
            name: "HandsetCommandTests",
            dependencies: [
                "HandsetCommand", "HandsetKit", "ControlProtocol", "CallModel", "MediaDescription", "Screening",
                "ScriptedDaemon", "TerminalScreen",
            ],
            swiftSettings: strict),
        // Whole programs over loopback; needs both executables beside the test bundle.
        .testTarget(
            name: "WholeTests",
            dependencies: [
                "ControlProtocol", "HandsetKit", "TerminalScreen", "OggOpusWriter", "SoundDevices", "SoundMeters",
                "TestFiles", "handsetd", "handset", "door",
            ],
            exclude: ["Scenarios"], swiftSettings: strict),
        .testTarget(
            name: "HandsetDaemonTests",
            dependencies: [
                "HandsetDaemon", "CallFakes", "CallModel", "CallSystem", "ControlProtocol", "MediaDescription",
                "EventLoop", "Screening", "Records", "Settings",
            ],
            swiftSettings: strict),
    ]
        + fuzzers.map {
            .target(
                name: $0.name, dependencies: $0.dependencies, path: "Tests/Fuzz/\($0.name)", swiftSettings: strict)
        },
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17)
