import CallModel
import ControlProtocol

/// What a client of the control socket sends.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    var framer = LineFramer()
    for line in framer.append(bytes) + framer.finish() {
        guard case .complete(let text) = line, let envelope = try? ControlEnvelope(parsing: text) else { continue }
        if let request = try? ControlRequest(envelope) {
            let again = request.envelope(id: .integer(1))
            precondition(
                (try? ControlRequest(again)) == request, "a request is read differently when it was written by us")
        }
        _ = try? ControlRequest.token(of: envelope)
    }
    if let value = try? JSONValue(parsing: bytes) {
        precondition((try? JSONValue(parsing: value.bytes)) != nil, "our own JSON is not read")
    }
    _ = ControlReply(parsing: bytes)
    _ = try? Handle(parsing: String(decoding: bytes, as: UTF8.self))
    return 0
}
