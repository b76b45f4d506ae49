import CLinux
import CResolver

/// A DNS message in answer to a question for SRV records: whoever forges one needs no more than a guessed number. And the
/// same octets as an address in numbers.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // Memory of its very length, so that reading beyond it is seen; no more than DNS has.
    let octets = Array(UnsafeBufferPointer(start: start, count: min(count, 65_535)))
    var records = [cresolver_srv](repeating: cresolver_srv(), count: 8)
    let capacity = Int32(records.count)
    let found = cresolver_read_srv(octets, Int32(octets.count), &records, capacity)
    precondition(found <= capacity && found != 0, "neither records nor a reason")
    for record in records.prefix(Int(max(0, found))) {
        withUnsafeBytes(of: record.target) { target in
            precondition(target.contains(0), "a name without an end")
        }
    }
    readAddress(octets)
    return 0
}

private func readAddress(_ octets: [UInt8]) {
    let host = octets.map { CChar(bitPattern: $0) } + [0]
    var address = clinux_net_address()
    if clinux_net_parse(host, &address) == 0 { precondition(address.version == 4 || address.version == 6) }
    var endpoint = clinux_endpoint()
    guard clinux_endpoint_parse(host, 5_004, &endpoint) == 0 else { return }
    var text = [CChar](repeating: 1, count: 64)
    precondition(clinux_endpoint_format(&endpoint, &text, Int32(text.count)) == 0, "an address that is not written")
    var again = clinux_endpoint()
    precondition(text.contains(0) && clinux_endpoint_parse(text, 5_004, &again) == 0, "our own address is not read")
    precondition(
        again.high == endpoint.high && again.low == endpoint.low && again.scope == endpoint.scope, "another address")
}
