"""What the parts of `figures` share: clocks, quantiles, and a call of three."""
import os
import time

import numpy as np

from .adapters import adapter
from .card import Card, asound_conf, new_path
from .pair import Pair, address, built

FS = 48000


class Figure:
    """One line of the table. `limit` is what the median, or the 99th percentile where `by` says so, may reach."""

    def __init__(self, name, unit, limit, values, by="median", note=""):
        self.name, self.unit, self.limit, self.by, self.note = name, unit, limit, by, note
        self.values = [float(v) for v in values]

    def decisive(self):
        return float(np.median(self.values) if self.by == "median" else np.percentile(self.values, 99))

    def ok(self):
        return None if self.limit is None else bool(self.values) and self.decisive() <= self.limit

    def row(self):
        if not self.values:
            return [self.name, self.wanted(), "failed", "", "", "", "MISSED"]
        v = np.array(self.values)
        return [self.name, self.wanted(), f"{np.median(v):.4g}", f"{np.percentile(v, 99):.4g}",
                f"{v.min():.4g}-{v.max():.4g}", len(v), {None: "", True: "ok", False: "MISSED"}[self.ok()]]

    def wanted(self):
        return "" if self.limit is None else f"{self.by if self.by != 'median' else ''} <= {self.limit:g} {self.unit}".strip()

    def plain(self):
        return {"name": self.name, "unit": self.unit, "limit": self.limit, "by": self.by, "note": self.note,
                "values": self.values, "ok": self.ok()}


HEAD = ["figure", "wanted", "median", "p99", "min-max", "n", ""]


def cpu_seconds(pid):
    """User and system time of all threads, to the nanosecond (the process's CPU clock)."""
    return time.clock_gettime((~pid << 3) | 2)


def opus_settings(a):
    """Those of Handset's calls, as the programs of bare/ take them: bit rate, complexity, FEC, loss in percent, ms of a packet."""
    return [str(a.bitrate), "9", "1", "0", str(a.ptime)]


class Star(Pair):
    """A with two peers: B, and C, which A calls second."""

    def __init__(self, spec, seconds, opts=None, tag="star", slot=0):
        super().__init__(spec, spec, slot=slot, seconds=seconds, opts=opts, tag=tag)
        name, _, variant = spec.partition(":")
        card = Card(new_path(f"{slot}-C", self.dir), seconds)
        conf = os.path.join(self.dir, "asound-C.conf")
        asound_conf(conf, built("libasound_module_pcm_rig.so"), card.path)
        place = address(slot + 1, "B")
        self.cards["C"], self.cc = card, card
        self.C = self.eps["C"] = adapter(name)(place, os.path.join(self.dir, "C"), conf, variant or "default", opts)
        self.uri_c = f"sip:ep@{place[0]}:{place[1]}"


def play_writes(card):
    """Writes to the loudspeaker: (t_ns, first sample, count)."""
    log = card.log()
    w = log[log["kind"] == 2]
    return w["t"].astype(np.int64), w["pos"].astype(np.int64), w["n"].astype(np.int64)
