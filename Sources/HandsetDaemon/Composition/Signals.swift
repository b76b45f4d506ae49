internal import CLinux
internal import EventLoop
internal import Glibc

/// SIGTERM, SIGINT and SIGHUP as events of the loop.
@DaemonActor final class Signals {
    private let descriptor: Int32
    private var watch: DescriptorWatch?

    /// - Parameter descriptor: what `Signals.block()` returned.
    init(descriptor: Int32, terminate: @escaping @DaemonActor () -> Void, reload: @escaping @DaemonActor () -> Void) {
        self.descriptor = descriptor
        watch = DescriptorWatch(descriptor, for: .read) { _ in
            while true {
                switch clinux_signals_take(descriptor) {
                case SIGTERM, SIGINT: terminate()
                case SIGHUP: reload()
                default: return
                }
            }
        }
    }

    /// Takes the signals from every thread that comes to be after it; nil where the kernel refuses.
    nonisolated static func block() -> Int32? {
        let descriptor = clinux_signals_open()
        return descriptor >= 0 ? descriptor : nil
    }
}
