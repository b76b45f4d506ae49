import Codecs
import MediaDescription

/// The payloads of a stream, whose sender is authenticated at best, in each codec's decoder: the input is a sequence of
/// them, each after a byte that says what is done with it and one that gives its length.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = bytes.first else { return 0 }
    let codec = Codec.allCases[Int(first) % Codec.allCases.count]
    guard let decoder = try? VoiceDecoder(codec) else { return 0 }
    let room = UnsafeMutableBufferPointer<Int16>.allocate(capacity: longest + margin)
    defer { room.deallocate() }
    guard let samples = room.baseAddress else { return 0 }
    room.initialize(repeating: mark)
    var position = 1
    while position + 1 < bytes.count {
        let (command, length) = (bytes[position], Int(bytes[position + 1]))
        let payload = Array(bytes[(position + 2)..<min(bytes.count, position + 2 + length)])
        position += 2 + length
        // As the loop does: what says no length of its own is thrown away before it is decoded.
        let duration = codec.duration(of: payload, payload.count)
        let gap = (1 + Int(command >> 2) % 48) * 120
        var produced = 0
        switch command & 3 {
        case 0, 1:
            guard let duration else { continue }
            produced = decoder.decode(payload, payload.count, into: samples, capacity: longest)
            precondition(produced <= duration, "more sound than the packet says")
        case 2:
            guard duration != nil else { continue }
            produced = decoder.decodeRedundancy(payload, payload.count, gap: gap, into: samples)
        default:
            produced = decoder.conceal(gap, into: samples)
            if gap == 120 * 48 { decoder.reset() }
        }
        precondition(produced <= longest, "more sound than there is room for")
        precondition(room[longest...].allSatisfy { $0 == mark }, "samples beyond the room")
    }
    return 0
}

/// 120 ms at 48 kHz.
private let longest = 5_760
private let margin = 256
private let mark: Int16 = 0x5A5A
