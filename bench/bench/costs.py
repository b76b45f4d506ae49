"""What a call costs: against libopus alone, with a second call that is held, and in memory.

One daemon, A, is in a call with B; C is called second. Windows with one call and with a second one that is held take
turns (one, two, two, one), and libopus alone is measured between them: drift of the machine hits all of them alike.
The talk repeats every ten seconds, so that all windows contain the same.
"""
import os
import subprocess
import time

import numpy as np

from . import speech
from .figures_tools import FS, Figure, Star, cpu_seconds
from .pair import built, rundir

LOOP = 10               # seconds of talk, repeated


def talk():
    """What A and B say: int16, LOOP seconds each."""
    x, _ = speech.cached(rundir())
    x = np.clip(np.round(x * 32767), -32768, 32767).astype(np.int16)
    return x[:LOOP * FS], x[16 * FS:(16 + LOOP) * FS]


def bare(paths, a, *pace):
    """CPU seconds that libopus alone needs for one second of a call; with the pace of a `call`, what the whole loop needs."""
    out = subprocess.run([built("opus_bare"), *paths, str(a.bitrate), "9", "1", "0", str(a.ptime), *pace],
                         capture_output=True, text=True, check=True).stdout.split()
    seconds = float(out[3]) if "call" in pace else float(out[1]) + float(out[2])
    return seconds / (int(out[0]) * a.ptime / 1000)


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


def run(a, srtp="off"):
    from .cli import mem_of
    mine, theirs = talk()
    paths = [os.path.join(rundir(), "work", f"talk-{os.getpid()}-{s}.raw") for s in "AB"]
    for path, x in zip(paths, (mine, theirs)):
        x.tofile(path)
    one, two, alone, paced, least, memory = [], [], [], [], [], []
    seconds = a.pairs * (2 * a.window + 2 * LOOP + 12) + 60
    opts = {"ptime": a.ptime, "bitrate": a.bitrate, "srtp": srtp}
    with Star("handset", seconds, opts=opts, tag="costs", slot=a.slot) as p:
        for card, x in ((p.ca, mine), (p.cb, theirs), (p.cc, theirs)):
            card.feed(0, np.tile(x, card.nframes // len(x) + 1)[:card.nframes])
        p.start()
        p.call()
        time.sleep(a.warmup)
        kind = p.A.rpc("call.list")["calls"][0]["security"]

        def single():
            alone.append(bare(paths, a))
            paced.append(bare(paths, a, "paced"))
            least.append(bare(paths, a, "call"))
            time.sleep(0.5)
            one.append(window(p.A, a.window))
            memory.append(mem_of(p.A.pid)["rss_kb"] / 1024)

        def double():
            second = second_call(p)
            time.sleep(1.5)
            two.append(window(p.A, a.window))
            p.A.rpc("call.end", id=second)
            p.C.poll_until(lambda: not p.C.calls("connected"), 5, "waiting for the second call's end")
            time.sleep(1)
        for k in range(a.pairs):
            for part in (single, double) if k % 2 == 0 else (double, single):
                part()
            print(f"  costs, {kind}, pair {k + 1}: one call {60 * one[-1]:.3f}, with one held {60 * two[-1]:.3f}, "
                  f"libopus alone {60 * alone[-1]:.3f} s/min", flush=True)
        level = float(np.sqrt(np.mean((np.asarray(p.ca.play[p.ca.pos() - 10 * FS:p.ca.pos()], float) / 32768) ** 2)))
    p.drop_cards()
    for path in paths:
        os.unlink(path)
    if level < 0.005:
        raise RuntimeError("costs: nothing was heard")
    added = [100 * (b / a - 1) for a, b in zip(one, two)]
    label = "" if srtp == "off" else ", SRTP"
    return [Figure(f"a held second call adds{label}", "%", 3, added),
            Figure(f"one Opus call against libopus alone{label}", "x", 1.6, [c / o for c, o in zip(one, alone)]),
            Figure(f"the same, at the pace of a call{label}", "x", None, [c / o for c, o in zip(one, paced)]),
            Figure(f"the same, against the least loop{label}", "x", None, [c / o for c, o in zip(one, least)]),
            Figure(f"one call{label}", "s/min", None, [60 * v for v in one]),
            Figure("libopus alone", "s/min", None, [60 * v for v in alone]),
            Figure("libopus alone, at the pace of a call", "s/min", None, [60 * v for v in paced]),
            Figure("the least loop: libopus, periods and packets, one thread", "s/min", None, [60 * v for v in least]),
            Figure(f"resident in a call{label}", "MiB", 20, memory)]
