import RTP

@testable import Media

/// Two ends that talk through two networks, on one virtual clock.
final class VirtualCall {
    private struct Arrival {
        var time: UInt64
        var number: Int
        var bytes: [UInt8]
        var isForRight: Bool
        var socket: StreamSocket
    }

    /// What a network did to the sound of one direction.
    struct Traffic {
        var packets = 0
        var lost = 0
        /// Of RTP payload.
        var octets = 0
    }

    let left: VirtualEnd
    let right: VirtualEnd
    private(set) var now: UInt64 = 5_000_000_000
    private var toRight: (UInt64) -> [UInt64]
    private var toLeft: (UInt64) -> [UInt64]
    /// What becomes of the bytes of a packet of sound on their way from left to right.
    var rewrite: ([UInt8]) -> [UInt8] = { $0 }
    /// Whether a report of either end gets lost.
    var losesReport: () -> Bool = { false }
    private(set) var trafficToRight = Traffic()
    private(set) var trafficToLeft = Traffic()
    private var arrivals: [Arrival] = []
    private var count = 0

    /// - Parameters:
    ///   - toRight, toLeft: when a packet of sound sent at some instant arrives, never, once or several times.
    init(
        _ leftSays: [Int16], _ rightSays: [Int16], left: VirtualEnd.Wishes = .init(),
        right: VirtualEnd.Wishes = .init(),
        toRight: @escaping (UInt64) -> [UInt64], toLeft: @escaping (UInt64) -> [UInt64]
    ) throws {
        self.left = try VirtualEnd(host: "192.0.2.1", source: 0xAAAA, saying: leftSays, left, at: now)
        self.right = try VirtualEnd(host: "192.0.2.2", source: 0xBBBB, saying: rightSays, right, at: now)
        self.toRight = toRight
        self.toLeft = toLeft
        self.left.connect(to: self.right.address, at: now)
        self.right.connect(to: self.left.address, at: now)
    }

    func run(seconds: Double) {
        let end = now + UInt64(seconds * 1e9)
        while true {
            let next = min(
                min(left.due, right.due), min(left.stream.deadline, right.stream.deadline),
                arrivals.first?.time ?? .max)
            guard next < end else { break }
            now = max(now, next)
            while let arrival = arrivals.first, arrival.time <= now {
                arrivals.removeFirst()
                bring(arrival)
            }
            for end in [left, right] {
                if end.stream.deadline <= now { end.stream.tick(at: now) }
                if end.due <= now { end.turnOnce(at: now) }
            }
            take(from: left, isForRight: true, &trafficToRight)
            take(from: right, isForRight: false, &trafficToLeft)
        }
        now = end
    }

    private func bring(_ arrival: Arrival) {
        let (end, peer) = arrival.isForRight ? (right, left) : (left, right)
        guard let from = Endpoint(peer.address) else { return }
        var bytes = arrival.bytes
        bytes.withUnsafeMutableBytes { end.stream.receive($0, from: from, on: arrival.socket, at: now) }
    }

    private func take(from end: VirtualEnd, isForRight: Bool, _ traffic: inout Traffic) {
        let datagrams = end.datagrams
        end.datagrams = []
        for datagram in datagrams {
            // Reports get through, a little later.
            var times = [now + 1_000_000]
            var bytes = datagram.bytes
            if MediaDatagram(classifying: datagram.bytes.span) == .rtp {
                if isForRight { bytes = rewrite(bytes) }
                times = isForRight ? toRight(now) : toLeft(now)
                traffic.packets += 1
                traffic.octets += datagram.bytes.count - 12
                if times.isEmpty { traffic.lost += 1 }
            } else if losesReport() {
                times = []
            }
            for time in times {
                count += 1
                let arrival = Arrival(
                    time: time, number: count, bytes: bytes, isForRight: isForRight, socket: datagram.socket)
                let place = arrivals.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
                arrivals.insert(arrival, at: place)
            }
        }
    }
}
