import SIP
import Testing

/// A message after one of the torture RFCs, and what must become of it.
struct TortureMessage: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable {
        case acceptable
        case rejected(Int)
        case dropped
        /// Not even the first line can be read.
        case unreadable
    }

    /// The name that the RFC gives it.
    var name: String
    var outcome: Outcome
    var octets: [UInt8]

    /// `text` has LF at its line ends; `%CL%` stands for the length of the body, `\u{1}`... for themselves.
    init(_ name: String, _ outcome: Outcome, _ text: String) {
        self.name = name
        self.outcome = outcome
        octets = wire(text)
    }

    var testDescription: String { name }

    var message: SIPMessage {
        get throws { try SIPMessage(parsing: octets) }
    }
}

/// `text` as it goes over the network: CRLF for LF, and the length of the body for `%CL%`.
func wire(_ text: String) -> [UInt8] {
    let octets = Array(text.utf8)
    var head: [UInt8] = []
    var body: [UInt8] = []
    var isBody = false
    for (index, octet) in octets.enumerated() {
        if octet == 0x0A {
            if isBody { body += [0x0D, octet] } else { head += [0x0D, octet] }
            if index > 0, octets[index - 1] == 0x0A { isBody = true }
        } else if isBody {
            body.append(octet)
        } else {
            head.append(octet)
        }
    }
    let parts = String(decoding: head, as: UTF8.self).split(separator: "%CL%", omittingEmptySubsequences: false)
    return Array(parts.joined(separator: String(body.count)).utf8) + body
}
