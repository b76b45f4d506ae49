import MediaDescription
import RTP
import Testing

@testable import Media

@Suite("SRTP (RFC 3711)") struct SRTPSessionTests {
    private func key(_ suite: SRTPSuite = .aesCM128HMACSHA1_80) -> SRTPKeying {
        SRTPKeying(suite: suite, keyAndSalt: (1...30).map { UInt8($0) })
    }

    private func packet(_ sequence: UInt16, source: UInt32 = 7) -> [UInt8] {
        var bytes: [UInt8] = []
        RTPHeader(
            payloadType: 8, sequenceNumber: SequenceNumber(rawValue: sequence), timestamp: 160, source: source
        ).append(to: &bytes)
        return bytes + Array(repeating: 0x41, count: 40)
    }

    private func protect(_ session: inout SRTPSession, _ packet: [UInt8]) throws(SRTPError) -> [UInt8] {
        var buffer = packet + Array(repeating: 0, count: SRTPSession.maximumGrowth)
        var result: Result<Int, SRTPError> = .failure(SRTPError(status: 1))
        buffer.withUnsafeMutableBytes { raw in
            guard let base = raw.baseAddress else { return }
            do throws(SRTPError) { result = .success(try session.protect(base, count: packet.count)) } catch {
                result = .failure(error)
            }
        }
        return Array(buffer.prefix(try result.get()))
    }

    private func unprotect(_ session: inout SRTPSession, _ packet: [UInt8]) throws(SRTPError) -> [UInt8] {
        var buffer = packet
        var result: Result<Int, SRTPError> = .failure(SRTPError(status: 1))
        buffer.withUnsafeMutableBytes { raw in
            guard let base = raw.baseAddress else { return }
            do throws(SRTPError) { result = .success(try session.unprotect(base, count: packet.count)) } catch {
                result = .failure(error)
            }
        }
        return Array(buffer.prefix(try result.get()))
    }

    @Test("What one end protects the other reads; the tag has the suite's length", arguments: SRTPSuite.allCases)
    func roundTrip(suite: SRTPSuite) throws {
        var sender = try SRTPSession(.send, key(suite))
        var receiver = try SRTPSession(.receive, key(suite))
        let clear = packet(1)
        let wire = try protect(&sender, clear)
        #expect(wire.count == clear.count + (suite == .aesCM128HMACSHA1_80 ? 10 : 4))
        #expect(Array(wire[12..<40]) != Array(clear[12..<40]))
        let read = try unprotect(&receiver, wire)
        #expect(read == clear)
    }

    @Test("Key derivation and cipher are those of RFC 3711 (libsrtp's own reference packet)")
    func vector() throws {
        let keyAndSalt: [UInt8] = [
            0xE1, 0xF9, 0x7A, 0x0D, 0x3E, 0x01, 0x8B, 0xE0, 0xD6, 0x4F, 0xA3, 0x2C, 0x06, 0xDE, 0x41, 0x39, 0x0E, 0xC6,
            0x75, 0xAD, 0x49, 0x8A, 0xFE, 0xEB, 0xB6, 0x96, 0x0B, 0x3A, 0xAB, 0xE6,
        ]
        let clear: [UInt8] =
            [0x80, 0x0F, 0x12, 0x34, 0xDE, 0xCA, 0xFB, 0xAD, 0xCA, 0xFE, 0xBA, 0xBE]
            + Array(repeating: 0xAB, count: 16)
        let expected: [UInt8] = [
            0x80, 0x0F, 0x12, 0x34, 0xDE, 0xCA, 0xFB, 0xAD, 0xCA, 0xFE, 0xBA, 0xBE, 0x4E, 0x55, 0xDC, 0x4C, 0xE7, 0x99,
            0x78, 0xD8, 0x8C, 0xA4, 0xD2, 0x15, 0x94, 0x9D, 0x24, 0x02, 0xB7, 0x8D, 0x6A, 0xCC, 0x99, 0xEA, 0x17, 0x9B,
            0x8D, 0xBB,
        ]
        var sender = try SRTPSession(.send, SRTPKeying(suite: .aesCM128HMACSHA1_80, keyAndSalt: keyAndSalt))
        let wire = try protect(&sender, clear)
        #expect(wire == expected)
    }

    @Test("Every changed octet is noticed, and does not harm what follows")
    func tamper() throws {
        var sender = try SRTPSession(.send, key())
        var receiver = try SRTPSession(.receive, key())
        let wire = try protect(&sender, packet(1))
        for index in 1..<wire.count {
            var bad = wire
            bad[index] ^= 0x20
            #expect(throws: SRTPError.self) { _ = try unprotect(&receiver, bad) }
        }
        let read = try unprotect(&receiver, wire)
        #expect(read == packet(1))
    }

    @Test("A packet is taken once, and an old one never")
    func replay() throws {
        var sender = try SRTPSession(.send, key())
        var receiver = try SRTPSession(.receive, key())
        var wires: [[UInt8]] = []
        for sequence in UInt16(1)...300 { wires.append(try protect(&sender, packet(sequence))) }
        _ = try unprotect(&receiver, wires[0])
        do throws(SRTPError) {
            _ = try unprotect(&receiver, wires[0])
            Issue.record("a replayed packet was taken")
        } catch { #expect(error.isReplay) }
        _ = try unprotect(&receiver, wires[299])
        do throws(SRTPError) {
            _ = try unprotect(&receiver, wires[1])
            Issue.record("a packet from before the window was taken")
        } catch { #expect(error.isReplay) }
        _ = try unprotect(&receiver, wires[298])
    }

    @Test("The sequence wraps, twice, and new sources are taken under the same key")
    func wrap() throws {
        var sender = try SRTPSession(.send, key())
        var receiver = try SRTPSession(.receive, key())
        for number in 30_000..<200_000 where number % 50 == 0 || number % 65_536 < 3 {
            let clear = packet(UInt16(truncatingIfNeeded: number))
            let read = try unprotect(&receiver, try protect(&sender, clear))
            guard read == clear else {
                Issue.record("packet \(number) was read wrong")
                return
            }
        }
        let other = packet(9, source: 8)
        let read = try unprotect(&receiver, try protect(&sender, other))
        #expect(read == other)
    }

    @Test("A key of another length is refused, and a key never describes itself")
    func keys() {
        #expect(throws: SRTPError.self) {
            _ = try SRTPSession(.send, SRTPKeying(suite: .aesCM128HMACSHA1_80, keyAndSalt: [1, 2, 3]))
        }
        #expect("\(key())" == "AES_CM_128_HMAC_SHA1_80")
    }

    @Test("Whatever comes as a packet is refused without harm")
    func garbage() throws {
        var receiver = try SRTPSession(.receive, key())
        for count in 0..<200 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 0x80) }
            #expect(throws: SRTPError.self) { _ = try unprotect(&receiver, bytes) }
        }
    }
}
