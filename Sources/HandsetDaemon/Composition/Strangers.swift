internal import ControlProtocol

/// The strangers whose requests were dropped lately, and what would let them in.
struct Strangers {
    /// The latest first.
    private(set) var latest: [StrangerInfo] = []
    private var acceptFrom: [String]

    static let kept = 16

    init(acceptFrom: [String]) { self.acceptFrom = acceptFrom }

    mutating func update(acceptFrom: [String]) { self.acceptFrom = acceptFrom }

    /// The line of configuration that would let `address` in.
    func info(_ address: String, _ count: Int) -> StrangerInfo {
        let entry = "\(address)/\(address.contains(":") ? 128 : 32)"
        let list = (acceptFrom + [entry]).map { "\"\($0)\"" }.joined(separator: ", ")
        return StrangerInfo(address: address, count: count, advice: "[direct] accept_from = [\(list)]")
    }

    mutating func note(_ address: String, _ count: Int) {
        latest.removeAll { $0.address == address }
        latest.insert(info(address, count), at: 0)
        if latest.count > Self.kept { latest.removeLast() }
    }
}
