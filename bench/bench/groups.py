"""What a group costs: the CPU time of a daemon that mixes 2, 3, 5 and 8 members.

A, on a card, talks all the time; it calls one guest after the other and merges it into the group. Guests are daemons on
WAV files, and talk in turns, each an eighth of ten seconds: if all talked at once, Opus would take the mix for music from
some size of the group on, and code it at another price. The group grows as often as there are rounds, so that drift of
the machine hits all sizes alike.
"""
import os
import time
import wave

import numpy as np

from .adapters import adapter
from .card import Card, asound_conf, new_path
from .costs import LOOP, talk, window
from .figures_tools import FS, Figure
from .pair import address, built, rundir

SIZES = (1, 2, 3, 5, 8)


def guest_address(k):
    """As `pair.address`, for guest k."""
    return f"127.0.{20 + k}.1", 15400 + 10 * k, 12000 + 100 * k, 12049 + 100 * k


def write_wave(path, samples):
    with wave.open(path, "wb") as f:
        f.setnchannels(1)
        f.setsampwidth(2)
        f.setframerate(FS)
        f.writeframes(samples.tobytes())


class Host:
    """A and its guests, all of them running."""

    def __init__(self, a, seconds):
        self.a = a
        self.dir = os.path.join(rundir(), "work", f"groups-{a.slot}-{os.getpid()}-{time.monotonic_ns()}")
        os.makedirs(self.dir)
        opts = {"ptime": a.ptime, "bitrate": a.bitrate, "maximum_calls": max(SIZES)}
        mine, theirs = talk()
        self.card = Card(new_path("groups", self.dir), seconds)
        self.card.feed(0, np.tile(mine, self.card.nframes // len(mine) + 1)[:self.card.nframes])
        conf = os.path.join(self.dir, "asound.conf")
        asound_conf(conf, built("libasound_module_pcm_rig.so"), self.card.path)
        self.A = adapter("handset")(address(a.slot, "A"), os.path.join(self.dir, "A"), conf, "default", opts)
        self.guests = []
        for k in range(max(SIZES)):
            path = os.path.join(self.dir, f"guest-{k}.wav")
            turn = np.arange(len(theirs)) * max(SIZES) // len(theirs) == k
            write_wave(path, np.where(turn, theirs, 0).astype(np.int16))
            self.guests.append(adapter("handset")(guest_address(k), os.path.join(self.dir, f"guest-{k}"), conf,
                                                  "default", {**opts, "device": f"file:{path},"}))
        self.ids = []

    def __enter__(self):
        for e in [self.A, *self.guests]:
            e.start()
        return self

    def __exit__(self, *exc):
        for e in [self.A, *self.guests]:
            e.kill()
        self.card.close()

    def grow(self, size):
        """Calls guests until there are `size`, in one group where that is more than one."""
        for k in range(len(self.ids), size):
            g, ip, port = self.guests[k], *guest_address(k)[:2]
            self.A.dial(f"sip:ep@{ip}:{port}")
            self.ids.append(self.A.id)
            g.wait_incoming(8)
            g.answer()
            self.A.poll_until(lambda: len(self.A.calls("connected")) == k + 1, 8, "waiting for a guest")
        if size > 1:
            self.A.rpc("group.merge", ids=self.ids)

    def empty(self):
        for call in self.ids:
            self.A.rpc("call.end", id=call)
        self.ids = []
        for g in self.guests:
            g.poll_until(lambda g=g: not g.rpc("call.list")["calls"], 8, "waiting for the end")

    def check(self):
        """Raises where somebody is not heard for as long as the talk takes to come round."""
        for e in [self.A, *self.guests[:len(self.ids)]]:
            for call in e.rpc("call.list")["calls"]:
                for way in ("sent", "received"):
                    def heard():
                        return (e.rpc("stats.get", id=call["id"])["calls"][0][way]["levelDbfs"] or -100) > -60
                    e.poll_until(heard, 2 * LOOP, f"waiting for sound {way}", step=0.2)


def run(a):
    cost = {size: [] for size in SIZES}
    turns, xruns = [], []
    rounds, seconds = max(1, a.pairs // 2), a.window / 2
    # A's talk lasts, too, where each guest is waited for until its turn comes.
    with Host(a, rounds * sum(seconds + 8 + size * LOOP for size in SIZES) + 60) as host:
        for k in range(rounds):
            for size in SIZES:
                host.grow(size)
                time.sleep(3)
                cost[size].append(60 * window(host.A, seconds))
                host.check()
            loop = host.A.rpc("stats.get")["loop"]
            turns.append(loop["turnMicrosP99"])
            xruns.append(loop["xruns"])
            print(f"  groups, round {k + 1}: " + ", ".join(f"{size}: {cost[size][-1]:.2f}" for size in SIZES) + " s/min",
                  flush=True)
            host.empty()
            time.sleep(3)
    largest = max(SIZES)
    linear = [c / largest / (b / 2) for b, c in zip(cost[2], cost[largest])]
    figures = [Figure(f"group of {size}" if size > 1 else "one call, no group", "s/min", None, cost[size])
               for size in SIZES]
    figures += [Figure(f"a member of {largest} against a member of 2", "x", 1.2, linear),
                Figure("a member of 2 against a call", "x", None, [b / 2 / c for b, c in zip(cost[2], cost[1])]),
                Figure(f"groups: 99 of 100 turns of the loop, up to {largest} members, are within", "us", 5000, turns),
                Figure("groups: card xruns", "", None, xruns)]
    return figures
