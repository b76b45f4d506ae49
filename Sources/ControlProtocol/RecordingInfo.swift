public import CallModel

/// A recording that has ended.
public struct RecordingInfo: Sendable, Hashable {
    /// The call, which may be over.
    public var call: CallID
    /// The path on the daemon's machine; empty where there is none.
    public var file: String
    /// Seconds of sound in it.
    public var seconds: Double
    /// Milliseconds of it that are silence because the disk was too slow.
    public var droppedMs: Double

    public init(call: CallID, file: String, seconds: Double, droppedMs: Double = 0) {
        self.call = call
        self.file = file
        self.seconds = seconds
        self.droppedMs = droppedMs
    }

    func write(to params: inout JSONObject) {
        params["id"] = .string(call.description)
        params["file"] = .string(file)
        params["seconds"] = JSONValue(thousandths: seconds)
        params["droppedMs"] = JSONValue(thousandths: droppedMs)
    }

    init?(params: JSONObject) {
        guard let call = params["id"]?.string.flatMap({ CallID($0) }), let file = params["file"]?.string else {
            return nil
        }
        self.init(
            call: call, file: file, seconds: params["seconds"]?.double ?? 0,
            droppedMs: params["droppedMs"]?.double ?? 0)
    }
}
