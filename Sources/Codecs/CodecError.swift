public import MediaDescription

/// A codec's state could not be made. Its message names the codec, the library and the library's own code.
public struct CodecError: Error, Hashable, Sendable, CustomStringConvertible {
    public var codec: Codec
    /// What was tried.
    public var operation: String
    /// The library's code, or 0 where it gave none.
    public var code: Int

    public init(codec: Codec, operation: String, code: Int) {
        self.codec = codec
        self.operation = operation
        self.code = code
    }

    public var description: String {
        "\(codec.rawValue): \(operation) failed with code \(code); is there enough memory?"
    }
}
