internal import ControlProtocol

/// The requests of a client that have no answer yet, and which of them may be sent now. No sockets, no clock.
struct RequestLedger<Waiter> {
    struct Entry {
        /// The request without its line feed.
        var line: [UInt8]
        /// Whether it may be sent to another run of the daemon, too: it only asks.
        var isQuestion: Bool
        /// The run of the daemon that it was sent to; nil before.
        var sentTo: String?
        var waiter: Waiter
    }

    /// Requests under way, at most: the daemon reads no further line of a client that has so many.
    static var window: Int { 64 }

    private var entries: [Int64: Entry] = [:]
    /// What is to be sent, in order.
    private var queue: [Int64] = []
    private var underWay: Set<Int64> = []
    private var lastID: Int64 = 0

    init() {}

    /// A number for a request that comes.
    mutating func makeID() -> Int64 {
        lastID += 1
        return lastID
    }

    mutating func add(_ id: Int64, line: [UInt8], isQuestion: Bool, waiter: Waiter) {
        entries[id] = Entry(line: line, isQuestion: isQuestion, sentTo: nil, waiter: waiter)
        queue.append(id)
    }

    /// The lines to send to the run `instance` of the daemon now.
    mutating func sendable(to instance: String) -> [[UInt8]] {
        guard !queue.isEmpty, underWay.count < Self.window else { return [] }
        let now = queue.prefix(Self.window - underWay.count)
        queue.removeFirst(now.count)
        underWay.formUnion(now)
        return now.compactMap { id in
            entries[id]?.sentTo = instance
            return entries[id]?.line
        }
    }

    /// Takes the request that has its answer; nil for one that nobody waits for.
    mutating func answered(_ id: Int64) -> Waiter? {
        underWay.remove(id)
        return entries.removeValue(forKey: id)?.waiter
    }

    /// Takes a request that nobody waits for any more. Where it was sent, the daemon still works on it.
    mutating func forget(_ id: Int64) -> Waiter? {
        queue.removeAll { $0 == id }
        return entries.removeValue(forKey: id)?.waiter
    }

    /// The connection was lost: what was sent waits to be sent again, before what came later.
    mutating func disconnected() {
        queue = underWay.filter { entries[$0] != nil }.sorted() + queue
        underWay = []
    }

    /// The connection is back. Takes the actions that were sent to another run of the daemon: whether that had carried
    /// them out is not known, and its calls are over.
    mutating func connected(to instance: String) -> [Waiter] {
        let lost = queue.filter { id in
            guard let entry = entries[id], let sentTo = entry.sentTo else { return false }
            return !entry.isQuestion && sentTo != instance
        }
        return lost.compactMap { forget($0) }
    }

    /// Takes all requests, each with whether it may have been carried out.
    mutating func removeAll() -> [(waiter: Waiter, mayBeDone: Bool)] {
        defer { self = Self(lastID: lastID) }
        return entries.sorted { $0.key < $1.key }.map { _, entry in
            (entry.waiter, entry.sentTo != nil && !entry.isQuestion)
        }
    }

    private init(lastID: Int64) { self.lastID = lastID }
}
