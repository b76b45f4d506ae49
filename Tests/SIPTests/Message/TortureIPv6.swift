/// Messages with IPv6 addresses after RFC 5118 §4.
enum TortureIPv6 {
    static let all = [
        ipv6Good, ipv6Bad, portAmbiguous, portUnambiguous, viaReceivedWithDelimiters,
        viaReceivedWithoutDelimiters, ipv6InSDP, multipleAddressesInHeaders, multipleAddressesInSDP,
        ipv4MappedAddress, threeColons, twoColons,
    ]

    static let ipv6Good = TortureMessage(
        "ipv6Good", .acceptable,
        """
        INVITE sip:user@[2001:db8::10] SIP/2.0
        To: sip:user@example.com
        From: sip:user@example.com;tag=81x2
        Via: SIP/2.0/UDP [2001:db8::9:1];branch=z9hG4bKas3-111
        Call-ID: ipv6Good.SSG9559905523997077@hlau.example.com
        Contact: "Caller" <sip:caller@[2001:db8::1]>
        Max-Forwards: 70
        CSeq: 8 INVITE
        Content-Length: %CL%


        """)

    static let ipv6Bad = TortureMessage(
        "ipv6Bad", .rejected(400),
        """
        INVITE sip:2001:db8::10 SIP/2.0
        To: sip:user@example.com
        From: sip:user@example.com;tag=81x2
        Via: SIP/2.0/UDP [2001:db8::9:1];branch=z9hG4bKas3-111
        Call-ID: ipv6Bad.SSG9559905523997077@hlau.example.com
        Contact: "Caller" <sip:caller@[2001:db8::1]>
        Max-Forwards: 70
        CSeq: 8 INVITE
        Content-Length: %CL%


        """)

    static let portAmbiguous = TortureMessage(
        "portAmbiguous", .acceptable,
        """
        INVITE sip:[2001:db8::10:5070] SIP/2.0
        To: sip:user@example.com
        From: sip:user@example.com;tag=81x2
        Via: SIP/2.0/UDP [2001:db8::9:1];branch=z9hG4bKas3-111
        Call-ID: portAmbiguous.SSG9559905523997077@hlau.example.com
        Contact: "Caller" <sip:caller@[2001:db8::1]>
        Max-Forwards: 70
        CSeq: 8 INVITE
        Content-Length: %CL%


        """)

    static let portUnambiguous = TortureMessage(
        "portUnambiguous", .acceptable,
        """
        INVITE sip:[2001:db8::10]:5070 SIP/2.0
        To: sip:user@example.com
        From: sip:user@example.com;tag=81x2
        Via: SIP/2.0/UDP [2001:db8::9:1];branch=z9hG4bKas3-111
        Call-ID: portUnambiguous.SSG9559905523997077@hlau.example.com
        Contact: "Caller" <sip:caller@[2001:db8::1]>
        Max-Forwards: 70
        CSeq: 8 INVITE
        Content-Length: %CL%


        """)

    static let viaReceivedWithDelimiters = TortureMessage(
        "viaReceivedWithDelimiters", .acceptable,
        """
        INVITE sip:user@[2001:db8::10] SIP/2.0
        To: sip:user@example.com
        From: sip:user@example.com;tag=81x2
        Via: SIP/2.0/UDP [2001:db8::9:1];received=[2001:db8::9:255];branch=z9hG4bKas3-111
        Call-ID: viaReceivedWithDelimiters.SSG9559905523997077@hlau.example.com
        Contact: "Caller" <sip:caller@[2001:db8::1]>
        Max-Forwards: 70
        CSeq: 8 INVITE
        Content-Length: %CL%


        """)

    static let viaReceivedWithoutDelimiters = TortureMessage(
        "viaReceivedWithoutDelimiters", .acceptable,
        """
        INVITE sip:user@[2001:db8::10] SIP/2.0
        To: sip:user@example.com
        From: sip:user@example.com;tag=81x2
        Via: SIP/2.0/UDP [2001:db8::9:1];received=2001:db8::9:255;branch=z9hG4bKas3
        Call-ID: viaReceivedWithoutDelimiters.SSG9559905523997077@hlau.example.com
        Contact: "Caller" <sip:caller@[2001:db8::1]>
        Max-Forwards: 70
        CSeq: 8 INVITE
        Content-Length: %CL%


        """)

