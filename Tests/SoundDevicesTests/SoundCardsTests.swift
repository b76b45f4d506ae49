import Glibc
import TestFiles
import Testing

@testable import SoundDevices

@Suite("What /proc tells") struct SoundCardsTests {
    private let folder = TemporaryFolder()

    /// Two cards; the first one's playback is held by a thread of baresip.
    private var cards: SoundCards {
        let cards = """
             0 [PCH            ]: HDA-Intel - HDA Intel PCH
                                  HDA Intel PCH at 0xdf340000 irq 130
             1 [Device         ]: USB-Audio - USB Audio Device
                                  C-Media USB Audio Device at usb-1, full speed
            """
        folder.write("asound/cards", Array(cards.utf8))
        folder.write("asound/card0/pcm0p/sub0/status", Array("state: RUNNING\nowner_pid   : 4243\n".utf8))
        folder.write("asound/card0/pcm0c/sub0/status", Array("closed\n".utf8))
        folder.write("asound/card1/pcm0p/sub0/status", Array("state: RUNNING\nowner_pid   : 77\n".utf8))
        folder.write("proc/4243/status", Array("Name:\tworker\nTgid:\t4242\n".utf8))
        folder.write("proc/4242/comm", Array("baresip\n".utf8))
        return SoundCards(root: "\(folder.path)/asound", processes: "\(folder.path)/proc")
    }

    private func diagnosis(_ code: Int32, _ name: String, _ direction: SoundDirection = .playback) -> String {
        SoundDeviceError.diagnose(code: code, name: name, direction: direction, libraryMessage: nil, cards: cards)
    }

    @Test("Cards are known by identifier and title")
    func list() {
        let list = cards.list()
        #expect(list.map(\.index) == [0, 1])
        #expect(list.map(\.description) == ["PCH (HDA Intel PCH)", "Device (USB Audio Device)"])
    }

    @Test(
        "The card is found in a PCM's name",
        arguments: [
            ("hw:CARD=PCH,DEV=0", "PCH"), ("plughw:0,0", "0"), ("hw:1", "1"), ("plug:hw:CARD=Device", "Device"),
            ("default", nil), ("rig:FILE=x", nil),
        ])
    func card(name: String, card: String?) { #expect(SoundCards.card(in: name) == card) }

    @Test("The card that a name has led to is told where the name does not tell it")
    func remark() {
        #expect(cards.remark(card: 0, name: "default") == " (card PCH)")
        #expect(cards.remark(card: 1, name: "plughw:1,0") == " (card Device)")
        #expect(cards.remark(card: 0, name: "hw:CARD=PCH,DEV=0") == "")
        for none in [-1, 7] { #expect(cards.remark(card: none, name: "default") == "") }
    }

    @Test("A busy card's holder is named: the process, not its thread")
    func busy() {
        #expect(diagnosis(EBUSY, "hw:CARD=PCH").contains("held by baresip (pid 4242);"))
        #expect(diagnosis(EBUSY, "hw:1,0").contains("held by process 77;"))
        #expect(diagnosis(EBUSY, "default").contains("held by baresip (pid 4242), process 77;"))
        #expect(diagnosis(EBUSY, "hw:CARD=PCH", .capture).contains("another program holds it"))
    }

    @Test(
        "Where default leads nowhere, each card's own default stands in for it, and for nothing else")
    func substitutes() {
        let all = ["sysdefault:CARD=PCH", "sysdefault:CARD=Device"]
        for code in [ENOENT, ENODEV, EHOSTDOWN, ECONNREFUSED] {
            #expect(DefaultDevice.substitutes(for: "default", code: code, cards: cards.list()) == all)
        }
        for code in [EBUSY, EACCES, EINVAL] {
            #expect(DefaultDevice.substitutes(for: "default", code: code, cards: cards.list()).isEmpty)
        }
        #expect(
            DefaultDevice.substitutes(for: "hw:CARD=Gone", code: ENODEV, cards: cards.list()).isEmpty)
    }

    @Test("What is missing is named, and what to do about it")
    func others() {
        #expect(diagnosis(EACCES, "hw:0").contains("group `audio`"))
        #expect(diagnosis(ENOENT, "hw:7").contains("cards: PCH (HDA Intel PCH), Device (USB Audio Device)"))
        #expect(diagnosis(EHOSTDOWN, "default").contains("sound server"))
        #expect(diagnosis(ECONNREFUSED, "default").contains("alsa:sysdefault:CARD=NAME"))
        let shared = SoundDeviceError.diagnose(
            code: EACCES, name: "dmix", direction: .playback,
            libraryMessage: "unable to create IPC semaphore", cards: cards)
        #expect(shared.contains("ipc_key") && !shared.contains("group `audio`"))
        let none = SoundCards(root: "/nowhere", processes: "/nowhere")
        let text = SoundDeviceError.diagnose(
            code: ENOENT, name: "default", direction: .capture, libraryMessage: "Unknown PCM", cards: none)
        #expect(text.hasSuffix("(Unknown PCM): no such device; no sound card is there"))
    }
}
