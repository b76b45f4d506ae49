import Realtime
import Testing

@Suite("Ring") struct RingTests {
    @Test("What is pushed comes out in order, and a full ring takes nothing more")
    func order() {
        var ring = Ring<Int>(capacity: 5)
        let writer = ring.takeWriter()
        let reader = ring.takeReader()
        #expect(writer.capacity == 8)
        var taken: [Int] = []
        for round in 0..<3 {
            for value in 0..<8 {
                let pushed = writer.push(round * 8 + value)
                #expect(pushed)
            }
            let overflow = writer.push(-1)
            #expect(!overflow)
            let waiting = (writer.count, reader.count)
            #expect(waiting == (8, 8))
            while let value = reader.pop() { taken.append(value) }
        }
        #expect(taken == Array(0..<24))
        let front = reader.front()
        #expect(front == nil)
    }

    @Test("Elements are filled and read in place")
    func inPlace() {
        var ring = Ring<InlineArray<1_400, UInt8>>(capacity: 2)
        let writer = ring.takeWriter()
        let reader = ring.takeReader()
        let pushed = writer.withNextSlot { slot in slot.pointee[1_399] = 7 }
        #expect(pushed)
        var seen: UInt8 = 0
        let taken = reader.withFront { element in seen = element.pointee[1_399] }
        #expect(taken)
        #expect(seen == 7)
        let again = reader.withFront { _ in }
        #expect(!again)
    }

    @Test("Bulk transfer takes what there is room for, across the wrap")
    func bulk() {
        var ring = Ring<Int16>(capacity: 8)
        let writer = ring.takeWriter()
        let reader = ring.takeReader()
        var sent: [Int16] = []
        var received: [Int16] = []
        var next: Int16 = 0
        for size in [5, 3, 7, 8, 1, 12] {
            let block = (0..<size).map { Int16($0) + next }
            let accepted = block.withUnsafeBufferPointer { writer.push(contentsOf: $0) }
            #expect(accepted == min(size, 8))
            sent += block.prefix(accepted)
            next += Int16(accepted)
            var room = [Int16](repeating: 0, count: 20)
            let count = room.withUnsafeMutableBufferPointer { reader.pop(into: $0) }
            received += room.prefix(count)
        }
        #expect(sent == received)
        _ = writer.push(1)
        let dropped = reader.removeAll()
        #expect(dropped == 1)
    }

    @Test("Two threads hand over many elements without loss, copy or reordering", .timeLimit(.minutes(1)))
    func threads() throws {
        struct Pair: BitwiseCopyable, Sendable {
            var first: Int
            var second: Int
        }
        var ring = Ring<Pair>(capacity: 64)
        let writer = ring.takeWriter()
        let count = 250_000
        let failures = LockedValue(StatisticCell())
        let reading = LockedValue(Slot(reader: ring.takeReader()))
        let reader = try RealtimeThread(name: "ring-reader", priority: 0) {
            var expected = 0
            while expected < count {
                guard let pair = reading.pointer.pointee.reader.pop() else { continue }
                if pair.first != expected || pair.second != -expected { failures.pointer.pointee.add(1) }
                expected += 1
            }
        }
        var next = 0
        while next < count { if writer.push(Pair(first: next, second: -next)) { next += 1 } }
        #expect(reader.join(timeoutMilliseconds: 30_000))
        #expect(failures.pointer.pointee.value == 0)

        struct Slot: ~Copyable, Sendable {
            let reader: RingReader<Pair>
        }
    }
}

/// What the audio loop does with rings and cells: that this compiles is the test.
@_noLocks @_noAllocation
private func turn(
    _ writer: borrowing RingWriter<InlineArray<1_400, UInt8>>, _ reader: borrowing RingReader<Int16>,
    _ gate: GateCell.LoopEnd, _ meter: UnsafePointer<LevelMeter>, _ statistics: UnsafePointer<TurnStatistics>,
    _ period: UnsafeMutableBufferPointer<Int16>
) -> Bool {
    let word = gate.load()
    let frames = reader.pop(into: period)
    if word.isHeld || frames < period.count { meter.pointee.addSilence(period.count) }
    meter.pointee.add(UnsafeBufferPointer(period))
    statistics.pointee.add(nanoseconds: 1)
    let pushed = writer.withNextSlot { slot in slot.pointee[0] = UInt8(truncatingIfNeeded: frames) }
    if let slot = writer.nextSlot() {
        slot.pointee[1] = word.isMuted ? 1 : 0
        writer.commit()
    }
    if reader.pop() == nil { gate.settle(word) }
    return pushed && reader.removeAll() == 0 && gate.load() == word
}
