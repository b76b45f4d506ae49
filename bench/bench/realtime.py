"""A call while other work wants all processors: whether the audio loop, under SCHED_FIFO, ever comes too late."""
import os
import shutil
import signal
import subprocess
import time

import numpy as np

from . import signals, speech
from .figures_tools import FS, Figure
from .pair import Pair, rundir
from .standstills import BareThreads


def stress(seconds):
    """stress-ng with a worker of each kind for every processor: computing, memory, and system calls with context switches."""
    cores = str(os.cpu_count())
    return subprocess.Popen(
        ["stress-ng", "--cpu", cores, "--vm", "1", "--vm-bytes", "64M", "--switch", "1", "--timeout", f"{seconds:.0f}s", "--quiet"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


STEP = .25          # s between two looks at what the loops have counted
COUNTED = ("missedDeadlines", "xruns")


class Watch:
    """What the loops of both ends count, in steps of time."""

    def __init__(self, eps):
        self.eps, self.steps = eps, []
        self.look()

    def look(self):
        self.steps.append((time.monotonic(), {s: e.stats()["loop"] for s, e in self.eps.items()}))

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(STEP)
            self.look()

    def unexplained(self, stood):
        """How often each of COUNTED happened at each end in steps in which no processor stood still."""
        counts = {c: dict.fromkeys(self.eps, 0) for c in COUNTED}
        for (start, before), (end, after) in zip(self.steps, self.steps[1:]):
            if any(due <= end and due + late / 1000 >= start - .05 for due, late in stood):
                continue
            for c in COUNTED:
                for s in self.eps:
                    counts[c][s] += after[s][c] - before[s][c]
        return counts


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
        load = stress(a.realtime_seconds)
        bare = BareThreads(2, 2)
        watch = Watch(p.eps)
        try:
            watch.run(a.realtime_seconds)
        finally:
            if load.poll() is None:
                os.killpg(load.pid, signal.SIGINT)
            load.wait(20)
            stood = bare.stop()
        watch.look()
        before, loops = watch.steps[0][1], watch.steps[-1][1]
        calls = {s: e.stats()["calls"][0] for s, e in p.eps.items()}
        cards = {s: c.counters() for s, c in p.cards.items()}
    p.drop_cards()
    for s, loop in loops.items():
        print(f"  realtime {s} ({scheduling[s]}): {loop['turns'] - before[s]['turns']} turns of {loop['periodMs']:g} ms; woken late "
              f"by {loop['wakeMicrosP50']:.0f}/{loop['wakeMicrosP99']:.0f}/{loop['wakeMicrosP999']:.0f}/{loop['wakeMicrosMax']:.0f} "
              f"us (p50/p99/p99.9/max), work {loop['turnMicrosP50']:.0f}/{loop['turnMicrosP99']:.0f}/{loop['turnMicrosP999']:.0f}/"
              f"{loop['turnMicrosMax']:.0f} us, {loop['playbackFillMs']:.1f} ms ahead; last xrun {loop['lastXrun']}; "
              f"concealed {calls[s]['received']['concealedMs']:.0f} ms", flush=True)
    print(f"  realtime: bare threads of higher priority were late by more than 2 ms {len(stood)} times: "
          + ", ".join(f"{late:.0f}" for _, late in stood) + " ms", flush=True)
    own = watch.unexplained(stood)
    what = f"all cores loaded for {a.realtime_seconds:.0f} s"
    return [
        Figure(f"{what}: turns done too late", "", None,
               [loops[s]["missedDeadlines"] - before[s]["missedDeadlines"] for s in loops], by="p99"),
        Figure("  of them while the machine ran (bare threads of higher priority were in time)", "", 0,
               list(own["missedDeadlines"].values()), by="p99"),
        Figure(f"{what}: xruns, as the cards count them", "", None,
               [cards[s]["cap_xruns"] + cards[s]["play_xruns"] for s in cards], by="p99"),
        Figure("  of them while the machine ran", "", 0, list(own["xruns"].values()), by="p99"),
        Figure(f"{what}: the machine stood still for longer than a period", "", None, [sum(late > 5 for _, late in stood)]),
        Figure(f"{what}: longest wake-up", "ms", None, [loops[s]["wakeMicrosMax"] / 1000 for s in loops]),
        Figure(f"{what}: under SCHED_FIFO (0: yes)", "", 0,
               [0 if scheduling[s].startswith("SCHED_FIFO") else 1 for s in scheduling]),
    ]
