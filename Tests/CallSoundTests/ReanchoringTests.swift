import Glibc
import MediaDescription
import Playout
import RTP
import Testing

@testable import AudioLoop
@testable import Media

/// What a stream may do in the middle of a call that nothing before it could tell of.
enum StreamChange: CustomTestStringConvertible {
    /// Another source takes over, with numbers and timestamps of its own.
    case source
    /// The timestamps go on elsewhere, so many milliseconds ahead or back.
    case timestamps(Int)
    /// Offer and answer agree on another codec.
    case codec(from: Codec, to: Codec)
    /// The peer goes over to another codec that was agreed on, without a word.
    case payloadType(from: Codec, to: Codec)
    /// The sender's packets are longer or shorter from here on.
    case packets(from: Int, to: Int)

    var testDescription: String {
        switch self {
        case .source: "another source"
        case .timestamps(let milliseconds): "timestamps \(milliseconds) ms away"
        case .codec(let old, let new): "\(old.rawValue), then \(new.rawValue)"
        case .payloadType(let old, let new): "\(old.rawValue), then \(new.rawValue) without a word"
        case .packets(let old, let new): "packets of \(old) ms, then of \(new) ms"
        }
    }
}

@Suite("A stream that changes in the middle of a call") struct ReanchoringTests {
    /// A tone until the change, and another one from then on.
    private static let (before, after) = (440.0, 1_000.0)
    /// When it changes, in seconds.
    private static let instant = 6.0

    private static let spoken: [Int16] = (0..<12 * 48_000).map { index in
        let hertz = index < Int(instant * 48_000) ? before : after
        return Int16(sin(2 * .pi * hertz * Double(index) / 48_000) * 9_000)
    }

    /// The peak of the second tone in 10 ms.
    private func level(_ sound: ArraySlice<Int16>) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in sound.enumerated() {
            let angle = 2 * .pi * Self.after * Double(index) / 48_000
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(max(sound.count, 1))
    }

    /// Another source, or another course of time, from the first packet on that is sent after the change.
    private func rewrite(_ bytes: [UInt8], _ change: StreamChange) -> [UInt8] {
        guard var header = try? RTPPacket(parsing: bytes.span).header else { return bytes }
        switch change {
        case .source:
            header.source = 0xCCCC
            header.sequenceNumber.rawValue &+= 31_000
            header.timestamp &+= 0x5A5A_5A5A
        case .timestamps(let milliseconds):
            header.timestamp &+= UInt32(truncatingIfNeeded: milliseconds * 48)
        case .codec, .payloadType, .packets: return bytes
        }
        var moved: [UInt8] = []
        header.append(to: &moved)
        return moved + bytes.dropFirst(12)
    }

