import Glibc

/// Sends a tone as RTP, G.711 mu-law in packets of 20 ms, as a network does that says something before a call is answered.
final class ToneSender {
    private let socket: DatagramPeer
    private let hertz: Double
    private var sent = 0

    var port: Int { socket.port }

    init(hertz: Double) throws {
        socket = try DatagramPeer()
        self.hertz = hertz
    }

    /// Sends for so long, at the pace of the sound.
    func run(seconds: Double, to port: Int) {
        let start = monotonicSeconds()
        for index in 0..<Int(seconds * 50) {
            socket.send(packet(), to: port)
            let ahead = start + Double(index + 1) * 0.02 - monotonicSeconds()
            if ahead > 0 { usleep(UInt32(ahead * 1_000_000)) }
        }
    }

    private func packet() -> [UInt8] {
        func big(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        // Version 2, payload type 0, the first one marked.
        let header = [0x80, sent == 0 ? 0x80 : 0] + big(sent + 1, 2) + big(sent * 160, 4) + big(0x5EED, 4)
        let first = sent * 160
        sent += 1
        return header + (0..<160).map { Self.muLaw(Int(8_000 * sin(2 * .pi * hertz * Double(first + $0) / 8_000))) }
    }

    /// ITU-T G.711 of a 16-bit sample.
    private static func muLaw(_ sample: Int) -> UInt8 {
        let magnitude = min(abs(sample), 32_635) + 132
        let exponent = Int.bitWidth - 1 - magnitude.leadingZeroBitCount - 7
        let mantissa = magnitude >> (exponent + 3) & 0x0F
        return ~UInt8((sample < 0 ? 0x80 : 0) | exponent << 4 | mantissa)
    }
}
