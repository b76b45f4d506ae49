/// Syntactically invalid messages after RFC 4475 §3.1.2.
enum TortureInvalid {
    static let all = [
        badinv01, clerr, ncl, scalar02, scalarlg, quotbal, ltgtruri, lwsruri, lwsstart, trws, escruri, baddate,
        regbadct, badaspec, baddn, badvers, mismatch01, mismatch02, bigcode,
    ]

    static let badinv01 = TortureMessage(
        "badinv01", .rejected(400),
        """
        INVITE sip:user@example.com SIP/2.0
        To: sip:j.user@example.com
        From: sip:caller@example.net;tag=134161461246
        Max-Forwards: 7
        Call-ID: badinv01.0ha0isndaksdjasdf3234nas
        CSeq: 8 INVITE
        Via: SIP/2.0/UDP 192.0.2.15;;,;,,
        Contact: "Joe" <sip:joe@example.org>;;;;
        Content-Length: 0


        """)

    static let clerr = TortureMessage(
        "clerr", .rejected(400),
        """
        INVITE sip:user@example.com SIP/2.0
        Max-Forwards: 80
        To: sip:j.user@example.com
        From: sip:caller@example.net;tag=93942939o2
        Contact: <sip:caller@hungry.example.net>
        Call-ID: clerr.0ha0isndaksdjweiafasdk3
        CSeq: 8 INVITE
        Via: SIP/2.0/UDP host5.example.com;branch=z9hG4bK-39234-23523
        Content-Type: application/sdp
        Content-Length: 9999

        v=0
        """)

    static let ncl = TortureMessage(
        "ncl", .rejected(400),
        """
        INVITE sip:user@example.com SIP/2.0
        Max-Forwards: 254
        To: sip:j.user@example.com
        From: sip:caller@example.net;tag=32394234
        Call-ID: ncl.0ha0isndaksdj2193423r542w35
        CSeq: 0 INVITE
        Via: SIP/2.0/UDP 192.0.2.53;branch=z9hG4bKkdjuw
        Contact: <sip:caller@example53.example.net>
        Content-Type: application/sdp
        Content-Length: -999

        v=0
        """)

    static let scalar02 = TortureMessage(
        "scalar02", .rejected(400),
        """
        REGISTER sip:example.com SIP/2.0
        Via: SIP/2.0/TCP host129.example.com;branch=z9hG4bK342sdfoi3
        To: <sip:user@example.com>
        From: <sip:user@example.com>;tag=239232jh3
        CSeq: 36893488147419103232 REGISTER
        Call-ID: scalar02.23o0pd9vanlq3wnrlnewofjas9ui32
        Max-Forwards: 300
        Expires: 10000000000000000000000000000000000000000
        Contact: <sip:user@host129.example.com>
          ;expires=280297596632815
        Content-Length: 0


        """)

    static let scalarlg = TortureMessage(
        "scalarlg", .dropped,
        """
        SIP/2.0 503 Service Unavailable
        Via: SIP/2.0/TCP host129.example.com;branch=z9hG4bKzzxdiwo34sw;received=192.0.2.129
        To: <sip:user@example.com>
        From: <sip:other@example.net>;tag=2easdjfejw
        CSeq: 9292394834772304023312 OPTIONS
        Call-ID: scalarlg.noase0of0234hn2qofoaf0232aewf2394r
        Retry-After: 949302838503028349304023988
        Warning: 1812 overture "In Progress"
        Content-Length: 0


        """)

    static let quotbal = TortureMessage(
        "quotbal", .rejected(400),
        """
        INVITE sip:user@example.com SIP/2.0
        To: "Mr. J. User <sip:j.user@example.com>
        From: sip:caller@example.net;tag=93334
        Max-Forwards: 10
        Call-ID: quotbal.aksdj
        Contact: <sip:caller@host59.example.net>
        CSeq: 8 INVITE
        Via: SIP/2.0/UDP 192.0.2.59:5050;branch=z9hG4bKkdjuw39234
        Content-Length: 0


        """)

    static let ltgtruri = TortureMessage(
        "ltgtruri", .rejected(400),
        """
        INVITE <sip:user@example.com> SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: ltgtruri.1@host5.example.net
        CSeq: 1 INVITE
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKltgtruri1
        Contact: <sip:caller@host5.example.net>
        Content-Length: 0


        """)

