"""What a call costs: against libopus alone, with a second call that is held, and in memory.

Two pairs of daemons are in a call each; who called has in turn, in one of the two, a second call that is held. Their
windows and those of libopus alone, at the pace of a call, are the same seconds: a machine whose speed changes by a third
from one minute to the next hits all of them alike. Packets of one end are decoded in the turn in which its own are encoded,
while the code is in the caches, or in another, and it is the other way round at the other end: a call's cost is that of both
ends. The talk repeats every ten seconds, so that all windows contain the same.
"""
import os
import subprocess
import time

import numpy as np

from . import speech
from .figures_tools import FS, Figure, Star, cpu_seconds, opus_settings
from .least_endpoints import LeastEndpoints
from .pair import built, rundir

LOOP = 10               # seconds of talk, repeated


def talk():
    """What A and B say: int16, LOOP seconds each."""
    x, _ = speech.cached(rundir())
    x = np.clip(np.round(x * 32767), -32768, 32767).astype(np.int16)
    return x[:LOOP * FS], x[16 * FS:(16 + LOOP) * FS]


def begin_bare(paths, a, *pace):
    """Begins libopus alone on the frames of `paths`: in a tight loop, or at the pace of a call."""
    return subprocess.Popen([built("opus_bare"), *paths, *opus_settings(a), *pace],
                            stdout=subprocess.PIPE, text=True)


def bare(process, a, whole=False):
    """CPU seconds that it needed for one second of a call; with all that its loop does, where wanted."""
    out, _ = process.communicate(timeout=120)
    if process.returncode:
        raise RuntimeError(f"opus_bare ended with {process.returncode}")
    out = out.split()
    return (float(out[3]) if whole else float(out[1]) + float(out[2])) / (int(out[0]) * a.ptime / 1000)


def window(e, seconds):
    """CPU seconds of an endpoint for one second."""
    c, t = cpu_seconds(e.pid), time.monotonic()
    time.sleep(seconds)
    return (cpu_seconds(e.pid) - c) / (time.monotonic() - t)


def second_call(p):
    """Calls C and holds that call; the one with B goes on. Returns its id."""
    first = p.A.id
    p.A.dial(p.uri_c)
    second = p.A.id
    p.C.wait_incoming(8)
    p.C.answer()
    p.C.wait_established(8)
    p.A.poll_until(lambda: len(p.A.calls("connected")) == 2, 8, "waiting for the second call")
    p.A.rpc("call.hold", id=second)
    p.A.rpc("call.resume", id=first)
    p.A.id = first
    return second


class Windows:
    """What was measured at the same time, in CPU seconds for one second of a call."""

    def __init__(self):
        self.call, self.one, self.two, self.memory = [], [], [], []
        self.alone, self.paced, self.least, self.endpoint = [], [], [], []

    def add(self, stars, holder, paths, least_ends, a):
        """One window, in which A of `holder` has a held call more than the other."""
        from .cli import mem_of
        self.alone.append(bare(begin_bare(paths, a), a))
        second = second_call(holder)
        time.sleep(5)
        paced, least = begin_bare(paths, a, "paced"), begin_bare(paths, a, "call")
        ends = [e for p in stars for e in (p.A, p.B)]
        begun = [(cpu_seconds(e.pid), time.monotonic()) for e in ends]
        before, since = least_ends.spent()
        time.sleep(a.window)
        spent = {e: (cpu_seconds(e.pid) - c) / (time.monotonic() - t) for e, (c, t) in zip(ends, begun)}
        after, until = least_ends.spent()
        self.endpoint.append((after - before) / 2 / (until - since))
        for p in stars:
            (self.two if p is holder else self.one).append(spent[p.A])
            if p is not holder:
                self.call.append((spent[p.A] + spent[p.B]) / 2)
        self.paced.append(bare(paced, a))
        self.least.append(bare(least, a, whole=True))
        self.memory += [mem_of(p.A.pid)["rss_kb"] / 1024 for p in stars if p is not holder]
        holder.A.rpc("call.end", id=second)
        holder.C.poll_until(lambda: not holder.C.calls("connected"), 5, "waiting for the second call's end")


