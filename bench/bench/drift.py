"""Clocks that do not agree: what the delay does while a loudspeaker, or the other side's card, runs fast or slow."""
import os
import threading
import time

import numpy as np

from . import signals
from .card import Card, new_path
from .figures_tools import FS, Figure
from .pair import Pair, built
from .standstills import BareThreads

# What a standstill of the machine held back comes late: the jitter buffer grows by that, remembers it for seconds and shrinks again.
AFTERWARDS = 15     # s
CASES = (("loudspeaker", 500), ("loudspeaker", -500), ("sender", 500), ("sender", -500))


def loudspeaker(p, ppm, seconds):
    """Gives B a loudspeaker of its own, whose clock runs so much faster than its microphone's."""
    card = Card(new_path("out", p.dir), seconds, ppm=ppm)
    with open(p.B.env["ALSA_CONFIG_PATH"], "a") as f:
        f.write(f"""pcm_type.rigout {{ lib "{built("libasound_module_pcm_rig.so")}" }}
pcm.out {{ type plug slave.pcm {{ type rig file "{card.path}" }} }}
""")
    p.B.opts["playback"] = "alsa:out"
    p.cards["out"] = card
    return card


class Ahead(threading.Thread):
    """What lies ahead of an endpoint's loudspeaker, in ms, once in half a second: it grows by what a machine that stands still
    for a while has taught, whatever the clocks do."""

    def __init__(self, endpoint):
        super().__init__(daemon=True)
        self.endpoint, self.said, self.ended = endpoint, [], threading.Event()

    def run(self):
        while not self.ended.wait(.5):
            self.said.append((time.monotonic(), self.endpoint.delay()["playback"]))

    def stop(self):
        self.ended.set()
        self.join()

    def at(self, times):
        t, v = zip(*self.said)
        return np.interp(times, t, v)


def case(a, what, ppm):
    """([(delay of a burst, in ms, what of it lay ahead of the loudspeaker, whether the machine ran)], bursts that were not found
    while it ran, xruns)"""
    rng = np.random.default_rng(9)
    x, on = signals.burst_train(int(a.drift_seconds / 0.85), rng, 0.7, 1.0)
    secs = len(x) / FS + a.warmup + 16
    with Pair("handset", "handset", slot=a.slot, seconds=secs * 1.01, tag="drift",
              ppm_a=ppm if what == "sender" else 0.0, opts={"ptime": a.ptime, "bitrate": a.bitrate}) as p:
        out = loudspeaker(p, ppm, secs * 1.01) if what == "loudspeaker" else p.cb
        p.start()
        p.call()
        time.sleep(a.warmup)
        p0 = p.ca.pos() + FS // 2
        p.ca.feed(p0, x)
        ahead = Ahead(p.B)
        ahead.start()
        bare = BareThreads(2, 5)
        time.sleep(len(x) / p.ca.real_rate + 1.5)
        ahead.stop()
        stood = bare.stop()
        lats, missed = signals.delays(p.ca, out, p0, on, a.maxlat)
        lost = {i for i, _ in missed}
        times = np.array([p.ca.time(p0 + o) for o in on])
        ran = np.array([not any(due - 1 <= t <= due + AFTERWARDS for due, _ in stood) for t in times])
        heard = np.array([i not in lost for i in range(len(on))])
        xruns = sum(out.counters()[k] for k in ("cap_xruns", "play_xruns"))
    p.drop_cards()
    return list(zip(lats, ahead.at(times[heard]), ran[heard])), int(sum(ran & ~heard)), xruns


def travel(values):
    """How far values in the order of the bursts go up and down. Ten bursts are one point: a single one also has the phase of its
    packet in it."""
    points = [float(np.median(values[i:i + 10])) for i in range(0, len(values) - 9, 10)]
    return points, [max(points) - min(points)] if points else []


def run(a):
    figures = []
    for what, ppm in CASES:
        bursts, missed, xruns = case(a, what, ppm)
        lats = [delay for delay, _, _ in bursts]
        points, moved = travel(lats)
        _, clocks = travel([delay - ahead for delay, ahead, ran in bursts if ran])
        name = f"{what} {ppm:+d} ppm, {a.drift_seconds:.0f} s"
        figures += [Figure(f"{name}: mouth to ear", "ms", None, lats),
                    Figure(f"{name}: the delay moves by", "ms", None, moved),
                    Figure(f"{name}: the same without what lies ahead of the loudspeaker, while the machine ran", "ms", 5, clocks),
                    Figure(f"{name}: bursts in or after a standstill of the machine", "%", None,
                           [100 * sum(not ran for _, _, ran in bursts) / max(len(bursts), 1)]),
                    Figure(f"{name}: sounds that were not found while it ran", "", 0, [missed]),
                    Figure(f"{name}: xruns (see realtime)", "", None, [xruns])]
        print(f"  drift, {name}: {', '.join(f'{v:.1f}' for v in points)}", flush=True)
    return figures
