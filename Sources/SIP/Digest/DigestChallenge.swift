/// A digest challenge that we can answer (RFC 7616 §3.3, RFC 3261 §22.4).
public struct DigestChallenge: Sendable, Hashable {
    public var realm: String
    public var nonce: String
    public var opaque: String?
    public var algorithm: DigestAlgorithm
    /// The algorithm as the server wrote it, to be echoed; nil where it wrote none (then it is MD5).
    public var algorithmToken: String?
    /// What the answer is to protect; nil where the server knows no `qop` (RFC 2069).
    public var protection: DigestProtection?
    /// The credentials were right, only the nonce was too old.
    public var isStale: Bool

    /// Reads the challenges of all header lines of one name, in order. Other schemes, unknown algorithms and unknown
    /// protections are left out, as RFC 7616 §3.3 asks.
    public static func parse(_ lines: [String]) -> [DigestChallenge] {
        lines.flatMap { AuthenticationFields.parse($0) }.compactMap(DigestChallenge.init)
    }

    private init?(_ fields: AuthenticationFields) {
        guard fields.scheme == "digest", let realm = fields.parameters["realm"],
            let nonce = fields.parameters["nonce"], !nonce.isEmpty
        else { return nil }
        self.realm = realm
        self.nonce = nonce
        opaque = fields.parameters["opaque"]
        isStale = fields.parameters["stale"]?.lowercased() == "true"
        algorithmToken = fields.parameters["algorithm"]
        guard let algorithm = DigestAlgorithm(algorithmToken ?? "MD5") else { return nil }
        self.algorithm = algorithm
        if let offered = fields.parameters["qop"] {
            let options = offered.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
            // `auth` first: proxies and gateways that touch the body would break `auth-int`.
            guard let chosen = DigestProtection.allCases.first(where: { options.contains($0.rawValue) }) else {
                return nil
            }
            protection = chosen
        }
    }

    /// Of several challenges the strongest for each realm, realms in order of appearance.
    static func strongestByRealm(_ challenges: [DigestChallenge]) -> [DigestChallenge] {
        var chosen: [DigestChallenge] = []
        for challenge in challenges {
            if let index = chosen.firstIndex(where: { $0.realm == challenge.realm }) {
                if chosen[index].algorithm < challenge.algorithm { chosen[index] = challenge }
            } else {
                chosen.append(challenge)
            }
        }
        return chosen
    }
}
