"""A call between two ends with nothing that could be left out: what no endpoint of this shape can undercut."""
import os
import subprocess
import time

import numpy as np

from .card import Card, asound_conf, new_path
from .figures_tools import cpu_seconds, opus_settings
from .pair import address, built, rundir


class LeastEndpoints:
    """Two of bare/least_endpoint.c, each with a card of its own, that hear each other."""

    def __init__(self, a, seconds, says):
        self.cards, self.ends, self.confs = [], [], []
        ports = address(a.slot + 1, "A")[2:]
        for k, x in enumerate(says):
            card = Card(new_path(f"least-{k}", rundir()), seconds)
            card.feed(0, np.resize(x, card.nframes))
            self.cards.append(card)
            self.confs.append(card.path + ".conf")
            asound_conf(self.confs[-1], built("libasound_module_pcm_rig.so"), card.path)
            self.ends.append(subprocess.Popen(
                [built("least_endpoint"), "ep", str(ports[k]), str(ports[1 - k]), *opus_settings(a), str(seconds - 2)],
                env=dict(os.environ, ALSA_CONFIG_PATH=self.confs[-1])))

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def spent(self):
        """CPU seconds of both, and when."""
        if any(e.poll() is not None for e in self.ends):
            raise RuntimeError("costs: a least endpoint has ended")
        return sum(cpu_seconds(e.pid) for e in self.ends), time.monotonic()

    def close(self):
        for e in self.ends:
            e.kill()
            e.wait()
        for card, conf in zip(self.cards, self.confs):
            card.close()
            os.unlink(conf)
