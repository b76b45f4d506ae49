/// Messages after RFC 4475 §3.2 to §3.4: transaction, application and backward-compatibility semantics.
enum TortureSemantics {
    static let all = [
        badbranch, insuf, unkscm, novelsc, unksm2, bext01, invut, regaut01, multi01, mcl01, bcast, zeromf,
        cparam01, cparam02, regescrt, sdp01, inv2543,
    ]

    static let badbranch = TortureMessage(
        "badbranch", .acceptable,
        """
        OPTIONS sip:user@example.com SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.org;tag=33242
        Max-Forwards: 3
        Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK
        Accept: application/sdp
        Call-ID: badbranch.sadonfo23i420jv0as0derf3j3n
        CSeq: 8 OPTIONS
        l: 0


        """)

    static let insuf = TortureMessage(
        "insuf", .rejected(400),
        """
        INVITE sip:user@example.com SIP/2.0
        CSeq: 193942 INVITE
        Via: SIP/2.0/UDP 192.0.2.95;branch=z9hG4bKkdj.insuf
        Content-Type: application/sdp
        l: %CL%

        v=0
        """)

    static let unkscm = TortureMessage(
        "unkscm", .rejected(416),
        """
        OPTIONS nobodyKnowsThisScheme:totallyopaquecontent SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: unkscm.1@host5.example.net
        CSeq: 1 OPTIONS
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKunkscm1
        Contact: <sip:caller@host5.example.net>
        Content-Length: 0


        """)

    static let novelsc = TortureMessage(
        "novelsc", .rejected(416),
        """
        OPTIONS soap.beep://192.0.2.103:3002 SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: novelsc.1@host5.example.net
        CSeq: 1 OPTIONS
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKnovelsc1
        Contact: <sip:caller@host5.example.net>
        Content-Length: 0


        """)

    static let unksm2 = TortureMessage(
        "unksm2", .acceptable,
        """
        REGISTER sip:example.com SIP/2.0
        To: isbn:2983792873
        From: <http://www.example.com>;tag=3234233
        Max-Forwards: 70
        Call-ID: unksm2.1@host5.example.net
        CSeq: 1 REGISTER
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKunksm21
        Contact: <name:John_Smith>
        Content-Length: 0


        """)

    static let bext01 = TortureMessage(
        "bext01", .rejected(420),
        """
        OPTIONS sip:user@example.com SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: bext01.1@host5.example.net
        CSeq: 1 OPTIONS
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKbext011
        Contact: <sip:caller@host5.example.net>
        Require: nothingSupportsThis, nothingSupportsThisEither
        Proxy-Require: noProxiesSupportThis, norDoAnyProxiesSupportThis
        Content-Length: 0


        """)

    static let invut = TortureMessage(
        "invut", .acceptable,
        """
        INVITE sip:user@example.com SIP/2.0
        Contact: <sip:caller@host5.example.net>
        To: sip:j.user@example.com
        From: sip:caller@example.net;tag=8392034
        Max-Forwards: 70
        Call-ID: invut.0ha0isndaksdjadsfij34n23d
        CSeq: 235448 INVITE
        Via: SIP/2.0/UDP somehost.example.com;branch=z9hG4bKkdjuw
        Content-Type: application/unknownformat
        Content-Length: %CL%

        <audio>
         <pcmu port="443"/>
        </audio>
        """)

    static let regaut01 = TortureMessage(
        "regaut01", .acceptable,
        """
        REGISTER sip:example.com SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: regaut01.1@host5.example.net
        CSeq: 9338 REGISTER
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKregaut011
        Contact: <sip:caller@host5.example.net>
        Authorization: NoOneKnowsThisScheme opaque-data=here
        Content-Length: 0


        """)

    static let multi01 = TortureMessage(
        "multi01", .rejected(400),
        """
        INVITE sip:user@company.com SIP/2.0
        Contact: <sip:caller@host25.example.net>
        Via: SIP/2.0/UDP 192.0.2.25;branch=z9hG4bKkdjuw
        Max-Forwards: 70
        CSeq: 5 INVITE
        Call-ID: multi01.98asdh@192.0.2.1
        CSeq: 59 INVITE
        Call-ID: multi01.98asdh@192.0.2.2
        From: sip:caller@example.com;tag=3413415
        To: sip:user@example.com
        To: sip:other@example.net
        From: sip:caller@example.net;tag=2923420123
        Content-Type: application/sdp
        l: %CL%
        Contact: <sip:caller@host36.example.net>
        Max-Forwards: 5

        v=0
        """)

