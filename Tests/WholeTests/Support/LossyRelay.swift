import Glibc
import Synchronization

/// Stands between two endpoints as a network: passes on the SIP of a call that the first one dials to it, and its RTP, of
/// which it loses or doubles what a test says. The ports in the SDP become its own, of as many digits, so that no length changes.
///
/// `@unchecked`: the descriptors and ports are constant, what it does is atomic; the rest is the thread's own.
final class LossyRelay: @unchecked Sendable {
    /// One socket of it, and where what comes to it goes: by which socket, to which port.
    private struct Way {
        let descriptor: Int32
        let port: Int
    }

    private let signalling: Way
    /// What the caller sends to, and what the called one does.
    private let toCalled: Way
    private let toCaller: Way
    private let callerPort: Int
    private let calledPort: Int
    private var callerMedia = 0
    private var calledMedia = 0
    private var dice: UInt64 = 0x2545_F491_4F6C_DD1D
    /// Of the packets of sound, in thousandths.
    private let loss = Atomic<Int>(0)
    /// Whether each packet of sound is passed on twice.
    private let doubling = Atomic<Bool>(false)
    private let isStopping = Atomic<Bool>(false)
    private var thread = pthread_t()

    /// Where the caller dials to.
    var port: Int { signalling.port }

    init(between caller: Endpoint, and called: Endpoint) throws {
        func open() throws -> Way {
            let port = try FreePorts.take()
            let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            var address = Self.address(port)
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard descriptor >= 0, code == 0 else { throw SupportError("the relay has no socket") }
            return Way(descriptor: descriptor, port: port)
        }
        signalling = try open()
        toCalled = try open()
        toCaller = try open()
        (callerPort, calledPort) = (caller.port, called.port)
        let code = pthread_create(
            &thread, nil,
            { raw in
                raw.map { Unmanaged<LossyRelay>.fromOpaque($0).takeUnretainedValue().run() }
                return nil
            }, Unmanaged.passUnretained(self).toOpaque())
        guard code == 0 else { throw SupportError("the relay has no thread") }
    }

    deinit {
        isStopping.store(true, ordering: .relaxed)
        pthread_join(thread, nil)
        for way in [signalling, toCalled, toCaller] { close(way.descriptor) }
    }

    /// Loses this share of the packets of sound from now on, in both directions, each by chance.
    func lose(_ share: Double) { loss.store(Int(share * 1_000), ordering: .relaxed) }

    /// Passes each packet of sound on twice from now on, or once again, in both directions.
    func double(_ isDoubling: Bool) { doubling.store(isDoubling, ordering: .relaxed) }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        return address
    }

    private func run() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var entries = [signalling, toCalled, toCaller].map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
        }
        while !isStopping.load(ordering: .relaxed) {
            guard poll(&entries, 3, 100) > 0 else { continue }
            for entry in entries where entry.revents & Int16(POLLIN) != 0 {
                var from = sockaddr_in()
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                let count = withUnsafeMutablePointer(to: &from) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        recvfrom(entry.fd, &buffer, buffer.count, 0, $0, &size)
                    }
                }
                guard count > 0 else { continue }
                let sender = Int(UInt16(bigEndian: from.sin_port))
                pass(Array(buffer[..<count]), by: entry.fd, from: sender)
            }
        }
    }

    private func pass(_ bytes: [UInt8], by descriptor: Int32, from sender: Int) {
        switch descriptor {
        case signalling.descriptor:
            let isFromCaller = sender == callerPort
            send(
                rewritten(bytes, isFromCaller: isFromCaller), by: signalling, to: isFromCaller ? calledPort : callerPort
            )
        case toCalled.descriptor: for _ in 0..<copies(of: bytes) { send(bytes, by: toCaller, to: calledMedia) }
        default: for _ in 0..<copies(of: bytes) { send(bytes, by: toCalled, to: callerMedia) }
        }
    }

    /// How often it is passed on: once, where it is a report (RFC 5761 §4).
    private func copies(of bytes: [UInt8]) -> Int {
        guard bytes.count > 1, !(192...223).contains(bytes[1]) else { return 1 }
        if isLost() { return 0 }
        return doubling.load(ordering: .relaxed) ? 2 : 1
    }

    private func isLost() -> Bool {
        dice ^= dice << 13
        dice ^= dice >> 7
        dice ^= dice << 17
        return Int(dice >> 33) % 1_000 < loss.load(ordering: .relaxed)
    }

    /// With the sound's port replaced by ours, on whose other side it is to be sent.
    private func rewritten(_ bytes: [UInt8], isFromCaller: Bool) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let range = text.firstRange(of: "\r\nm=audio "),
            let port = Int(text[range.upperBound...].prefix { $0.isNumber })
        else { return bytes }
        if isFromCaller { callerMedia = port } else { calledMedia = port }
        let own = isFromCaller ? toCaller.port : toCalled.port
        return Array(text.replacing("\r\nm=audio \(port) ", by: "\r\nm=audio \(own) ").utf8)
    }

    private func send(_ bytes: [UInt8], by way: Way, to port: Int) {
        var address = Self.address(port)
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(way.descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
