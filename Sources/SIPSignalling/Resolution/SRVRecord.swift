/// One SRV record (RFC 2782).
struct SRVRecord: Sendable, Hashable {
    var priority: UInt16
    var weight: UInt16
    var port: UInt16
    /// Without the last dot; empty where the service is decidedly not there.
    var target: String
    /// Seconds.
    var ttl: UInt32 = 60

    /// The order in which to try servers: lower priorities first, within one at random by weight (RFC 2782).
    static func ordered<Server>(
        _ servers: [Server], using random: inout some RandomNumberGenerator, record: (Server) -> SRVRecord
    ) -> [Server] {
        var order: [Server] = []
        let groups = Dictionary(grouping: servers) { record($0).priority }
        for priority in groups.keys.sorted() {
            // Weight 0 first: it is chosen only where the number drawn is 0.
            var waiting = (groups[priority] ?? []).sorted { record($0).weight < record($1).weight }
            while !waiting.isEmpty {
                let total = waiting.reduce(0) { $0 + Int(record($1).weight) }
                var drawn = Int.random(in: 0...total, using: &random)
                let index = waiting.firstIndex { server in
                    drawn -= Int(record(server).weight)
                    return drawn <= 0
                }
                order.append(waiting.remove(at: index ?? 0))
            }
        }
        return order
    }
}