    static let mcl01 = TortureMessage(
        "mcl01", .rejected(400),
        """
        OPTIONS sip:user@example.com SIP/2.0
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bK293423
        To: sip:user@example.com
        From: sip:other@example.net;tag=3923942
        Call-ID: mcl01.fhn2323orihawfdoa3o4r52o3irsdf
        CSeq: 15932 OPTIONS
        Content-Length: 13
        Max-Forwards: 60
        Content-Length: 5
        Content-Type: text/plain

        There's no way to know how many octets are supposed to be here.
        """)

    static let bcast = TortureMessage(
        "bcast", .dropped,
        """
        SIP/2.0 200 OK
        Via: SIP/2.0/UDP 192.0.2.198;branch=z9hG4bK1324923
        Via: SIP/2.0/UDP 255.255.255.255;branch=z9hG4bK1saber23
        Call-ID: bcast.0384840201234ksdfak3j2erwedfsASdf
        CSeq: 35 INVITE
        From: sip:user@example.com;tag=11141343
        To: sip:user@example.edu;tag=2229
        Content-Length: 0
        Contact: <sip:user@host28.example.com>


        """)

    static let zeromf = TortureMessage(
        "zeromf", .acceptable,
        """
        OPTIONS sip:user@example.com SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=3ghsd41
        Call-ID: zeromf.jfasdlfnm2o2l43r5u0asdfas
        CSeq: 39234321 OPTIONS
        Via: SIP/2.0/UDP host1.example.com;branch=z9hG4bKkdjuw2349i
        Max-Forwards: 0
        Content-Length: 0


        """)

    static let cparam01 = TortureMessage(
        "cparam01", .acceptable,
        """
        REGISTER sip:example.com SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: cparam01.1@host5.example.net
        CSeq: 9 REGISTER
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKcparam011
        Contact: sip:+19725552222@gw1.example.net;unknownparam
        Content-Length: 0


        """)

    static let cparam02 = TortureMessage(
        "cparam02", .acceptable,
        """
        REGISTER sip:example.com SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: cparam02.1@host5.example.net
        CSeq: 9 REGISTER
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKcparam021
        Contact: <sip:+19725552222@gw1.example.net;unknownparam>
        Content-Length: 0


        """)

    static let regescrt = TortureMessage(
        "regescrt", .acceptable,
        """
        REGISTER sip:example.com SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: regescrt.1@host5.example.net
        CSeq: 14398234 REGISTER
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKregescrt1
        Contact: <sip:user@example.com?Route=%3Csip:sip.example.com%3E>
        Content-Length: 0


        """)

    static let sdp01 = TortureMessage(
        "sdp01", .acceptable,
        """
        INVITE sip:user@example.com SIP/2.0
        To: sip:j_user@example.com
        Contact: <sip:caller@host15.example.net>
        From: sip:caller@example.net;tag=234
        Max-Forwards: 5
        Call-ID: sdp01.ndaksdj9342dasdd
        Accept: text/nobodyKnowsThis
        CSeq: 8 INVITE
        Via: SIP/2.0/UDP 192.0.2.15;branch=z9hG4bKkdjuw
        Content-Length: %CL%
        Content-Type: application/sdp

        v=0
        """)

    static let inv2543 = TortureMessage(
        "inv2543", .acceptable,
        """
        INVITE sip:UserB@example.com SIP/2.0
        Via: SIP/2.0/UDP iftgw.example.com
        From: <sip:+13035551111@ift.client.example.net;user=phone>
        Record-Route: <sip:UserB@example.com;maddr=ss1.example.com>
        To: sip:+16505552222@ss1.example.net;user=phone
        Call-ID: inv2543.1717@ift.client.example.com
        CSeq: 56 INVITE
        Content-Type: application/sdp

        v=0
        """)
}
