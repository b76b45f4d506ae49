public import CallModel

/// A recording that is wanted of a call.
public struct RecordingWish: Sendable, Hashable {
    /// The path of a file that is not there yet, or a name in the folder of recordings; its ending says the format. nil: a name
    /// is made, of the format that is configured.
    public var file: String?
    /// For that name: the other party, and when the call was connected, in seconds since 1970.
    public var handle: String
    public var seconds: Int

    public init(file: String? = nil, handle: String, seconds: Int) {
        self.file = file
        self.handle = handle
        self.seconds = seconds
    }
}

/// How a recording has ended.
public struct RecordingEnd: Sendable, Hashable {
    public var call: CallID
    public var file: String
    /// Of sound in it.
    public var seconds: Double
    /// Of it, what is silence because the disk was too slow.
    public var droppedMilliseconds: Double
    /// Why it ended before it was to; nil: it was to.
    public var failure: String?
    /// There is no file, as there was no sound for it.
    public var isRemoved = false

    public init(call: CallID, file: String, seconds: Double, droppedMilliseconds: Double = 0, failure: String? = nil) {
        self.call = call
        self.file = file
        self.seconds = seconds
        self.droppedMilliseconds = droppedMilliseconds
        self.failure = failure
    }
}
