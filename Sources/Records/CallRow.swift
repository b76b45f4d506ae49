internal import CallModel
internal import FoundationEssentials

/// A call as a row of the table `call`.
enum CallRow {
    private static let columns = """
        id, direction, handleType, handle, displayName, account, codec, security, started, connected, ended, endReason, \
        endStatus, endText, missed, seen, packetsSent, packetsReceived, lost, late, concealedMs, jitterMs, roundTripMs, mos, \
        recording
        """

    static let insert = """
        INSERT INTO call (\(columns)) VALUES \
        (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, 0, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)
        """

    /// With the row's number as parameter 25.
    static let update = """
        UPDATE call SET id = ?1, direction = ?2, handleType = ?3, handle = ?4, displayName = ?5, account = ?6, \
        codec = ?7, security = ?8, started = ?9, connected = ?10, ended = ?11, endReason = ?12, endStatus = ?13, \
        endText = ?14, missed = ?15, packetsSent = ?16, packetsReceived = ?17, lost = ?18, late = ?19, \
        concealedMs = ?20, jitterMs = ?21, roundTripMs = ?22, mos = ?23, recording = ?24 \
        WHERE number = ?25
        """

    /// Rows older than the number ?1, the latest first.
    static let select = "SELECT number, \(columns) FROM call WHERE number < ?1 ORDER BY number DESC"

    static func values(_ call: CallSnapshot, missed: Bool) -> [Value] {
        var (endStatus, endText): (Int?, String?) = (nil, nil)
        if case .failed(let status, let text)? = call.endReason { (endStatus, endText) = (status, text) }
        let quality = call.quality
        return [
            .text(call.id.description), .text(call.direction.rawValue), .text(call.handle.kind.rawValue),
            .text(call.handle.value), Value(call.displayName), Value(call.account), Value(call.codec),
            Value(call.security), time(call.startedConnectingAt), time(call.connectedAt), time(call.endedAt),
            Value(call.endReason?.word), Value(endStatus), Value(endText), Value(missed),
            Value(quality?.packetsSent), Value(quality?.packetsReceived), Value(quality?.lost), Value(quality?.late),
            Value(quality?.concealedMs), Value(quality?.jitterMs), Value(quality?.roundTripMs),
            Value(quality?.mos), Value(call.recording),
        ]
    }

    private static func time(_ date: Date?) -> Value { Value(date?.timeIntervalSince1970) }

    /// The entry of a row of `select`; nil where another hand has written what is none.
    static func entry(_ row: borrowing Statement) -> HistoryEntry? {
        guard let id = row.text(1).flatMap({ CallID($0) }), let direction = row.text(2).flatMap(CallDirection.init),
            let kind = row.text(3).flatMap(Handle.Kind.init), let value = row.text(4)
        else { return nil }
        let reason = row.text(12).flatMap { EndReason(word: $0, status: row.integer(13), text: row.text(14)) }
        let state: CallState =
            if reason != nil {
                .ended
            } else if row.real(10) != nil {
                .connected
            } else {
                direction == .incoming ? .incoming : .connecting
            }
        var call = CallSnapshot(
            id: id, direction: direction, state: state, handle: Handle(kind: kind, value: value))
        call.displayName = row.text(5)
        call.account = row.text(6)
        call.codec = row.text(7)
        call.security = row.text(8)
        call.startedConnectingAt = date(row.real(9))
        call.connectedAt = date(row.real(10))
        call.endedAt = date(row.real(11))
        call.endReason = reason
        call.recording = row.text(25)
        if let packetsSent = row.integer(17) {
            var quality = CallQuality()
            quality.packetsSent = packetsSent
            quality.packetsReceived = row.integer(18) ?? 0
            quality.lost = row.integer(19) ?? 0
            quality.late = row.integer(20) ?? 0
            quality.concealedMs = row.real(21) ?? 0
            quality.jitterMs = row.real(22) ?? 0
            quality.roundTripMs = row.real(23)
            quality.mos = row.real(24)
            call.quality = quality
        }
        return HistoryEntry(call: call, missed: row.flag(15), seen: row.flag(16))
    }

    private static func date(_ seconds: Double?) -> Date? { seconds.map { Date(timeIntervalSince1970: $0) } }
}
