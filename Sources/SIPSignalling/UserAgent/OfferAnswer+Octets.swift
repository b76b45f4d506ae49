internal import CallModel
internal import MediaDescription
internal import SDP

extension OfferAnswer {
    /// Answers an offer as it came in a body. Throws with the SIP status that its refusal has: 400 or 488.
    mutating func answer(
        to offer: [UInt8], held: Bool, local: LocalMediaAddress
    ) throws(CallError) -> (answer: SessionDescription, parameters: StreamParameters?) {
        let offer = try Self.read(offer)
        do throws(SDPNegotiationError) {
            return try receive(offer: offer, held: held, local: local)
        } catch {
            throw CallError(.mediaFailed, error.message, sipStatus: error.sipStatus)
        }
    }

    /// Takes an answer as it came in a body.
    mutating func take(_ answer: [UInt8]) throws(CallError) -> StreamParameters {
        let answer = try Self.read(answer)
        do throws(SDPNegotiationError) {
            return try receive(answer: answer)
        } catch {
            throw CallError(.mediaFailed, error.message, sipStatus: error.sipStatus)
        }
    }

    private static func read(_ text: [UInt8]) throws(CallError) -> SessionDescription {
        do throws(SDPParseError) {
            return try SessionDescription(parsing: text)
        } catch {
            throw CallError(.mediaFailed, error.description, sipStatus: 400)
        }
    }
}

extension String {
    /// As it may stand in a status line: printable, on one line, not endless.
    var reasonPhrase: String {
        String(decoding: utf8.prefix(120).map { (0x20...0x7E).contains($0) ? $0 : 0x20 }, as: UTF8.self)
    }
}
