@testable import Playout
import Testing

@Suite("Slots in use") struct SlotSetTests {
    @Test("are found in their order, and free ones until there is none")
    func order() {
        var slots = SlotSet()
        #expect(slots.isEmpty && slots.count == 0 && slots.firstFree(isShort: false) == 0)
        for slot in 0..<SlotSet.capacity {
            #expect(slots.count == slot && slots.firstFree(isShort: true) == slot)
            slots.insert(slot)
        }
        #expect(slots.firstFree(isShort: true) == nil && slots.count == 256)
        let gone = [0, 17, 63, 64, 150, 255]
        for slot in gone + gone { slots.remove(slot) }
        #expect(slots.firstFree(isShort: true) == 0 && slots.count == 250)
        slots.insert(200)
        #expect(slots.count == 250)
        var seen: [Int] = []
        while let slot = slots.popFirst() { seen.append(slot) }
        #expect(seen == (0..<256).filter { !gone.contains($0) })
        #expect(slots.isEmpty && slots.count == 0 && slots.popFirst() == nil)
    }

    @Test("A long packet finds room among the first ones only")
    func long() {
        var slots = SlotSet()
        for slot in 0..<SlotSet.long { slots.insert(slot) }
        #expect(slots.firstFree(isShort: false) == nil && slots.firstFree(isShort: true) == 64)
        slots.insert(64)
        slots.remove(5)
        #expect(slots.firstFree(isShort: false) == 5 && slots.firstFree(isShort: true) == 5)
    }
}