    static let lwsruri = TortureMessage(
        "lwsruri", .rejected(400),
        """
        INVITE sip:user@example.com; lr SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: lwsruri.1@host5.example.net
        CSeq: 1 INVITE
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKlwsruri1
        Contact: <sip:caller@host5.example.net>
        Content-Length: 0


        """)

    static let lwsstart = TortureMessage(
        "lwsstart", .rejected(400),
        """
        INVITE  sip:user@example.com  SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: lwsstart.1@host5.example.net
        CSeq: 1 INVITE
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKlwsstart1
        Contact: <sip:caller@host5.example.net>
        Content-Length: 0


        """)

    static let trws = TortureMessage(
        "trws", .rejected(400),
        """
        OPTIONS sip:remote-target@example.com SIP/2.0\u{20}\u{20}
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: trws.1@host5.example.net
        CSeq: 1 OPTIONS
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKtrws1
        Contact: <sip:caller@host5.example.net>
        Content-Length: 0


        """)

    static let escruri = TortureMessage(
        "escruri", .rejected(400),
        """
        INVITE sip:user@example.com?Route=%3Csip:example.com%3E SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: escruri.1@host5.example.net
        CSeq: 1 INVITE
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKescruri1
        Contact: <sip:caller@host5.example.net>
        Content-Length: 0


        """)

    static let baddate = TortureMessage(
        "baddate", .acceptable,
        """
        INVITE sip:user@example.com SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: baddate.1@host5.example.net
        CSeq: 1 INVITE
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKbaddate1
        Contact: <sip:caller@host5.example.net>
        Date: Fri, 01 Jan 2010 16:00:00 EST
        Content-Length: 0


        """)

    static let regbadct = TortureMessage(
        "regbadct", .rejected(400),
        """
        REGISTER sip:example.com SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: regbadct.1@host5.example.net
        CSeq: 1 REGISTER
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKregbadct1
        Contact: sip:user@example.com?Route=%3Csip:sip.example.com%3E
        Content-Length: 0


        """)

    static let badaspec = TortureMessage(
        "badaspec", .acceptable,
        """
        OPTIONS sip:user@example.org SIP/2.0
        To: "Watson, Thomas" < sip:t.watson@example.org >
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: badaspec.1@host5.example.net
        CSeq: 1 OPTIONS
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKbadaspec1
        Contact: <sip:caller@host5.example.net>
        Content-Length: 0


        """)

    static let baddn = TortureMessage(
        "baddn", .rejected(400),
        """
        OPTIONS sip:t.watson@example.org SIP/2.0
        To: sip:user@example.com
        From: Bell, Alexander <sip:a.g.bell@example.com>;tag=43
        Max-Forwards: 70
        Call-ID: baddn.1@host5.example.net
        CSeq: 1 OPTIONS
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKbaddn1
        Contact: <sip:caller@host5.example.net>
        Content-Length: 0


        """)

    static let badvers = TortureMessage(
        "badvers", .rejected(505),
        """
        OPTIONS sip:t.watson@example.org SIP/7.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: badvers.1@host5.example.net
        CSeq: 1 OPTIONS
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKbadvers1
        Contact: <sip:caller@host5.example.net>
        Content-Length: 0


        """)

    static let mismatch01 = TortureMessage(
        "mismatch01", .rejected(400),
        """
        OPTIONS sip:user@example.com SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: mismatch01.1@host5.example.net
        CSeq: 1 INVITE
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKmismatch011
        Contact: <sip:caller@host5.example.net>
        Content-Length: 0


        """)

    static let mismatch02 = TortureMessage(
        "mismatch02", .rejected(400),
        """
        NEWMETHOD sip:user@example.com SIP/2.0
        To: sip:user@example.com
        From: sip:caller@example.net;tag=8814
        Max-Forwards: 70
        Call-ID: mismatch02.1@host5.example.net
        CSeq: 8 INVITE
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKmismatch021
        Contact: <sip:caller@host5.example.net>
        Content-Length: 0


        """)

    static let bigcode = TortureMessage(
        "bigcode", .unreadable,
        """
        SIP/2.0 4294967301 better not break the receiver
        Via: SIP/2.0/UDP 192.0.2.105;branch=z9hG4bK2398ndaoe
        Call-ID: bigcode.asdof3uj203asdnf3429uasdhfas3ehjasdfas9i
        CSeq: 353494 INVITE
        From: <sip:user@example.com>;tag=39ansfi3
        To: <sip:user@example.edu>;tag=902jndnke3
        Content-Length: 0
        Contact: <sip:user@host105.example.com>


        """)
}
