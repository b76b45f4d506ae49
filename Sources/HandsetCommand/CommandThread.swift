internal import Threads

extension DetachedThread {
    /// Begins `body` on a thread of its own; where none can be made, the command fails.
    static func run(_ body: @escaping @Sendable () -> Void) throws(HandsetCommand.Failure) {
        do throws(DetachedThread.Failure) {
            try start(body)
        } catch {
            throw .failed("\(error)")
        }
    }
}
