"""Clocks that do not agree: what the delay does while a loudspeaker, or the other side's card, runs fast or slow."""
import os
import time

import numpy as np

from . import signals
from .card import Card
from .figures_tools import FS, Figure
from .pair import Pair, built

CASES = (("loudspeaker", 500), ("loudspeaker", -500), ("sender", 500), ("sender", -500))


def loudspeaker(p, ppm, seconds):
    """Gives B a loudspeaker of its own, whose clock runs so much faster than its microphone's."""
    shm = "/dev/shm" if os.path.isdir("/dev/shm") else p.dir
    card = Card(os.path.join(shm, f"rig-{os.getpid()}-out-{time.monotonic_ns()}"), seconds, ppm=ppm)
    with open(p.B.env["ALSA_CONFIG_PATH"], "a") as f:
        f.write(f"""pcm_type.rigout {{ lib "{built("libasound_module_pcm_rig.so")}" }}
pcm.out {{ type plug slave.pcm {{ type rig file "{card.path}" }} }}
""")
    p.B.opts["playback"] = "alsa:out"
    p.cards["out"] = card
    return card


def case(a, what, ppm):
    """(delays in ms, in the order of the bursts; bursts that were not found; xruns)"""
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
        time.sleep(len(x) / p.ca.real_rate + 1.5)
        lats, missed = signals.delays(p.ca, out, p0, on, a.maxlat)
        xruns = sum(out.counters()[k] for k in ("cap_xruns", "play_xruns"))
    p.drop_cards()
    return lats, len(missed), xruns


def run(a):
    figures = []
    for what, ppm in CASES:
        lats, missed, xruns = case(a, what, ppm)
        # Ten bursts are one point: a single one also has the phase of its packet in it.
        points = [float(np.median(lats[i:i + 10])) for i in range(0, len(lats) - 9, 10)]
        name = f"{what} {ppm:+d} ppm, {a.drift_seconds:.0f} s"
        figures += [Figure(f"{name}: mouth to ear", "ms", None, lats),
                    Figure(f"{name}: the delay moves by", "ms", 5, [max(points) - min(points)] if points else []),
                    Figure(f"{name}: sounds that were damaged, xruns", "", 0, [missed + xruns])]
        print(f"  drift, {name}: {', '.join(f'{v:.1f}' for v in points)}", flush=True)
    return figures