def run(a, srtp="off"):
    mine, theirs = talk()
    paths = [os.path.join(rundir(), "work", f"talk-{os.getpid()}-{s}.raw") for s in "AB"]
    for path, x in zip(paths, (mine, theirs)):
        np.resize(x, int(a.window * FS)).tofile(path)
    seen = Windows()
    seconds = a.pairs * 2 * (a.window + 12) + 60
    opts = {"ptime": a.ptime, "bitrate": a.bitrate, "srtp": srtp}
    with Star("handset", seconds, opts=opts, tag="costs", slot=a.slot) as p, \
            Star("handset", seconds, opts=opts, tag="costs", slot=a.slot + 2) as q, \
            LeastEndpoints(a, seconds, (mine, theirs)) as least_ends:
        for star in (p, q):
            for card, x in ((star.ca, mine), (star.cb, theirs), (star.cc, theirs)):
                card.feed(0, np.resize(x, card.nframes))
            star.start()
            star.call()
        time.sleep(a.warmup)
        kind = p.A.rpc("call.list")["calls"][0]["security"]
        for k in range(a.pairs):
            for holder in (p, q) if k % 2 == 0 else (q, p):
                seen.add((p, q), holder, paths, least_ends, a)
            print(f"  costs, {kind}, pair {k + 1}: one call {30 * sum(seen.call[-2:]):.3f}, of who called "
                  f"{30 * sum(seen.one[-2:]):.3f}, with one held {30 * sum(seen.two[-2:]):.3f}, "
                  f"libopus alone {30 * sum(seen.paced[-2:]):.3f} s/min", flush=True)
        levels = [card.level(10) for card in (p.ca, q.ca, *least_ends.cards)]
    p.drop_cards()
    q.drop_cards()
    for path in paths:
        os.unlink(path)
    if min(levels) < 0.005:
        raise RuntimeError("costs: nothing was heard")
    return figures(seen, "" if srtp == "off" else ", SRTP")


def figures(seen, label):
    # Over the two windows of a pair each daemon has been both: what one of them has that the other has not falls out.
    added = [100 * (((b * d) / (a * c)) ** 0.5 - 1)
             for a, b, c, d in zip(seen.one[::2], seen.two[::2], seen.one[1::2], seen.two[1::2])]
    return [Figure(f"a held second call adds{label}", "%", 3, added),
            Figure(f"one Opus call against libopus alone{label}", "x", 1.6,
                   [c / o for c, o in zip(seen.call, seen.paced)]),
            Figure(f"the same, against the least loop{label}", "x", None, [c / o for c, o in zip(seen.call, seen.least)]),
            Figure(f"the same, against the least endpoint{label}", "x", None,
                   [c / o for c, o in zip(seen.call, seen.endpoint)]),
            Figure(f"the same, against libopus in a tight loop{label}", "x", None,
                   [c / o for c, o in zip(seen.call, seen.alone)]),
            Figure("the least endpoint against libopus alone", "x", None, [e / o for e, o in zip(seen.endpoint, seen.paced)]),
            Figure(f"one call{label}", "s/min", None, [60 * v for v in seen.call]),
            Figure("libopus alone, at the pace of a call", "s/min", None, [60 * v for v in seen.paced]),
            Figure("the least endpoint: libopus, a card, packets, two threads", "s/min", None, [60 * v for v in seen.endpoint]),
            Figure("the least loop: libopus, periods and packets, one thread", "s/min", None, [60 * v for v in seen.least]),
            Figure("libopus in a tight loop", "s/min", None, [60 * v for v in seen.alone]),
            Figure(f"resident in a call{label}", "MiB", 20, seen.memory)]
