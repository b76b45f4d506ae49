/// Valid, if odd, messages after RFC 4475 §3.1.1.
enum TortureValid {
    static let all = [
        wsinv, intmeth, esc01, escnull, esc02, lwsdisp, longreq, dblreq, semiuri, transports, mpart01, unreason,
        noreason,
    ]

    static let wsinv = TortureMessage(
        "wsinv", .acceptable,
        #"""
        INVITE sip:vivek@chair.example.com;unknownparam SIP/2.0
        TO :
         sip:vivek@chair.example.com ;   tag    = 1918181833n
        from   : "J Rosen \\\""       <sip:jrosen@example.com>
          ;
          tag = 98asjd8
        MaX-fOrWaRdS: 0068
        Call-ID: wsinv.ndaksdj@192.0.2.1
        Content-Length   : %CL%
        cseq: 0009
          INVITE
        Via  : SIP  /   2.0
         /UDP
            192.0.2.2;branch=390skdjuw
        s :
        NewFangledHeader:   newfangled value
         continued newfangled value
        UnknownHeaderWithUnusualValue: ;;,,;;,;
        Content-Type: application/sdp
        Route:
         <sip:services.example.com;lr;unknownwith=value;unknown-no-value>
        v:  SIP  / 2.0  / TCP     spindle.example.com   ;
          branch  =   z9hG4bK9ikj8  ,
         SIP  /    2.0   / UDP  192.168.255.111   ; branch=
         z9hG4bK30239
        m:"Quoted string \"\"" <sip:jrosen@example.com> ; newparam =
              newvalue ;
          secondparam ; q = 0.33

        v=0
        o=mhandley 29739 7272939 IN IP4 192.0.2.3
        """#)

    static let intmeth = TortureMessage(
        "intmeth", .acceptable,
        """
        !interesting-Method0123456789_*+`.%indeed'~ sip:1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*:\
        &it+has=1,weird!*pas$wo~d_too.(doesn't-it)@example.com SIP/2.0
        Via: SIP/2.0/TCP host1.example.com;branch=z9hG4bK-.!%66*_+`'~
        To: "BEL:\\\u{7} NUL:\\\u{0} DEL:\\\u{7F}"\
         <sip:1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*@example.com>
        From: token1~` token2'+_ token3*%!.- <sip:mundane@example.com>;fromParam''~+*_!.-%=\
        "\u{440}\u{430}\u{431}\u{43E}\u{442}\u{430}\u{44E}\u{449}\u{438}\u{439}";tag=_token~1'+`*%!-.
        Call-ID: intmeth.word%ZK-!.*_+'@word`~)(><:\\/"][?}{
        CSeq: 139122385 !interesting-Method0123456789_*+`.%indeed'~
        Max-Forwards: 255
        extensionHeader-!.%*+_`'~:\u{FEFF}\u{5927}\u{505C}\u{96FB}
        Content-Length: 0


        """)

    static let esc01 = TortureMessage(
        "esc01", .acceptable,
        """
        INVITE sip:sips%3Auser%40example.com@example.net SIP/2.0
        To: sip:%75se%72@example.com
        From: <sip:I%20have%20spaces@example.net>;tag=938
        Max-Forwards: 87
        i: esc01.239409asdfakjkn23onasd0-3234
        CSeq: 234234 INVITE
        Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKkdjuw
        C: application/sdp
        Contact:
          <sip:cal%6Cer@host5.example.net;%6C%72;n%61me=v%61lue%25%34%31>
        Content-Length: %CL%

        v=0
        """)

    static let escnull = TortureMessage(
        "escnull", .acceptable,
        """
        REGISTER sip:example.com SIP/2.0
        To: sip:null-%00-null@example.com
        From: sip:null-%00-null@example.com;tag=839923423
        Max-Forwards: 70
        Call-ID: escnull.39203ndfvkjdasfkq3w4otrq0adsfdfnavd
        CSeq: 14398234 REGISTER
        Via: SIP/2.0/UDP host5.example.com;branch=z9hG4bKkdjuw
        Contact: <sip:%00@host5.example.com>
        Contact: <sip:%00%00@host5.example.com>
        L:0


        """)

    static let esc02 = TortureMessage(
        "esc02", .acceptable,
        """
        RE%47IST%45R sip:registrar.example.com SIP/2.0
        To: "%Z%45" <sip:resource@example.com>
        From: "%Z%45" <sip:resource@example.com>;tag=f232jadfj23
        Call-ID: esc02.asdfnqwo34rq23i34jrjasdcnl23nrlknsdf
        Via: SIP/2.0/TCP host.example.com;branch=z9hG4bK209%fzsnel234
        CSeq: 29344 RE%47IST%45R
        Max-Forwards: 70
        Contact: <sip:alias1@host1.example.com>
        C%6Fntact: <sip:alias2@host2.example.com>
        Contact: <sip:alias3@host3.example.com>
        l: 0


        """)

    static let lwsdisp = TortureMessage(
        "lwsdisp", .acceptable,
        """
        OPTIONS sip:user@example.com SIP/2.0
        To: sip:user@example.com
        From: caller<sip:caller@example.com>;tag=323
        Max-Forwards: 70
        Call-ID: lwsdisp.1234abcd@funky.example.com
        CSeq: 60 OPTIONS
        Via: SIP/2.0/UDP funky.example.com;branch=z9hG4bKkdjuw
        l: 0


        """)

    static let longreq = TortureMessage(
        "longreq", .acceptable,
        """
        INVITE sip:user@example.com SIP/2.0
        To: "I have a user name of \(String(repeating: "extreme ", count: 60))proportion"\
        <sip:user@example.com:6000;unknownparam1=very\(String(repeating: "long", count: 50))value;\
        longparam\(String(repeating: "name", count: 80))=shortvalue;very\(String(repeating: "long", count: 80))\
        ParameterNameWithNoValue>
        F: sip:\(String(repeating: "amazinglylongcallername", count: 5))@example.net;tag=12\
        \(String(repeating: "982", count: 50))424;unknownheaderparam\(String(repeating: "name", count: 40))=value
        Call-ID: longreq.one\(String(repeating: "really", count: 60))longcallid
        CSeq: 3882340 INVITE
        Unknown-\(String(repeating: "Long-", count: 40))Name:
          unknown-\(String(repeating: "long-", count: 60))value;
        \(String(repeating: "Via: SIP/2.0/TCP sip33.example.com\nv: SIP/2.0/TCP sip32.example.com\n", count: 17))\
        Via: SIP/2.0/TCP host.example.com;received=192.0.2.5;branch=very\(String(repeating: "long", count: 50))branch
        Max-Forwards: 70
        Contact: <sip:\(String(repeating: "amazinglylongcallername", count: 5))@host5.example.net>
        Content-Type: application/sdp
        l: %CL%

        v=0
        """)

    static let dblreq = TortureMessage(
        "dblreq", .acceptable,
        """
        REGISTER sip:example.com SIP/2.0
        To: sip:j.user@example.com
        From: sip:j.user@example.com;tag=43251j3j324
        Max-Forwards: 8
        I: dblreq.0ha0isndaksdj99sdfafnl3lk233412
        Contact: sip:j.user@host.example.com
        CSeq: 8 REGISTER
        Via: SIP/2.0/UDP 192.0.2.125;branch=z9hG4bKkdjuw23492
        Content-Length: 0

        INVITE sip:joe@example.com SIP/2.0
        t: sip:joe@example.com
        From: sip:caller@example.net;tag=141334
        Max-Forwards: 8
        Call-ID: dblreq.0ha0isnda977644900765@192.0.2.15
        CSeq: 8 INVITE
        Via: SIP/2.0/UDP 192.0.2.15;branch=z9hG4bKkdjuw380234
        Content-Length: 0


        """)

    static let semiuri = TortureMessage(
        "semiuri", .acceptable,
        """
        OPTIONS sip:user;par=u%40example.net@example.com SIP/2.0
        To: sip:j_user@example.com
        From: sip:caller@example.org;tag=33242
        Max-Forwards: 3
        Call-ID: semiuri.0ha0isndaksdj
        CSeq: 8 OPTIONS
        Accept: application/sdp, application/pkcs7-mime,
                multipart/mixed, multipart/signed,
                message/sip, message/sipfrag
        Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKkdjuw
        l: 0


        """)

    static let transports = TortureMessage(
        "transports", .acceptable,
        """
        OPTIONS sip:user@example.com SIP/2.0
        To: sip:user@example.com
        From: <sip:caller@example.com>;tag=323
        Max-Forwards: 70
        Call-ID: transports.kijh4akdnaqjkwendsasfdj
        Accept: application/sdp
        CSeq: 60 OPTIONS
        Via: SIP/2.0/UDP t1.example.com;branch=z9hG4bKkdjuw
        Via: SIP/2.0/SCTP t2.example.com;branch=z9hG4bKklasjdhf
        Via: SIP/2.0/TLS t3.example.com;branch=z9hG4bK2980unddj
        Via: SIP/2.0/UNKNOWN t4.example.com;branch=z9hG4bKasd0f3en
        Via: SIP/2.0/TCP t5.example.com;branch=z9hG4bK0a9idfnee
        l: 0


        """)

    static let mpart01 = TortureMessage(
        "mpart01", .acceptable,
        """
        MESSAGE sip:kumiko@example.org SIP/2.0
        Via: SIP/2.0/UDP 127.0.0.1:5070;branch=z9hG4bK-d87543-4dade06d0bdb11ee-1--d87543-;rport
        Max-Forwards: 70
        Route: <sip:127.0.0.1:5080>
        To: <sip:kumiko@example.org>
        From: <sip:fluffy@example.com>;tag=2fb0dcc9
        Call-ID: 3d9485ad0c49859b@Zmx1ZmZ5LW1hYy0xNi5sb2NhbA..
        CSeq: 1 MESSAGE
        Content-Transfer-Encoding: binary
        Content-Type: multipart/mixed;boundary=7a9cbec02ceef655
        Date: Sat, 15 Oct 2005 04:44:56 GMT
        Content-Length: %CL%

        --7a9cbec02ceef655
        Content-Type: text/plain

        Hello \u{0}\u{1}\u{2}
        --7a9cbec02ceef655--
        """)

    static let unreason = TortureMessage(
        "unreason", .acceptable,
        """
        SIP/2.0 200 = 2**3 * 5**2 \u{43D}\u{43E} \u{441}\u{442}\u{43E}
        Via: SIP/2.0/UDP 192.0.2.198;branch=z9hG4bK1324923
        Call-ID: unreason.1234ksdfak3j2erwedfsASdf
        CSeq: 35 INVITE
        From: sip:user@example.com;tag=11141343
        To: sip:user@example.edu;tag=2229
        Content-Length: %CL%
        Content-Type: application/sdp
        Contact: <sip:user@host198.example.com>

        v=0
        """)

    static let noreason = TortureMessage(
        "noreason", .acceptable,
        "SIP/2.0 100 \n"
            + """
            Via: SIP/2.0/UDP 192.0.2.105;branch=z9hG4bK2398ndaoe
            Call-ID: noreason.asndj203insdf99223ndf
            CSeq: 35 INVITE
            From: <sip:user@example.com>;tag=39ansfi3
            To: <sip:user@example.edu>;tag=902jndnke3
            Content-Length: 0
            Contact: <sip:user@host105.example.com>


            """)
}
