import SoundDevices
import Testing

@Suite("Device names") struct DeviceNameTests {
    @Test(
        "A name is read and written back",
        arguments: [
            ("alsa:default", DeviceName.alsa("default")), ("alsa:hw:CARD=PCH,DEV=0", .alsa("hw:CARD=PCH,DEV=0")),
            ("file:in.wav,/tmp/out.wav", .file(input: "in.wav", output: "/tmp/out.wav")),
            ("file:,out.wav", .file(input: nil, output: "out.wav")),
            ("file:in.wav,", .file(input: "in.wav", output: nil)),
            ("file:,", .file(input: nil, output: nil)),
        ])
    func roundTrip(text: String, name: DeviceName) throws {
        #expect(try DeviceName(parsing: text) == name)
        #expect(name.description == text)
    }

    @Test(
        "What is no name says why and what is allowed",
        arguments: [
            ("", DeviceNameError.Reason.noKind), ("default", .noKind), ("pulse:x", .noKind), ("alsa:", .emptyName),
            ("file:in.wav", .notTwoFiles), ("file:a,b,c", .notTwoFiles), ("file:a.wav,a.wav", .sameFile),
            ("alsa:a\u{7F}b", .unprintable), ("alsa:a\nb", .unprintable),
            ("alsa:" + String(repeating: "x", count: 5_000), .unprintable),
        ])
    func faults(text: String, reason: DeviceNameError.Reason) {
        let error = #expect(throws: DeviceNameError.self) { try DeviceName(parsing: text) }
        #expect(error?.reason == reason)
        #expect(error?.description.contains("allowed: alsa:NAME") == true)
    }
}