    static let ipv6InSDP = TortureMessage(
        "ipv6InSDP", .acceptable,
        """
        INVITE sip:user@[2001:db8::10] SIP/2.0
        To: sip:user@example.com
        From: sip:user@example.com;tag=81x2
        Via: SIP/2.0/UDP [2001:db8::9:1];branch=z9hG4bKas3-111
        Call-ID: ipv6InSDP.SSG9559905523997077@hlau.example.com
        Contact: "Caller" <sip:caller@[2001:db8::1]>
        Max-Forwards: 70
        CSeq: 8 INVITE
        Content-Length: %CL%
        Content-Type: application/sdp

        v=0
        o=assistant 971731711378798081 0 IN IP6 2001:db8::20
        s=Live video feed
        c=IN IP6 2001:db8::20
        t=3338481189 3370017201
        m=audio 6000 RTP/AVP 2
        """)

    static let multipleAddressesInHeaders = TortureMessage(
        "multipleAddressesInHeaders", .acceptable,
        """
        INVITE sip:user@host.example.net SIP/2.0
        To: sip:user@example.com
        From: sip:user@example.com;tag=81x2
        Via: SIP/2.0/UDP [2001:db8::9:1]:6050;branch=z9hG4bKas3-111
        Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKjhja8781hjuaij65144
        Via: SIP/2.0/TCP [2001:db8::9:255];branch=z9hG4bK451jj;received=192.0.2.200
        Call-ID: multipleAddressesInHeaders.SSG9559905523997077@hlau.example.com
        Contact: "Caller" <sip:caller@[2001:db8::1]>
        Max-Forwards: 70
        CSeq: 8 INVITE
        Content-Length: %CL%


        """)

    static let multipleAddressesInSDP = TortureMessage(
        "multipleAddressesInSDP", .acceptable,
        """
        INVITE sip:user@[2001:db8::10] SIP/2.0
        To: sip:user@[2001:db8::10]
        From: sip:user@example.com;tag=81x2
        Via: SIP/2.0/UDP [2001:db8::9:1];branch=z9hG4bKas3-111
        Call-ID: multipleAddressesInSDP.SSG9559905523997077@hlau.example.com
        Contact: "Caller" <sip:caller@[2001:db8::9:1]>
        Max-Forwards: 70
        CSeq: 8912 INVITE
        Content-Length: %CL%
        Content-Type: application/sdp

        v=0
        o=bob 280744730 28977631 IN IP4 host.example.com
        s=
        t=0 0
        m=audio 22334 RTP/AVP 0
        c=IN IP4 192.0.2.1
        m=video 6024 RTP/AVP 107
        c=IN IP6 2001:db8::1
        a=rtpmap:107 H263-1998/90000
        """)

    static let ipv4MappedAddress = TortureMessage(
        "ipv4MappedAddress", .acceptable,
        """
        INVITE sip:user@[::ffff:192.0.2.10] SIP/2.0
        To: sip:user@example.com
        From: sip:user@example.com;tag=81x2
        Via: SIP/2.0/UDP [::ffff:192.0.2.2]:5060;branch=z9hG4bKas3-111
        Call-ID: ipv4MappedAddress.SSG9559905523997077@hlau.example.com
        Contact: "Caller" <sip:caller@[::ffff:192.0.2.2]>
        Max-Forwards: 70
        CSeq: 8 INVITE
        Content-Length: %CL%
        Content-Type: application/sdp

        v=0
        o=bob 280744730 28977631 IN IP6 ::ffff:192.0.2.2
        s=
        c=IN IP6 ::ffff:192.0.2.2
        t=0 0
        m=audio 22334 RTP/AVP 0
        """)

    static let threeColons = TortureMessage(
        "threeColons", .acceptable,
        """
        INVITE sip:user@[2001:db8:::192.0.2.1] SIP/2.0
        To: sip:user@example.com
        From: sip:user@example.com;tag=81x2
        Via: SIP/2.0/UDP [2001:db8::9:1];branch=z9hG4bKas3-111
        Call-ID: threeColons.SSG9559905523997077@hlau.example.com
        Contact: "Caller" <sip:caller@[2001:db8::1]>
        Max-Forwards: 70
        CSeq: 8 INVITE
        Content-Length: %CL%


        """)

    static let twoColons = TortureMessage(
        "twoColons", .acceptable,
        """
        INVITE sip:user@[2001:db8::192.0.2.1] SIP/2.0
        To: sip:user@example.com
        From: sip:user@example.com;tag=81x2
        Via: SIP/2.0/UDP [2001:db8::9:1];branch=z9hG4bKas3-111
        Call-ID: twoColons.SSG9559905523997077@hlau.example.com
        Contact: "Caller" <sip:caller@[2001:db8::1]>
        Max-Forwards: 70
        CSeq: 8 INVITE
        Content-Length: %CL%


        """)
}
