internal import MediaDescription
internal import Realtime

/// The tones of a country as the loop reads them. Made before the loop begins.
struct ToneTable: ~Copyable {
    /// A part of a tone. Its frequencies are steps of the phase, 2³² parts of a turn of the circle, a sample.
    struct Segment: BitwiseCopyable {
        var step: UInt32
        var addedStep: UInt32
        var modulationStep: UInt32
        /// In samples at 48 kHz; 0 marks the end of the tone.
        var length: Int32

        var isSilent: Bool {
            @_noLocks @_noAllocation get { step == 0 }
        }
    }

    private let memory: LockedBuffer
    private let segments: UnsafeMutablePointer<Segment>

    init(_ tones: CallProgressTones) {
        let all = [tones.ringBack, tones.busy, tones.congestion, tones.callWaiting, Self.attention]
        let count = all.count * Self.capacity
        memory = LockedBuffer(byteCount: count * MemoryLayout<Segment>.stride)
        segments = memory.base.bindMemory(to: Segment.self, capacity: count)
        for (index, tone) in all.enumerated() {
            for (place, segment) in tone.prefix(Self.capacity).enumerated() {
                segments[index * Self.capacity + place] = Segment(
                    step: Self.step(segment.hertz), addedStep: Self.step(segment.addedHertz),
                    modulationStep: Self.step(segment.modulationHertz),
                    length: Int32(clamping: segment.milliseconds * 48))
            }
        }
    }

    /// Of no country: no network says it.
    private static let attention = [
        ToneSegment(hertz: 1_000, milliseconds: 200), ToneSegment(hertz: 0, milliseconds: 100),
        ToneSegment(hertz: 1_000, milliseconds: 200), ToneSegment(hertz: 0, milliseconds: 3_500),
    ]

    private static func step(_ hertz: Int) -> UInt32 { UInt32(clamping: (hertz << 32) / 48_000) }

    /// The segments of the tone with this number, that of a `Tone` but `ring`; nil for any other.
    @_noLocks @_noAllocation
    func start(ofNumber number: UInt32) -> UnsafePointer<Segment>? {
        guard number >= 2, number <= 6 else { return nil }
        return UnsafePointer(segments + (Int(number) - 2) * Self.capacity)
    }

    /// `CallProgressTones.mostSegments`, for the loop.
    static var capacity: Int {
        @_noLocks @_noAllocation get { 8 }
    }
}