    @Test(
        "is heard within 200 ms, and unbroken from then on",
        arguments: [
            .source, .timestamps(40), .timestamps(100), .timestamps(150), .timestamps(200), .timestamps(215),
            .timestamps(230), .timestamps(250), .timestamps(260), .timestamps(600), .timestamps(10_000),
            .timestamps(12 * 3_600_000), .timestamps(-15), .timestamps(-20), .timestamps(-30), .timestamps(-100),
            .timestamps(-600), .timestamps(-10_000),
            .codec(from: .opus, to: .pcma), .codec(from: .pcmu, to: .opus), .codec(from: .pcma, to: .g722),
            .payloadType(from: .opus, to: .pcmu), .payloadType(from: .pcma, to: .g722),
            .payloadType(from: .g722, to: .opus),
            .packets(from: 20, to: 10), .packets(from: 20, to: 60), .packets(from: 60, to: 10),
            .packets(from: 10, to: 40),
        ] as [StreamChange], [0.0, 30])
    func change(_ change: StreamChange, jitter: Double) throws {
        var (old, new) = (VirtualEnd.Wishes(), VirtualEnd.Wishes())
        switch change {
        case .source, .timestamps: break
        case .codec(let first, let second):
            (old.codec, new.codec) = (first, second)
            (old.redundancy, new.redundancy) = (.off, .off)
        case .payloadType(let first, let second):
            (old.codec, old.other, new.codec) = (first, second, second)
            (old.redundancy, new.redundancy) = (.off, .off)
        case .packets(let first, let second): (old.packetMilliseconds, new.packetMilliseconds) = (first, second)
        }
        var (toRight, toLeft) = (Network(jitter: jitter, seed: 4), Network())
        let call = try VirtualCall(
            Self.spoken, [], left: old, right: old, toRight: { toRight.pass(at: $0) }, toLeft: { toLeft.pass(at: $0) })
        call.run(seconds: Self.instant)
        let before = call.right.call.statistics.playout
        switch change {
        case .source, .timestamps: call.rewrite = { self.rewrite($0, change) }
        case .payloadType: break
        case .codec, .packets:
            try call.right.change(new, with: call.left.address, at: call.now)
            try call.left.change(new, with: call.right.address, at: call.now)
        }
        if case .payloadType = change { try call.left.change(new, with: call.right.address, at: call.now) }
        call.run(seconds: 1)
        let settled = call.right.call.statistics.playout
        call.run(seconds: 3)
        let playout = call.right.call.statistics.playout

        let heard = call.right.heard
        let start = Int(Self.instant * 48_000)
        let first = try #require(
            stride(from: start, to: heard.count - 480, by: 48).first { level(heard[$0..<$0 + 480]) > 4_500 })
        // From mouth to ear takes as long as the network's jitter wants, and a packet.
        let usual = max(old.packetMilliseconds, new.packetMilliseconds) + 20 + Int(jitter)
        // Where only the timestamps jump and no packet is missing, there is next to nothing to wait for.
        let most = if case .timestamps = change { 60 + Int(jitter) } else { 200 }
        #expect(first - start <= (most + usual) * 48, "after \((first - start) / 48) ms")
        let rest = stride(from: start + 48_000, to: heard.count - 480, by: 480)
        #expect(rest.allSatisfy { level(heard[$0..<$0 + 480]) > 4_500 })
        #expect(playout.concealed == settled.concealed && playout.lost == settled.lost && playout.late == settled.late)
        if case .timestamps(let milliseconds) = change {
            // Nothing is missing and nothing too much, whatever the timestamps say.
            #expect(Self.unheard(settled) == Self.unheard(before) && settled.recovered == before.recovered)
            if abs(milliseconds) >= 100 { #expect(settled.anchorings == before.anchorings + 1) }
            if abs(milliseconds) >= 100 && jitter == 0 { #expect(settled.concealed == before.concealed) }
            #expect(call.right.stream.currentFigures.epochs == 1)
        }
        // What was under way under the old codec's name is no sound of the new one.
        if case .codec = change { return }
        #expect(call.right.stream.currentFigures.invalid == 0)
    }

    /// Packets that came, or should have come, and were not played.
    private static func unheard(_ playout: PlayoutCounters) -> [Int] {
        [playout.late, playout.lost, playout.duplicates, playout.strays, playout.flushed]
    }

    @Test("A single wild timestamp is neither heard nor measured", arguments: [10_000, -10_000, 12 * 3_600_000, 1_500])
    func wildTimestamp(milliseconds: Int) throws {
        let call = try VirtualCall(Self.spoken, [], toRight: { [$0 + 1_000_000] }, toLeft: { [$0 + 1_000_000] })
        call.run(seconds: 3)
        let before = call.right.call.statistics.playout
        var isWild = true
        call.rewrite = { bytes in
            defer { isWild = false }
            return isWild ? self.rewrite(bytes, .timestamps(milliseconds)) : bytes
        }
        call.run(seconds: 1)
        #expect(!isWild)
        let after = call.right.call.statistics.playout
        #expect(Self.unheard(after) == Self.unheard(before))
        #expect(after.concealed == before.concealed && after.silent == before.silent && after.paused == before.paused)
        // There and back.
        #expect(after.anchorings == before.anchorings + 2)
        #expect(call.right.stream.currentFigures.jitter < 0.002)
    }
}
