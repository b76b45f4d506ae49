import Glibc

/// A kamailio of its own: registrar and proxy on loopback that challenges REGISTER and INVITE.
final class Kamailio {
    let port: Int
    let process: ChildProcess
    private let folder: ScratchFolder
    static let password = "open sesame"

    static var program: String? {
        ["/usr/sbin/kamailio", "/usr/local/sbin/kamailio"].first { access($0, X_OK) == 0 }
    }

    init() throws {
        guard let program = Self.program else { throw SupportError("kamailio is not installed") }
        folder = try ScratchFolder()
        port = try FreePorts.take()
        let configuration = """
            #!KAMAILIO
            debug=2
            log_stderror=yes
            fork=yes
            children=1
            disable_tcp=yes
            listen=udp:127.0.0.1:\(port)
            loadmodule "kex.so"
            loadmodule "tm.so"
            loadmodule "sl.so"
            loadmodule "rr.so"
            loadmodule "pv.so"
            loadmodule "maxfwd.so"
            loadmodule "usrloc.so"
            loadmodule "registrar.so"
            loadmodule "auth.so"
            loadmodule "textops.so"
            loadmodule "siputils.so"
            modparam("usrloc", "db_mode", 0)
            modparam("registrar", "max_expires", 60)
            request_route {
                if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
                if (has_totag()) {
                    if (loose_route()) { t_relay(); exit; }
                    if (is_method("ACK")) { if (t_check_trans()) { t_relay(); } exit; }
                    sl_send_reply("404", "Not Here");
                    exit;
                }
                if (is_method("CANCEL")) { if (t_check_trans()) { t_relay(); } exit; }
                t_check_trans();
                if (is_method("REGISTER")) {
                    if (!pv_www_authenticate("127.0.0.1", "\(Self.password)", "0")) {
                        www_challenge("127.0.0.1", "1");
                        exit;
                    }
                    save("location");
                    exit;
                }
                if (is_method("INVITE")) {
                    if (!pv_proxy_authenticate("127.0.0.1", "\(Self.password)", "0")) {
                        proxy_challenge("127.0.0.1", "1");
                        exit;
                    }
                    consume_credentials();
                }
                record_route();
                if (!lookup("location")) { sl_send_reply("404", "Not Found"); exit; }
                t_relay();
            }

            """
        try writeFile("\(folder.path)/kamailio.cfg", Array(configuration.utf8))
        process = try ChildProcess(
            program, ["-f", "\(folder.path)/kamailio.cfg", "-DD", "-E", "-Y", folder.path, "-w", folder.path],
            log: "\(folder.path)/log", leadsGroup: true)
    }

    /// TOML of an account at it.
    func account(_ user: String, folder: ScratchFolder) throws -> String {
        try writeFile("\(folder.path)/\(user).secret", Array("\(Self.password)\n".utf8))
        return """
            [[account]]
            name = "\(user)"
            uri = "sip:\(user)@127.0.0.1:\(port)"
            username = "\(user)"
            password_file = "\(folder.path)/\(user).secret"
            registrar = "sip:127.0.0.1:\(port)"
            """
    }
}
