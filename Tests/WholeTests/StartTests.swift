import ControlProtocol
import Glibc
import Testing

extension Whole {
    @Suite("How handsetd starts", .serialized, .timeLimit(.minutes(2))) struct StartTests {
        private static func run(_ arguments: [String]) throws -> (status: Int32?, output: String) {
            let folder = try ScratchFolder()
            let process = try ChildProcess("\(Endpoint.programs)/handsetd", arguments, log: "\(folder.path)/log")
            return (process.wait(seconds: 10), process.output)
        }

        @Test(
            "A wrong configuration is 2, and named by file, line and key",
            arguments: [
                ("[audio]\nperiod_ms = 50\n", 2, "audio.period_ms"), ("\n\n[opus]\nspeed = 3\n", 4, "opus.speed"),
                ("[sip]\nlisten = [\"udp:nowhere\"]\n", 2, "sip.listen"),
                ("[audio]\n\ndevices = [\"oss:/dev/dsp\"]\n", 3, "audio.devices"),
                ("[direct]\naccept_from = [\"lan\", \"10.0.0.0/99\"]\n", 2, "direct.accept_from"),
                (
                    "[[account]]\nname = \"a\"\nuri = \"sip:1@b.example\"\nregistrar = \"http://x\"\n", 4,
                    "account.registrar"
                ),
            ])
        func configuration(text: String, line: Int, key: String) throws {
            let folder = try ScratchFolder()
            let path = "\(folder.path)/handset.toml"
            try writeFile(path, Array(text.utf8))
            for more in [["--check-config"], []] {
                let (status, output) = try Self.run(
                    ["--config", path, "--socket", "\(folder.path)/control.sock"] + more)
                #expect(status == 2)
                #expect(output.contains("\(path):\(line): \(key): "), "\(output)")
            }
        }

        @Test("A configuration that is not there, and options that are none, are 2")
        func usage() throws {
            let missing = try Self.run(["--config", "/nonexistent/handset.toml"])
            #expect(missing.status == 2)
            #expect(missing.output.contains("/nonexistent/handset.toml"))
            #expect(try Self.run(["--fly"]).status == 2)
        }

        @Test("Files that are not there are told by --check-config, the status and the doctor, and stop nothing")
        func missingFiles() throws {
            let folder = try ScratchFolder()
            let path = "\(folder.path)/handset.toml"
            let input = "\(folder.path)/nosuch.wav"
            let port = try FreePorts.take()
            let text = """
                [audio]
                devices = ["file:\(input),"]
                ring = []
                [sip]
                listen = ["udp:127.0.0.1:\(port)"]
                """
            try writeFile(path, Array(text.utf8))
            let complaint = "\(input): No such file or directory"
            let (status, output) = try Self.run(["--check-config", "--config", path])
            #expect(status == 0)
            #expect(output == "\(path):2: audio.devices: \(complaint)\n\(path): nothing else wrong\n")
            let socket = "\(folder.path)/control.sock"
            let daemon = try ChildProcess(
                "\(Endpoint.programs)/handsetd", ["--config", path, "--socket", socket], log: "\(folder.path)/log",
                environment: ["STATE_DIRECTORY": folder.path])
            let control = try eventually("it is ready") { try? ControlConnection(path: socket) }
            func problems() throws -> [String] {
                try control.request("daemon.status")["problems"]?.array?.compactMap { $0["message"]?.string } ?? []
            }
            _ = try eventually("the status shows it") { try problems() == [complaint] ? true : nil }
            let doctor = try HandsetCommand(["doctor"], socket: socket).finish()
            #expect(doctor.status == 1)
            #expect(doctor.output.contains(complaint) && doctor.output.contains("make the file, or name another one"))
            try WaveFile.tone(440, seconds: 1).write(to: input)
            try control.request("daemon.reload")
            _ = try eventually("it is mended") { try problems().isEmpty ? true : nil }
            daemon.stop()
        }

        @Test("What may never end is not waited for: a named pipe and a device are 2, as configuration and as password")
        func notRegular() throws {
            let folder = try ScratchFolder()
            let pipe = "\(folder.path)/pipe"
            try #require(mkfifo(pipe, 0o600) == 0)
            let path = "\(folder.path)/handset.toml"
            for (file, reason) in [
                (pipe, "no regular file"), ("/dev/zero", "no regular file"), (folder.path, "a folder"),
            ] {
                let (status, output) = try Self.run(["--check-config", "--config", file])
                #expect(status == 2 && output.hasPrefix("\(file):1: cannot be read: it is \(reason)"), "\(output)")
                let account = "[[account]]\nname = \"a\"\nuri = \"sip:1@b.example\"\npassword_file = \"\(file)\"\n"
                try writeFile(path, Array(account.utf8))
                let secret = try Self.run(["--check-config", "--config", path])
                #expect(secret.status == 2 && secret.output.contains("account.password_file: \(file) cannot be read"))
            }
        }

        @Test("A pipe that the daemon is given may be the configuration; a reload cannot read it again")
        func givenPipe() throws {
            let folder = try ScratchFolder()
            func shell(_ text: String, _ arguments: String) throws -> ChildProcess {
                try ChildProcess(
                    "sh",
                    ["-c", "printf '\(text)' | exec '\(Endpoint.programs)/handsetd' --config /dev/stdin \(arguments)"],
                    log: "\(folder.path)/log")
            }
            #expect(try shell("[opus]\\nspeed = 3\\n", "--check-config").wait(seconds: 10) == 2)
            #expect(readText("\(folder.path)/log").contains("/dev/stdin:2: opus.speed"))
            #expect(try shell("[opus]\\nfec = false\\n", "--check-config").wait(seconds: 10) == 0)
            let socket = "\(folder.path)/control.sock"
            let port = try FreePorts.take()
            let running = try ChildProcess(
                "sh",
                [
                    "-c",
                    "printf '[sip]\\nlisten = [\"udp:127.0.0.1:\(port)\"]\\n[audio]\\ndevices = [\"file:,\"]\\nring = []\\n' |"
                        + " exec '\(Endpoint.programs)/handsetd' --config /dev/stdin --socket \(socket)",
                ], log: "\(folder.path)/running", environment: ["STATE_DIRECTORY": folder.path], leadsGroup: true)
            let control = try eventually("it is ready") { try? ControlConnection(path: socket) }
            #expect(try control.failure("daemon.reload") == "invalidState")
            running.stop()
        }

        @Test("A port in use is 1, and who holds it is named")
        func portInUse() throws {
            let holder = try Endpoint("alice", tone: nil)
            let folder = try ScratchFolder()
            for transport in ["udp", "tcp"] {
                let path = "\(folder.path)/handset.toml"
                try writeFile(path, Array("[sip]\nlisten = [\"\(transport):127.0.0.1:\(holder.port)\"]\n".utf8))
                let (status, output) = try Self.run(["--config", path, "--socket", "\(folder.path)/control.sock"])
                #expect(status == 1)
                #expect(output.contains("handsetd (pid \(holder.process.identifier))"), "\(output)")
                #expect(output.contains("\(transport):127.0.0.1:\(holder.port)"), "\(output)")
            }
        }

        @Test("A control socket in use is 1, who holds it is named, and it goes on being served")
        func socketInUse() throws {
            let holder = try Endpoint("alice", tone: nil)
            let folder = try ScratchFolder()
            let path = "\(folder.path)/handset.toml"
            try writeFile(path, Array("[sip]\nlisten = [\"udp:127.0.0.1:\(try FreePorts.take())\"]\n".utf8))
            let (status, output) = try Self.run(["--config", path, "--socket", holder.socket])
            #expect(status == 1)
            #expect(output.contains("\(holder.socket) is in use"), "\(output)")
            #expect(output.contains("\(holder.process.identifier)") && output.contains("handsetd"), "\(output)")
            #expect(try ControlConnection(path: holder.socket).request("daemon.status")["version"]?.string != nil)
        }

        @Test("Reloading takes what can be taken without ending calls, and a wrong file changes nothing")
        func reload() throws {
            let alice = try Endpoint("alice", tone: nil)
            let before = readText(alice.configuration)
            try writeFile(alice.configuration, Array((before + "[calls]\nring_timeout_s = \"soon\"\n").utf8))
            let wrong = try alice.handset("reload")
            #expect(wrong.status == 1)
            #expect(wrong.errors.contains("calls.ring_timeout_s"))
            try writeFile(alice.configuration, Array((before + "[calls]\nmaximum_calls = 2\n").utf8))
            let right = try alice.handset("reload", "--json")
            #expect(right.status == 0)
            #expect(right.json?["applied"]?.array?.contains { $0.string == "calls" } == true)
        }
    }
}
