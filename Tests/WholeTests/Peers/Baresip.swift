import ControlProtocol
import Glibc

/// A baresip of its own with a sound card of its own, driven through its control socket.
final class Baresip {
    let port: Int
    let process: ChildProcess
    private let card: VirtualCard
    private let folder: ScratchFolder
    private let descriptor: Int32
    private var received: [UInt8] = []
    private var events: [JSONValue] = []

    var uri: String { "sip:baresip@127.0.0.1:\(port)" }

    static var isInstalled: Bool { ChildProcess.exists("baresip") && moduleFolder != nil && VirtualCard.isAvailable }

    private static let moduleFolder = ["/usr/lib/baresip/modules"].first { access("\($0)/alsa.so", R_OK) == 0 }

    /// - Parameter codec: in baresip's words, such as `PCMA/8000/1`.
    /// - Parameter tone: what its microphone hears, in whole Hz.
    init(codec: String, answers: Bool, tone: Double) throws {
        card = try VirtualCard(tone: tone)
        guard let modules = Self.moduleFolder else { throw SupportError("baresip has no modules") }
        folder = try ScratchFolder()
        port = try FreePorts.take()
        let control = try FreePorts.take()
        let media = try FreePorts.take()
        let configuration = """
            poll_method epoll
            sip_listen 127.0.0.1:\(port)
            call_local_timeout 120
            call_max_calls 4
            audio_player alsa,\(card.device)
            audio_source alsa,\(card.device)
            audio_alert alsa,null
            ausrc_format s16
            auplay_format s16
            audio_buffer 20-160
            audio_txmode thread
            rtp_ports \(media)-\(media + 15)
            rtcp_mux no
            jitter_buffer_delay 1-5
            net_interface 127.0.0.1
            module_path \(modules)
            module opus.so
            module g711.so
            module g722.so
            module alsa.so
            module_tmp uuid.so
            module_tmp account.so
            module_app menu.so
            module_app ctrl_tcp.so
            ctrl_tcp_listen 127.0.0.1:\(control)
            opus_stereo no
            opus_sprop_stereo no

            """
        try writeFile("\(folder.path)/config", Array(configuration.utf8))
        let mode = answers ? "auto" : "manual"
        let account = "<sip:baresip@127.0.0.1:\(port)>;regint=0;answermode=\(mode);audio_codecs=\(codec)\n"
        try writeFile("\(folder.path)/accounts", Array(account.utf8))
        try writeFile("\(folder.path)/contacts", [])
        process = try ChildProcess(
            "baresip", ["-f", folder.path], log: "\(folder.path)/log", environment: VirtualCard.environment)
        let process = self.process
        descriptor = try eventually("baresip listens") {
            if process.poll() != nil { throw SupportError("baresip ended: \(process.output)") }
            return connectTCP(port: control)
        }
    }

    deinit { close(descriptor) }

    /// What its loudspeaker plays during the next `seconds`.
    func listen(seconds: Double) throws -> ArraySlice<Int16> { try card.listen(seconds: seconds) }

    func expectHeard(_ tone: Double) throws {
        _ = try eventually("baresip hears \(tone) Hz", within: 8) {
            try listen(seconds: 0.3).heardDbfs(of: tone) > CallPair.audible ? true : nil
        }
    }

    /// One command of the menu module.
    func command(_ name: String, _ parameters: String = "") throws {
        let message: JSONObject = [
            "command": .string(name), "params": .string(parameters), "token": .string("t"),
        ]
        let text = JSONValue.object(message).text
        let bytes = Array("\(text.utf8.count):\(text),".utf8)
        guard bytes.withUnsafeBytes({ send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }) > 0
        else { throw SupportError("baresip is gone") }
    }

    /// Waits for an event of that type, such as `CALL_ESTABLISHED`.
    func event(_ type: String, seconds: Double = 10) throws {
        _ =
            try eventually("baresip says \(type)", within: seconds) {
                try readEvents()
                guard let index = events.firstIndex(where: { $0["type"]?.string == type }) else { return nil }
                return events.remove(at: index)
            } as JSONValue
    }

    private func readEvents() throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 { received += buffer[..<count] }
        while let colon = received.firstIndex(of: UInt8(ascii: ":")),
            let length = Int(String(decoding: received[..<colon], as: UTF8.self)),
            received.count > colon + length + 1
        {
            let text = Array(received[(colon + 1)..<(colon + 1 + length)])
            received.removeFirst(colon + length + 2)
            if let event = try? JSONValue(parsing: text), event["event"]?.bool == true { events.append(event) }
        }
    }
}

func connectTCP(port: Int) -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard code == 0 else {
        close(descriptor)
        return nil
    }
    return descriptor
}
