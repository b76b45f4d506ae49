"""Many holds of one call over the control socket, each timed to the packet and to the sample.

Both sides talk without pause. The relay's log says when A's last packet of microphone sound went by, the rig's log when
the last of B's samples was handed to A's card; both count from just before the request is written to the socket.
The peer's answer to the re-INVITE is the relay's, too.
"""
import re
import time

import numpy as np

from .figures_tools import Figure, play_writes
from .hold import talker
from .pair import Pair

AUDIBLE = 100           # of 32768: sound has begun


def batch(count, seed, a):
    """One call, `count` holds: a list of dictionaries, times in milliseconds."""
    seconds = count * 0.62 + 25
    rng = np.random.default_rng(seed)
    opts = {"ptime": a.ptime, "bitrate": a.bitrate}
    with Pair("handset", "handset", profile="clean", seconds=seconds, opts=opts, tag="holds", slot=a.slot) as p:
        p.ca.feed(0, talker("A", seconds, seed))
        p.cb.feed(0, talker("B", seconds, seed + 1))
        p.start()
        p.call()
        time.sleep(2)
        marks = []
        for _ in range(count):
            figures = p.A.rpc("stats.get", id=p.A.id)["calls"][0]
            t0 = time.monotonic_ns()
            held = p.A.rpc("call.hold", id=p.A.id)
            acknowledged = time.monotonic_ns()
            time.sleep(0.12 + rng.random() * 0.02)
            t1 = time.monotonic_ns()
            resumed = p.A.rpc("call.resume", id=p.A.id)
            time.sleep(0.28 + rng.random() * 0.02)
            marks.append((t0, acknowledged, t1, time.monotonic_ns(), held, resumed, figures))
        played = np.array(p.ca.play)
        writes = play_writes(p.ca)
        counters = p.ca.counters()
    records = p.relay.records()
    p.drop_cards()
    ours = np.array([int(t * 1e9) for t, d, kind, *_ in records if d == 0 and kind == 0])
    answers = [int(t * 1e9) for t, d, kind, _, _, b in records if d == 1 and kind == 2
               and b.startswith(b"SIP/2.0 200") and re.search(rb"\r\nCSeq:\s*\d+ INVITE", b)]
    return [cycle(m, ours, np.array(answers), writes, played, a) for m in marks], counters


def loudest(writes, played, lo, hi):
    """Times of the writes in [lo, hi) and the loudest sample of each."""
    t, pos, n = writes
    i, j = np.searchsorted(t, [lo, hi])
    return t[i:j], np.array([int(np.abs(played[p:p + k].astype(int)).max(initial=0)) for p, k in zip(pos[i:j], n[i:j])])


def cycle(mark, ours, answers, writes, played, a):
    t0, acknowledged, t1, t2, held, resumed, figures = mark
    before, level_before = loudest(writes, played, t0 - 60_000_000, t0)
    during, level = loudest(writes, played, t0, t1)
    after, level_after = loudest(writes, played, t1, t2)
    sent = ours[(ours >= t0) & (ours < t1)]
    heard = during[level > 0]
    answer = answers[(answers >= t1) & (answers < t2)]
    sent_again, heard_again = ours[(ours >= t1) & (ours < t2)], after[level_after >= AUDIBLE]
    r = {"applied": held["appliedMs"], "elapsed": held["elapsedMs"],
         "flowed": bool(((ours >= t0 - 60_000_000) & (ours < t0)).sum() >= 2 and (level_before >= AUDIBLE).any()),
         "sent": max((t - t0) / 1e6 for t in [t0, *sent]), "heard": max((t - t0) / 1e6 for t in [t0, *heard]),
         "leaked": int((sent > acknowledged).sum() + (heard > acknowledged).sum()),
         "buffer": figures["bufferMs"], "resume_applied": resumed["appliedMs"]}
    if len(answer) and len(sent_again) and len(heard_again):
        r.update(answer=(answer[0] - t1) / 1e6, sent_again=(sent_again[0] - answer[0]) / 1e6,
                 heard_again=(heard_again[0] - answer[0]) / 1e6,
                 resume_total=(max(sent_again[0], heard_again[0]) - t1) / 1e6)
    return r


def run(a):
    """(figures, raw cycles)"""
    cycles, xruns = [], 0
    batches = max(1, a.holds // 250)
    for k in range(batches):
        got, counters = batch(a.holds // batches, 100 + 2 * k, a)
        cycles += got
        xruns += counters["cap_xruns"] + counters["play_xruns"]
        print(f"  holds, call {k + 1}: {len(got)}, card xruns {counters['cap_xruns']}/{counters['play_xruns']}", flush=True)
    period, packet = 10, a.ptime

    def col(key):
        return [c[key] for c in cycles if key in c]
    limit = 2 * period + 5
    # what a packet may wait for in the buffer: the stream's mean fill less the half packet that it is filled by turns
    target = max(period, float(np.median(col("buffer"))))
    figures = [
        Figure("hold: request to last packet with microphone", "ms", limit, col("sent"), by="p99"),
        Figure("hold: request to last remote sample to the card", "ms", limit, col("heard"), by="p99"),
        Figure("hold: appliedMs", "ms", limit, col("applied"), by="p99"),
        Figure("hold: packets or samples after the acknowledgement", "", 0, [sum(col("leaked"))]),
        Figure("hold: holds without sound before them", "", 0, [sum(not f for f in col("flowed"))]),
        Figure("resume: the peer's answer", "ms", None, col("answer")),
        Figure("resume: answer to first packet", "ms", packet + 2 * period, col("sent_again")),
        Figure("resume: answer to first sound on the card", "ms", packet + 2 * period + target, col("heard_again"),
               note=f"limit: one packet, two periods and {target:.1f} ms that the buffer held"),
        Figure("resume: request to sound both ways", "ms", None, col("resume_total")),
        Figure("resume: without sound afterwards", "", 0, [sum("heard_again" not in c for c in cycles)]),
        Figure("holds: card xruns", "", None, [xruns]),
    ]
    return figures, cycles
