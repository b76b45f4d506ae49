import CallModel
import Screening
import Testing

@testable import Records

@Suite("Lists that last") struct ListTests {
    @Test("Contacts, blocked callers and do-not-disturb are there after a restart")
    func restart() async throws {
        let shelf = try Shelf()
        let jane = Contact(
            name: "Jane \u{1F600}", handles: ["+49 30 1", "sip:jane@example.com"], ringTone: "/tones/a.wav",
            autoAnswer: true, throughDoNotDisturb: true)
        do {
            let store = try shelf.open()
            #expect(store.contents.contacts.isEmpty && store.contents.blocked.isEmpty)
            #expect(await store.saved { store.put(Contact(name: jane.name, handles: ["old"]), then: $0) })
            #expect(await store.saved { store.put(jane, then: $0) })
            #expect(await store.saved { store.put(Contact(name: "Bob", handles: ["1"]), then: $0) })
            #expect(await store.saved { store.removeContact("Bob", then: $0) })
            for entry in ["@b.example", "a", "c"] { #expect(await store.saved { store.block(entry, then: $0) }) }
            #expect(await store.saved { store.unblock("c", then: $0) })
            #expect(await store.saved { store.put(DoNotDisturb(isOn: true), then: $0) })
            #expect(await store.saved { store.put(isRingerSilent: true, then: $0) })
            store.close()
        }
        do {
            let contents = try shelf.open().contents
            #expect(contents.contacts == [jane])
            #expect(contents.blocked == ["@b.example", "a"])
            #expect(contents.doNotDisturb == DoNotDisturb(isOn: true))
            #expect(contents.isRingerSilent)
        }
        let store = try shelf.open()
        #expect(await store.saved { store.put(DoNotDisturb(isOn: false, offSince: 12_345), then: $0) })
        #expect(await store.saved { store.put(isRingerSilent: false, then: $0) })
        store.close()
        #expect(try shelf.open().contents.doNotDisturb == DoNotDisturb(isOn: false, offSince: 12_345))
        #expect(try !shelf.open().contents.isRingerSilent)
        #expect(shelf.messages.isEmpty)
    }
}
