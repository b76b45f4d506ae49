import AudioLoop
import Glibc
import MediaDescription
import Playout

/// A call through two traces, from files and to files, for whoever wants to score what is heard: see `bench/README.md`.
///
/// A folder holds `a.raw` and `b.raw`, what the ends say (16 bits, 48 kHz, mono), `ab.txt` and `ba.txt`, the traces, and
/// `call.txt`, lines of a name and a value. What the ends hear goes into `a.out` and `b.out`, and what was counted into
/// `counts.txt`.
struct TraceRun {
    let folder: String

    func run() throws {
        var settings: [String: Double] = [:]
        for line in text("call.txt").split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields.count == 2, let value = Double(fields[1]) { settings[String(fields[0])] = value }
        }
        var left = wishes(settings)
        var right = left
        left.phase = UInt64(settings["phaseA", default: 0] * 1e6)
        right.phase = UInt64(settings["phaseB", default: 3.3] * 1e6)
        left.partsPerMillion = settings["ppmA", default: 0]
        var (ab, ba) = (Trace(parsing: text("ab.txt")), Trace(parsing: text("ba.txt")))
        var dice = Chance(UInt64(settings["seed", default: 1]))
        let lostReports = settings["lostReports", default: 0]
        let (a, b) = (sound("a.raw"), sound("b.raw"))
        let call = try VirtualCall(
            a, b, left: left, right: right, toRight: { ab.pass(at: $0) }, toLeft: { ba.pass(at: $0) })
        call.losesReport = { dice.share() < lostReports }
        call.run(seconds: Double(max(a.count, b.count)) / 48_000 + 2)
        write(call.left.heard, "a.out")
        write(call.right.heard, "b.out")
        let counts = [("a", call.left, call.trafficToLeft), ("b", call.right, call.trafficToRight)].map {
            name, end, traffic in
            let playout = end.call.statistics.playout
            return "\(name) packets \(traffic.packets) lost \(traffic.lost) octets \(traffic.octets) "
                + "concealed \(playout.concealed) late \(playout.late) leftOut \(playout.leftOut) "
                + "putIn \(playout.putIn) merges \(playout.merges) anchorings \(playout.anchorings) "
                + "recovered \(playout.recovered) missing \(playout.lost)\n"
        }
        write(Array(counts.joined().utf8), "counts.txt")
    }

    private func wishes(_ settings: [String: Double]) -> VirtualEnd.Wishes {
        var wishes = VirtualEnd.Wishes()
        wishes.codec = [.opus, .g722, .pcma, .pcmu][min(max(Int(settings["codec", default: 0]), 0), 3)]
        wishes.packetMilliseconds = Int(settings["ptime", default: 20])
        wishes.bitRate = Int(settings["bitrate", default: 28_000])
        wishes.opus.discontinuousTransmission = settings["dtx", default: 0] != 0
        wishes.opus.inBandFEC = settings["fec", default: 1] != 0
        if wishes.codec != .opus || settings["red", default: 1] == 0 { wishes.redundancy = .off }
        return wishes
    }

    // MARK: Files

    private func octets(_ name: String) -> [UInt8] {
        guard let file = fopen("\(folder)/\(name)", "r") else { return [] }
        defer { fclose(file) }
        var result: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = fread(&part, 1, part.count, file)
            if count == 0 { return result }
            result += part[..<count]
        }
    }

    private func text(_ name: String) -> String { String(decoding: octets(name), as: UTF8.self) }

    private func sound(_ name: String) -> [Int16] {
        octets(name).withUnsafeBytes { bytes in
            (0..<bytes.count / 2).map {
                Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self))
            }
        }
    }

    private func write<Element>(_ elements: [Element], _ name: String) {
        guard let file = fopen("\(folder)/\(name)", "w") else { return perror("\(folder)/\(name)") }
        elements.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, file) }
        fclose(file)
    }
}
