"""From exec to a call that rings: an INVITE is sent again and again, and answered 180 as soon as the daemon is ready."""
import re
import socket
import time

from .figures_tools import Figure
from .pair import Pair

INVITE = """INVITE sip:ep@{ip}:{port} SIP/2.0\r
Via: SIP/2.0/UDP 127.0.0.1:{ours};branch=z9hG4bK{tag};rport\r
Max-Forwards: 70\r
From: <sip:bench@127.0.0.1>;tag={tag}\r
To: <sip:ep@{ip}>\r
Call-ID: {tag}@127.0.0.1\r
CSeq: 1 {method}\r
{contact}Content-Length: {length}\r
\r
{body}"""
BODY = """v=0\r
o=- 1 1 IN IP4 127.0.0.1\r
s=-\r
c=IN IP4 127.0.0.1\r
t=0 0\r
m=audio 19998 RTP/AVP 0\r
"""


def once(a):
    with Pair("handset", "handset", seconds=2, tag="ready", slot=a.slot) as p:
        e = p.A
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(("127.0.0.1", 0))
        s.connect((e.ip, e.sip_port))
        s.settimeout(0.002)
        fields = {"ip": e.ip, "port": e.sip_port, "ours": s.getsockname()[1], "tag": f"b{time.monotonic_ns()}"}
        invite = INVITE.format(method="INVITE", body=BODY, length=len(BODY), **fields,
                               contact=f"Contact: <sip:bench@127.0.0.1:{fields['ours']}>\r\n"
                                       "Content-Type: application/sdp\r\n").encode()
        e.spawn(e.configure())
        socket_after = ringing = None
        while ringing is None and time.monotonic() - e.t_spawn < 5:
            if socket_after is None and e.connect():
                socket_after = time.monotonic() - e.t_spawn
            try:
                s.send(invite)
                while ringing is None:
                    if re.match(rb"SIP/2.0 180", s.recv(4096)):
                        ringing = time.monotonic() - e.t_spawn
            except (ConnectionRefusedError, socket.timeout):
                time.sleep(0.0005)
        cancel = INVITE.format(method="CANCEL", body="", length=0, contact="", **fields).encode()
        s.send(cancel)
        time.sleep(0.05)
        s.close()
    p.drop_cards()
    return ringing


def run(a):
    values = [v * 1000 for v in (once(a) for _ in range(a.starts)) if v is not None]
    return [Figure("ready: exec to 180 for an INVITE", "ms", 100, values)]
