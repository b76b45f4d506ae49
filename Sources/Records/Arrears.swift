internal import CallModel

/// What could not be written when its time was, and is owed to the file: how calls ended, and that what an earlier run left
/// open has been looked through.
struct Arrears {
    /// How a call ended.
    private struct End {
        var call: CallSnapshot
        var missed: Bool
        /// nil: its beginning could not be written either.
        var row: Int?
    }

    /// Ends that are kept, at most; the oldest are lost first.
    static let maximumEnds = 256

    private var ends: [End] = []
    /// Where the start could not end what an earlier run left open: the last row of that, 0 where there is none; nil: all is
    /// done.
    private var untidy: Int?

    init(untidy: Int?) { self.untidy = untidy }

    var isEmpty: Bool { ends.isEmpty && untidy == nil }

    /// - Parameter row: of the call; nil where its beginning could not be written either.
    mutating func keep(_ call: CallSnapshot, missed: Bool, row: Int?) {
        if ends.count >= Self.maximumEnds { ends.removeFirst() }
        ends.append(End(call: call, missed: missed, row: row))
    }

    /// Writes it. Throws where that still cannot be.
    mutating func pay(to database: borrowing Database) throws(DatabaseError) {
        if let last = untidy {
            try database.markOpen()
            _ = try database.closeInterrupted(upTo: last)
            untidy = nil
        }
        while let end = ends.first {
            var row = end.row
            try database.record(end.call, missed: end.missed, row: &row)
            ends.removeFirst()
        }
    }

    /// The file is a new one: there are no rows in it.
    mutating func startAnew() {
        untidy = nil
        for index in ends.indices { ends[index].row = nil }
    }

    /// `entries` as they will be.
    func completing(_ entries: [HistoryEntry]) -> [HistoryEntry] {
        guard !ends.isEmpty else { return entries }
        return entries.map { entry in
            guard let end = ends.first(where: { $0.call.id == entry.call.id }) else { return entry }
            return HistoryEntry(call: end.call, missed: end.missed, seen: entry.seen)
        }
    }
}
