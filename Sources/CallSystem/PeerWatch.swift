/// Whether the remote party of a call is still there, as far as its RTP and RTCP tell. Times are durations since any fixed
/// origin.
struct PeerWatch: Hashable, Sendable {
    /// What a change of direction may still let come: sound on its way, and an RTCP report or the farewell of a stream.
    static let settling = Duration.seconds(10)

    /// Whether both sides send and receive: then something comes of every telephone, be it silence or reports.
    var flowsBothWays: Bool
    /// When the call was connected or the stream last agreed on.
    var since: Duration
    /// When it was last asked whether it is still there.
    var askedAt: Duration?

    /// When the remote party counts as gone if nothing more comes; nil: nothing need come.
    ///
    /// A party that holds us or is held may send nothing at all, as many telephones do. It is waited for only once it has
    /// shown that it goes on sending, which RFC 3550 has everybody do; until then it is asked (`enquiry`).
    ///
    /// - Parameter heard: when the last valid packet came.
    func deadline(heard: Duration?, timeout: Duration) -> Duration? {
        if !flowsBothWays {
            guard let heard, heard > since + Self.settling else { return nil }
        }
        return max(since, heard ?? since) + timeout
    }

    /// When a remote party of whom nothing need come is asked whether it is still there: once in the time-out, while it is
    /// silent.
    func enquiry(heard: Duration?, timeout: Duration) -> Duration {
        max(since, heard ?? since, askedAt ?? since) + timeout
    }

    /// Whether anything has shown since the last question that the party is there.
    func hasShownItself(heard: Duration?) -> Bool {
        guard let askedAt else { return true }
        guard let heard else { return false }
        return heard > askedAt
    }
}
