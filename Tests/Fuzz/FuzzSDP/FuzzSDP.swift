import MediaDescription
import SDP

/// A session description as first offer, as answer to ours, and as re-offer.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let description = try? SessionDescription(parsing: bytes) else { return 0 }
    let local = LocalMediaAddress(host: "192.0.2.1", rtpPort: 5004, rtcpPort: 5005)
    for policy in SRTPPolicy.allCases {
        let keys = SRTPSuite.allCases.map { SRTPKeying(suite: $0, keyAndSalt: [UInt8](repeating: 7, count: 30)) }
        var callee = OfferAnswer(policy: MediaPolicy(srtp: policy), sessionID: 1, keys: keys)
        if let (answer, parameters) = try? callee.receive(offer: description, held: false, local: local) {
            precondition(answer.media.count == description.media.count, "an m-line without an answer")
            precondition(zip(answer.media, description.media).allSatisfy { $0.proto == $1.proto }, "another protocol")
            precondition((try? SessionDescription(parsing: answer.serialized())) != nil, "our answer is not read")
            if let parameters { check(parameters, policy) }
            _ = try? callee.receive(offer: description, held: true, local: local)
            _ = callee.offer(direction: .sendonly, local: local)
            _ = try? callee.receive(answer: description)
        }
        var caller = OfferAnswer(policy: MediaPolicy(srtp: policy), sessionID: 1, keys: keys)
        _ = caller.offer(direction: .sendrecv, local: local)
        if let parameters = try? caller.receive(answer: description) { check(parameters, policy) }
    }
    return 0
}

private func check(_ parameters: StreamParameters, _ policy: SRTPPolicy) {
    precondition(policy != .required || parameters.security != .none, "sound in the clear where SRTP is required")
    precondition(policy != .off || parameters.security == .none, "SRTP where it is off")
    precondition([10, 20, 40, 60].contains(parameters.packetMilliseconds), "a packet time we cannot make")
    precondition(parameters.sendPayloadType < 128 && parameters.receivePayloadType < 128, "no payload type")
}
