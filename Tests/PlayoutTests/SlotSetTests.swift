@testable import Playout
import Testing

@Suite("Slots in use") struct SlotSetTests {
    @Test("are found in their order, and free ones until there is none")
    func order() {
        var slots = SlotSet()
        #expect(slots.isEmpty && slots.firstFree == 0)
        for slot in 0..<SlotSet.capacity {
            #expect(slots.firstFree == slot)
            slots.insert(slot)
        }
        #expect(slots.firstFree == nil)
        for slot in [0, 17, 63] { slots.remove(slot) }
        #expect(slots.firstFree == 0)
        var seen: [Int] = []
        while let slot = slots.popFirst() { seen.append(slot) }
        #expect(seen == (0..<64).filter { ![0, 17, 63].contains($0) })
        #expect(slots.isEmpty && slots.popFirst() == nil)
    }
}
