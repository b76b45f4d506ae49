"""A call while other work wants all processors: whether the audio loop, under SCHED_FIFO, ever comes too late."""
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np

from . import signals, speech
from .figures_tools import FS, Figure
from .pair import Pair, rundir


def stress(seconds):
    """stress-ng with a worker of each kind for every processor: computing, memory, and system calls with context switches."""
    cores = str(os.cpu_count())
    return subprocess.Popen(
        ["stress-ng", "--cpu", cores, "--vm", "1", "--vm-bytes", "64M", "--switch", "1", "--timeout", f"{seconds:.0f}s", "--quiet"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


class BareThread:
    """Notes when the machine itself stood still: see bare_thread.py."""

    def __init__(self, period_ms, worth_ms):
        self.proc = subprocess.Popen([sys.executable, "-m", "bench.bare_thread", str(period_ms), str(worth_ms)],
                                     stdout=subprocess.PIPE, text=True)

    def stop(self):
        """[(monotonic second at which it should have woken, ms that it was late)]"""
        self.proc.send_signal(signal.SIGINT)
        out, _ = self.proc.communicate(timeout=10)
        return [tuple(float(v) for v in line.split()) for line in out.splitlines()]


def run(a):
    if not shutil.which("stress-ng"):
        raise RuntimeError("stress-ng is missing; setup.sh installs it")
    name = "handset:low"
    x, _ = speech.cached(rundir())
    with Pair(name, name, slot=a.slot, seconds=a.realtime_seconds + 60, tag="rt",
              opts={"ptime": a.ptime, "bitrate": a.bitrate}) as p:
        for card, off in ((p.ca, 0), (p.cb, len(x) // 2)):
            card.feed(0, np.tile(np.roll(x, -off), card.nframes // len(x) + 1)[:card.nframes])
        p.start()
        p.call()
        scheduling = {s: e.rpc("daemon.status")["audio"]["scheduling"] for s, e in p.eps.items()}
        time.sleep(a.warmup)
        before = {s: e.stats()["loop"] for s, e in p.eps.items()}
        load = stress(a.realtime_seconds)
        bare = BareThread(5, 2)
        try:
            time.sleep(a.realtime_seconds)
        finally:
            if load.poll() is None:
                os.killpg(load.pid, signal.SIGINT)
            load.wait(20)
            stood = bare.stop()
        loops = {s: e.stats()["loop"] for s, e in p.eps.items()}
        calls = {s: e.stats()["calls"][0] for s, e in p.eps.items()}
        cards = {s: c.counters() for s, c in p.cards.items()}
    p.drop_cards()
    for s, loop in loops.items():
        print(f"  realtime {s} ({scheduling[s]}): {loop['turns'] - before[s]['turns']} turns of {loop['periodMs']:g} ms; woken late "
              f"by {loop['wakeMicrosP50']:.0f}/{loop['wakeMicrosP99']:.0f}/{loop['wakeMicrosP999']:.0f}/{loop['wakeMicrosMax']:.0f} "
              f"us (p50/p99/p99.9/max), work {loop['turnMicrosP50']:.0f}/{loop['turnMicrosP99']:.0f}/{loop['turnMicrosP999']:.0f}/"
              f"{loop['turnMicrosMax']:.0f} us, {loop['playbackFillMs']:.1f} ms ahead; last xrun {loop['lastXrun']}; "
              f"concealed {calls[s]['received']['concealedMs']:.0f} ms", flush=True)
    print(f"  realtime: a bare thread of higher priority was late by more than 2 ms {len(stood)} times: "
          + ", ".join(f"{late:.0f}" for _, late in stood) + " ms", flush=True)
    longer = sum(late > 5 for _, late in stood)
    what = f"all cores loaded for {a.realtime_seconds:.0f} s"
    return [
        Figure(f"{what}: turns done too late", "", 0,
               [loops[s]["missedDeadlines"] - before[s]["missedDeadlines"] for s in loops], by="p99"),
        Figure(f"{what}: xruns, as the cards count them", "", 0,
               [cards[s]["cap_xruns"] + cards[s]["play_xruns"] for s in cards], by="p99"),
        Figure(f"{what}: the machine stood still for longer than a period (a bare thread of higher priority)", "", None,
               [longer]),
        Figure(f"{what}: longest wake-up", "ms", None, [loops[s]["wakeMicrosMax"] / 1000 for s in loops]),
        Figure(f"{what}: under SCHED_FIFO (0: yes)", "", 0,
               [0 if scheduling[s].startswith("SCHED_FIFO") else 1 for s in scheduling]),
    ]
