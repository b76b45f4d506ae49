"""Hands-free: how much echo the talker hears of a far loudspeaker, and what both-sides talk loses by it."""
import time

import numpy as np

from . import quality, speech
from .figures_tools import FS, Figure
from .pair import Pair, rundir

SILENCE = 10 ** (-70 / 20)
TALK = 12.0


def room(reverberation, gain, seed=5, n=480):
    """Echoes of a small room, sparse: delays (frames) and gains; together as loud as `gain` says."""
    rng = np.random.default_rng(seed)
    length = 0.25
    t = np.sort(np.concatenate(([0.0012], 0.002 + (length - 0.002) * rng.random(n - 1) ** 1.7)))
    g = np.exp(-6.9 * t / reverberation) * rng.choice([-1.0, 1.0], n)
    g[0] = abs(g[0])
    return (t * FS).astype(int), g * gain / np.sqrt(np.sum(g ** 2))


def spoken(a, profile, walls):
    """What A hears, in dBFS, from three seconds on of its own speech, with B in a room."""
    x, _ = speech.cached(rundir())
    x = x[:int(TALK * FS)]
    with Pair("handset", "handset", slot=a.slot, seconds=TALK + a.warmup + 14, tag="echo",
              opts={"ptime": a.ptime, "bitrate": a.bitrate, "profile": profile}) as p:
        rng = np.random.default_rng(3)
        for c in p.cards.values():
            c.feed(0, rng.standard_normal(c.nframes) * SILENCE)
        p.cb.room(*walls)
        # A's own microphone hears no loudspeaker, and is as it is.
        p.start()
        p.A.rpc("profile.set", profile="line")
        p.call()
        time.sleep(a.warmup)
        at = p.ca.pos() + FS // 2
        p.ca.feed(at, x)
        time.sleep(TALK + 1.2)
        heard = np.array(p.ca.play[at + 3 * FS:at + int(TALK * FS)]) / 32768
        echo = p.B.rpc("stats.get")["loop"]["echo"]
    p.drop_cards()
    return 10 * np.log10(np.mean(heard ** 2) + 1e-12), echo


def both_talk(a, profile):
    """PESQ-WB of both directions of a call in which both sides talk all the time."""
    opts = dict(profile=profile)
    got = quality.run_call("handset", "handset", "clean", 1, a.slot, a, opts)
    return [d["pesq"] for d in quality.score(got["npz"], with_visqol=False)["dirs"]]


def run(a):
    figures = []
    for reverberation, gain in ((0.3, 0.5), (0.5, 1.0)):
        walls = room(reverberation, gain)
        loud, _ = spoken(a, "line", walls)
        soft, echo = spoken(a, "speakerphone", walls)
        name = f"room of {reverberation} s, echo at {20 * np.log10(gain):+.0f} dB"
        print(f"  echo, {name}: {loud:.1f} dBFS with line, {soft:.1f} with speakerphone; {echo}", flush=True)
        figures.append(Figure(f"{name}: speakerphone against line, from 3 s on", "dB", -30, [soft - loud]))
    line, phone = both_talk(a, "line"), both_talk(a, "speakerphone")
    print(f"  both talk, PESQ-WB: line {line}, speakerphone {phone}", flush=True)
    figures.append(Figure("both talk, no echo: PESQ-WB lost with speakerphone", "", 0.1,
                          [a_ - b_ for a_, b_ in zip(line, phone)]))
    return figures
