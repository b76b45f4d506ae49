"""With nothing but a held call the audio session closes after ten seconds, and opens again for the resume."""
import re
import time

import numpy as np

from .figures_tools import Figure, play_writes
from .hold import talker
from .pair import Pair
from .thousand_holds import AUDIBLE, loudest


def run(a):
    seconds = a.closings * 15 + 30
    opts = {"ptime": a.ptime, "bitrate": a.bitrate}
    closed, marks = [], []
    with Pair("handset", "handset", profile="clean", seconds=seconds, opts=opts, tag="closing", slot=a.slot) as p:
        p.ca.feed(0, talker("A", seconds, 31))
        p.cb.feed(0, talker("B", seconds, 32))
        p.start()
        p.call()
        time.sleep(2)

        def state():
            return p.A.rpc("daemon.status")["audio"]["state"]
        for k in range(a.closings):
            t0 = time.monotonic()
            p.A.rpc("call.hold", id=p.A.id)
            p.A.poll_until(lambda: state() == "inactive", 15, "waiting for the audio session to close", step=0.02)
            closed.append(time.monotonic() - t0)
            time.sleep(0.5 + 0.0137 * k)
            t1 = time.monotonic_ns()
            p.A.rpc("call.resume", id=p.A.id)
            time.sleep(1.5)
            marks.append((t1, time.monotonic_ns(), p.A.rpc("stats.get", id=p.A.id)["calls"][0]["bufferMs"]))
        played, writes = np.array(p.ca.play), play_writes(p.ca)
    records = p.relay.records()
    p.drop_cards()
    answer, sent, heard = [], [], []
    for t1, t2, _ in marks:
        answers = [t for t, d, kind, _, _, b in records if d == 1 and kind == 2 and t1 / 1e9 <= t < t2 / 1e9
                   and b.startswith(b"SIP/2.0 200") and re.search(rb"\r\nCSeq:\s*\d+ INVITE", b)]
        packets = [t for t, d, kind, *_ in records if d == 0 and kind == 0 and t1 / 1e9 <= t < t2 / 1e9]
        t, level = loudest(writes, played, t1, t2)
        sounds = t[level >= AUDIBLE]
        if answers and packets and len(sounds):
            answer.append((answers[0] - t1 / 1e9) * 1000)
            sent.append((packets[0] - answers[0]) * 1000)
            heard.append((sounds[0] / 1e9 - answers[0]) * 1000)
    target = max(10.0, float(np.median([m[2] for m in marks])))
    return [Figure("only held: the audio session closes after", "s", 10.5, closed),
            Figure("then resume: the peer's answer", "ms", None, answer),
            Figure("then resume: answer to first packet", "ms", a.ptime + 20, sent),
            Figure("then resume: answer to first sound on the card", "ms", a.ptime + 20 + target, heard),
            Figure("then resume: without sound", "", 0, [a.closings - len(heard)])]
