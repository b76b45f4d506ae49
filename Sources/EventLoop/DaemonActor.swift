/// The one thread on which signalling, control and calls live: what is isolated to it needs no lock.
@globalActor public actor DaemonActor {
    public static let shared = DaemonActor()

    public nonisolated var unownedExecutor: UnownedSerialExecutor { EventLoop.shared.asUnownedSerialExecutor() }

    /// Enters the actor from code that is known to run on the event loop; traps anywhere else.
    public static func assumeIsolated<Result: Sendable>(_ body: @DaemonActor () throws -> Result) rethrows -> Result {
        shared.preconditionIsolated()
        return try withoutActuallyEscaping(body) { isolated in
            // Isolation is a matter of types only; that the executor is ours was checked above.
            try unsafeBitCast(isolated, to: (() throws -> Result).self)()
        }
    }
}
