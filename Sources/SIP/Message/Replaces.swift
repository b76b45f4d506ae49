/// The dialogue whose place an INVITE takes (RFC 3891 §6.1), as the one who is to receive that INVITE names it.
public struct Replaces: Hashable, Sendable, CustomStringConvertible {
    public var callID: String
    /// The tag of the one who receives the INVITE.
    public var toTag: String
    /// The tag of the other party of the dialogue.
    public var fromTag: String
    /// Whether only a dialogue that is not confirmed yet may be replaced.
    public var isEarlyOnly: Bool

    public init(callID: String, toTag: String, fromTag: String, isEarlyOnly: Bool = false) {
        self.callID = callID
        self.toTag = toTag
        self.fromTag = fromTag
        self.isEarlyOnly = isEarlyOnly
    }

    /// Reads the value of a Replaces header. Throws `SIPParseError.malformed`, also where a tag is missing or stands twice.
    public init(parsing text: String) throws(SIPParseError) {
        var scanner = ByteScanner(text)
        scanner.skipSpace()
        let callID = scanner.text(scanner.take(while: Self.mayStandInCallID))
        let parameters = try scanner.takeHeaderParameters(of: "Replaces")
        guard !callID.isEmpty, let toTag = Self.only("to-tag", of: parameters),
            let fromTag = Self.only("from-tag", of: parameters)
        else { throw .malformed(element: "Replaces") }
        self.init(
            callID: callID, toTag: toTag, fromTag: fromTag, isEarlyOnly: parameters.contains("early-only"))
    }

    public var description: String {
        "\(callID);to-tag=\(toTag);from-tag=\(fromTag)" + (isEarlyOnly ? ";early-only" : "")
    }

    private static func only(_ name: String, of parameters: Parameters) -> String? {
        guard parameters.entries.count(where: { $0.name.asciiLowercased == name }) == 1, let tag = parameters[name],
            !tag.isEmpty, tag.utf8.allSatisfy(CharacterClass.isToken)
        else { return nil }
        return tag
    }

    /// `word` and `@` of RFC 3261 §25.1, as far as no list or parameter begins there.
    private static func mayStandInCallID(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: ";"), UInt8(ascii: ","): false
        default: octet > 0x20 && octet < 0x7F
        }
    }
}

extension Dialog.ID {
    /// Whether this is the dialogue of ours that an INVITE wants to replace (RFC 3891 §3).
    public func matches(_ replaces: Replaces) -> Bool {
        // The tag 0 stands for none, as RFC 2543 peers have it.
        callID == replaces.callID && localTag == replaces.toTag
            && (remoteTag == replaces.fromTag || (remoteTag.isEmpty && replaces.fromTag == "0"))
    }

    /// What the peer of this dialogue has to be told where somebody else shall take our place in it.
    public var replacedAtPeer: Replaces {
        Replaces(callID: callID, toTag: remoteTag.isEmpty ? "0" : remoteTag, fromTag: localTag)
    }
}
