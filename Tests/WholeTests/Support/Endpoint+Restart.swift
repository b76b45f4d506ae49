import Glibc

/// A daemon that was started again on the configuration and the state of one that is gone.
final class Restarted {
    let process: ChildProcess
    let control: ControlConnection

    /// Starts it and waits until it is ready.
    init(_ endpoint: Endpoint, run: Int = 2) throws {
        process = try ChildProcess(
            "\(Endpoint.programs)/handsetd", ["--config", endpoint.configuration, "--socket", endpoint.socket],
            log: "\(endpoint.configuration).log\(run)")
        let (process, path) = (process, endpoint.socket)
        control = try eventually("\(endpoint.name) is ready again") {
            if let status = process.poll() { throw SupportError("handsetd ended with \(status): \(process.output)") }
            return try? ControlConnection(path: path)
        }
        try control.request("events.subscribe")
    }

    func kill() {
        process.send(SIGKILL)
        _ = process.wait(seconds: 5)
    }
}
