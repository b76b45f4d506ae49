import CallModel
import EventLoop
import Glibc
import Testing

@testable import HandsetDaemon

@Suite("Control socket", .timeLimit(.minutes(1))) struct ControlSocketTests {
    private func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    private func second(_ path: String) async -> ControlSocketError? {
        await Task { @DaemonActor in
            let backend = FakeBackend()
            let server = ControlServer(group: "", backend: backend)
            do throws(ControlSocketError) { try server.listen(path: path) } catch { return error }
            server.close()
            return nil
        }.value
    }

    @Test("The socket has mode 0660 and is gone after the end")
    func mode() async throws {
        let socket = try await ServedSocket()
        #expect(status(socket.path).map { $0.st_mode & 0o777 } == 0o660)
        await socket.close()
        #expect(status(socket.path) == nil)
    }

    @Test("A socket in use is left alone, and the error names who holds it")
    func inUse() async throws {
        let socket = try await ServedSocket()
        let error = await second(socket.path)
        #expect(error?.message.contains("process \(getpid())") == true)
        #expect(try socket.client().ask("{\"id\":1,\"method\":\"call.list\"}") != nil)
        await socket.close()
    }

    @Test("A socket that a dead daemon left behind is replaced; a file is not")
    func stale() async throws {
        EventLoop.shared.runInBackground()
        let path = "/tmp/handset-test-\(getpid())-stale.sock"
        try await Task { @DaemonActor in
            let listener = try ControlListener(path: path, group: nil)
            Glibc.close(listener.descriptor)  // as a crash does: the node stays
        }.value
        #expect(status(path) != nil)
        #expect(await second(path) == nil)
        #expect(status(path) == nil)
        close(creat(path, 0o600))
        #expect(await second(path)?.message.contains("not a socket") == true)
        #expect(status(path) != nil)
        unlink(path)
    }

    @Test("A path that cannot be is refused with the reason")
    func impossible() async {
        EventLoop.shared.runInBackground()
        #expect(await second("/nowhere/at/all/control.sock")?.message.contains("folder") == true)
        #expect(await second("/tmp/" + String(repeating: "x", count: 200))?.message.contains("107") == true)
    }

    @Test("An inherited socket is served and never unlinked")
    func inherited() async throws {
        EventLoop.shared.runInBackground()
        let path = "/tmp/handset-test-\(getpid())-inherited.sock"
        let (server, backend) = try await Task { @DaemonActor in
            let listener = try ControlListener(path: path, group: nil)
            let backend = FakeBackend()
            let server = ControlServer(group: "", backend: backend)
            try server.listen(inherited: listener.descriptor)
            return (server, backend)
        }.value
        #expect(LineClient(path)?.ask("{\"id\":1,\"method\":\"call.list\"}") != nil)
        await server.close()
        #expect(status(path) != nil)
        unlink(path)
        _ = backend
    }

    @Test("A descriptor that is no listening socket is refused")
    func notASocket() async {
        EventLoop.shared.runInBackground()
        await Task { @DaemonActor in
            let backend = FakeBackend()
            let server = ControlServer(group: "no such group", backend: backend)
            #expect(server.warning?.contains("no such group") == true)
            #expect(throws: ControlSocketError.self) { try server.listen(inherited: 0) }
        }.value
    }

    @Test("A user who is neither root nor ours, nor of the group, is turned away", .enabled(if: geteuid() == 0))
    func stranger() async throws {
        let socket = try await ServedSocket()
        chmod(socket.path, 0o666)
        #expect(Self.answer(to: 65_534, group: 65_534, of: socket.path)?.contains("notPermitted") == true)
        await socket.close()
    }

    @Test("A member of the group is let in, by main and by supplementary group", .enabled(if: geteuid() == 0))
    func member() async throws {
        EventLoop.shared.runInBackground()
        let path = "/tmp/handset-test-\(getpid())-member.sock"
        let (server, backend) = try await Task { @DaemonActor in
            let backend = FakeBackend()
            let server = ControlServer(group: "audio", backend: backend)
            try server.listen(path: path)
            return (server, backend)
        }.value
        let audio = try #require(getgrnam("audio")).pointee.gr_gid
        #expect(status(path)?.st_gid == audio)
        #expect(Self.answer(to: 65_534, group: audio, of: path)?.contains("result") == true)
        #expect(Self.answer(to: 65_534, group: 65_534, also: audio, of: path)?.contains("result") == true)
        await server.close()
        _ = backend
    }

    /// What `call.list` is answered by the socket at `path` when asked by another user, from a process of its own.
    private static func answer(to user: uid_t, group: gid_t, also: gid_t? = nil, of path: String) -> String? {
        let groups = also.map { "--groups=\($0)" } ?? "--clear-groups"
        // Who is turned away may find the connection closed before it has written; the refusal can be read all the same.
        let script = """
            $SIG{PIPE} = "IGNORE"; $s = IO::Socket::UNIX->new(Peer => "\(path)") or die $!; \
            print $s q({"id":1,"method":"call.list"})."\\n"; print scalar <$s>
            """
        let command =
            "timeout 5 setpriv --reuid=\(user) --regid=\(group) \(groups) perl -MIO::Socket::UNIX -e '\(script)' 2>&1"
        guard let pipe = popen(command, "r") else { return nil }
        defer { pclose(pipe) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, pipe)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
