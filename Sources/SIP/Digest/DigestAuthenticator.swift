/// A user name and password, and the realm they are for (nil: any).
public struct DigestCredentials: Sendable, Hashable, CustomStringConvertible {
    public var username: String
    public var password: String
    public var realm: String?

    public init(username: String, password: String, realm: String? = nil) {
        self.username = username
        self.password = password
        self.realm = realm
    }

    /// Without the password, so that no log can hold it.
    public var description: String { username }
}

/// Who asks: the server itself by 401, or a proxy on the way by 407 (RFC 3261 §22).
public enum DigestChallenger: Sendable, Hashable, CaseIterable {
    case server, proxy
}

/// How far one request has come in being authenticated. A request that is new begins with a new one.
public struct DigestAttempt: Sendable, Hashable {
    fileprivate struct Answer: Hashable {
        var challenger: DigestChallenger
        var realm: String
        var nonce: String
    }
    fileprivate var answered: Set<Answer> = []
    fileprivate var rounds = 0

    public init() {}
}

/// The client side of digest authentication for one set of credentials: remembers the nonces in use and counts their uses.
public struct DigestAuthenticator: Sendable {
    /// Challenges a single request may meet; a path with more proxies than that is a loop.
    public static let maximumRounds = 6

    private struct Use {
        var challenger: DigestChallenger
        var challenge: DigestChallenge
        var count: UInt32 = 0
        var firstCnonce: String?
    }

    private let credentials: DigestCredentials
    private let hash: DigestHashFunction
    private let cnonce: @Sendable () -> String
    private var uses: [Use] = []

    /// `cnonce` returns an unguessable string that was never returned before, without quotes in it.
    public init(
        credentials: DigestCredentials, hash: @escaping DigestHashFunction, cnonce: @escaping @Sendable () -> String
    ) {
        self.credentials = credentials
        self.hash = hash
        self.cnonce = cnonce
    }

    /// Takes the challenges of a 401 or 407 (WWW-Authenticate lines in `server`, Proxy-Authenticate lines in `proxy`;
    /// both count whatever the status was).
    ///
    /// Returns whether the request is worth sending again. It is not where no challenge can be answered, and where
    /// credentials that answered a challenge of this very request were refused: the same nonce again, or another one
    /// that does not call the old one stale.
    public mutating func take(server: [String], proxy: [String], attempt: inout DigestAttempt) -> Bool {
        attempt.rounds += 1
        guard attempt.rounds <= Self.maximumRounds else { return false }
        var isAnswerable = false
        for (challenger, lines) in [(DigestChallenger.server, server), (.proxy, proxy)] {
            let challenges = DigestChallenge.strongestByRealm(DigestChallenge.parse(lines))
            for challenge in challenges where credentials.realm.map({ $0 == challenge.realm }) ?? true {
                let earlier = attempt.answered.filter {
                    $0.challenger == challenger && $0.realm == challenge.realm
                }
                if earlier.contains(where: { $0.nonce == challenge.nonce }) { return false }
                if !earlier.isEmpty, !challenge.isStale { return false }
                attempt.answered.insert(
                    .init(challenger: challenger, realm: challenge.realm, nonce: challenge.nonce))
                remember(challenge, from: challenger)
                isAnswerable = true
            }
        }
        return isAnswerable
    }

    private mutating func remember(_ challenge: DigestChallenge, from challenger: DigestChallenger) {
        let known = uses.firstIndex { $0.challenger == challenger && $0.challenge.realm == challenge.realm }
        guard let known else {
            if uses.count >= 8 { uses.removeFirst() }  // a path has few realms; the oldest is no longer on it
            uses.append(Use(challenger: challenger, challenge: challenge))
            return
        }
        // The count goes on where a server repeats its nonce: it is per nonce, not per challenge.
        if uses[known].challenge.nonce == challenge.nonce {
            uses[known].challenge = challenge
        } else {
            uses[known] = Use(challenger: challenger, challenge: challenge)
        }
    }

    /// The headers' values for a request, one for each realm that has challenged us so far; counts them as uses.
    public mutating func authorizations(
        method: String, uri: String, body: [UInt8]
    ) -> [(challenger: DigestChallenger, value: String)] {
        uses.indices.map { index in
            let fresh = cnonce()
            uses[index].count &+= 1
            let first = uses[index].firstCnonce ?? fresh
            uses[index].firstCnonce = first
            let use = uses[index]
            let response = DigestResponse(
                challenge: use.challenge, username: credentials.username, password: credentials.password,
                method: method, uri: uri, body: body, nonceCount: use.count,
                cnonce: use.challenge.algorithm.isSession ? first : fresh, sessionCnonce: first, hash: hash)
            return (use.challenger, response.headerValue)
        }
    }
}
