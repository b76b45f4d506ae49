internal import Realtime

/// The ends of a new ring, which this module may take apart without a closure.
struct LoopRing<Element: BitwiseCopyable & Sendable>: ~Copyable {
    let writer: RingWriter<Element>
    let reader: RingReader<Element>

    init(capacity: Int) {
        var reader: RingReader<Element>?
        var writer: RingWriter<Element>?
        makeRing(of: Element.self, capacity: capacity).split { newWriter, newReader in
            writer = consume newWriter
            reader = consume newReader
        }
        guard let reader = reader.take(), let writer = writer.take() else { preconditionFailure("a ring has two ends") }
        self.writer = writer
        self.reader = reader
    }
}
