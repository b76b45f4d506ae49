"""Calls on a virtual clock through networks of any kind: the real streams, loops and codecs, scored as `quality` does."""
import concurrent.futures as cf
import os
import subprocess
import sys
import tempfile

import numpy as np

from . import netprofiles, quality, speech
from .pair import rundir
from .signals import FS

N = 4000            # packets in a trace before it repeats
WARMUP = 5.0        # seconds of noise before the voices
CARDS = 14.0        # ms: a period of capture, and what lies ahead of the loudspeaker


# ---- networks: rng, milliseconds between packets -> a trace as in netprofiles -------------------------------
def _gilbert(rng, share, run):
    bad, drop = False, np.zeros(N, bool)
    for i, u in enumerate(rng.random(N)):
        bad = u >= 1 / run if bad else u < share / run / (1 - share)
        drop[i] = bad
    return drop


def bursts(share, run, jitter=0):
    return lambda rng, ms: {"drop": _gilbert(rng, share, run), "delay": rng.random(N) * jitter, "fifo": True}


def uniform(jitter, fifo=True):
    return lambda rng, ms: {"delay": rng.random(N) * jitter, "fifo": fifo}


def correlated(deviation, memory_ms):
    """A queue of other people's packets: its length wanders."""
    def f(rng, ms):
        keep, x, out = np.exp(-ms / memory_ms), 0.0, np.zeros(N)
        for i, g in enumerate(rng.standard_normal(N)):
            x = keep * x + np.sqrt(1 - keep * keep) * g
            out[i] = max(0.0, deviation * (x + 1))
        return {"delay": out, "fifo": True}
    return f


def pareto(shape, scale, fifo=True, most=400):
    return lambda rng, ms: {"delay": np.minimum(scale * rng.pareto(shape, N), most), "fifo": fifo}


def spikes(every, least, most, jitter=3):
    """Nothing passes for a while, then all at once: roaming, hand-over."""
    def f(rng, ms):
        t, st = 3000.0, []
        while t < 90000:
            st.append((t, least + (most - least) * rng.random()))
            t += every * 1000 * (0.5 + rng.random())
        return {"delay": rng.random(N) * jitter, "fifo": True, "stall": st}
    return f


def periodic(every, length, jitter=3):
    return lambda rng, ms: {"delay": rng.random(N) * jitter, "fifo": True,
                            "stall": [(t, length) for t in np.arange(4000, 90000, every * 1000)]}


def steps(height, every, jitter=5):
    """Another route, now and then: longer, shorter."""
    return lambda rng, ms: {"delay": rng.random(N) * jitter + height * ((np.arange(N) * ms // (every * 1000)) % 2),
                            "fifo": height < 20}


def ramp(height, period, jitter=5):
    """A delay that grows and falls slowly."""
    def f(rng, ms):
        x = np.arange(N) * ms / (period * 1000)
        return {"delay": rng.random(N) * jitter + height * (0.5 - 0.5 * np.cos(2 * np.pi * x)), "fifo": True}
    return f


def reordered(share, late):
    return lambda rng, ms: {"delay": np.where(rng.random(N) < share, late, 0), "fifo": False}


def doubled(share):
    return lambda rng, ms: {"dup": np.where(rng.random(N) < share, 5, -0.001)}


def bench(name):
    """One of the bench's own."""
    def f(rng, ms):
        t = netprofiles.PROFILES[name][1](rng)
        return {k: v / 1000 if k in ("delay", "dup") else v for k, v in t.items()}
    return f


def quiet(rng, ms):
    return {}


# name: (network, settings of the call)
NETWORKS = {
    "clean": (quiet, {}),
    "loss1": (bench("loss1"), {}), "loss3": (bench("loss3"), {}), "loss10": (bench("loss10"), {}),
    "ge5": (bench("ge5"), {}), "ge20": (bench("ge20"), {}),
    "jit20": (bench("jit20"), {}), "jit60": (bench("jit60"), {}), "jit120": (bench("jit120"), {}),
    "reorder": (bench("reorder"), {}), "dup": (bench("dup"), {}), "wifi": (bench("wifi"), {}),
    "jit200": (uniform(200), {}), "jit60free": (uniform(60, fifo=False), {}), "jit120free": (uniform(120, fifo=False), {}),
    "queue20": (correlated(20, 400), {}), "queue40": (correlated(40, 1500), {}),
    "pareto": (pareto(2, 15), {}), "paretofree": (pareto(2, 15, fifo=False), {}),
    "spikes": (spikes(5, 100, 500), {}), "rarespikes": (spikes(15, 100, 400), {}), "scan": (periodic(10, 120), {}),
    "scan30": (periodic(30, 150), {}), "steps": (steps(100, 8), {}), "bigsteps": (steps(200, 10), {}), "ramp": (ramp(150, 30), {}),
    "loss3jit40": (bursts(.03, 1, 40), {}), "ge10jit60": (bursts(.10, 3, 60), {}),
    "reorder20": (reordered(.20, 30), {}), "reorder10": (reordered(.10, 80), {}), "dup20": (doubled(.2), {}),
    "ge1b2": (bursts(.01, 2), {}), "ge10b2": (bursts(.10, 2), {}), "ge10b5": (bursts(.10, 5), {}),
    "ge5b10": (bursts(.05, 10), {}), "ge15b8": (bursts(.15, 8), {}), "ge30b3": (bursts(.30, 3), {}),
    "loss20": (bursts(.20, 1.25), {}), "loss30": (bursts(.30, 1.43), {}),
    "outage": (periodic(25, 2000), {}), "lostreports": (bursts(.05, 2), {"lostReports": .03}),
    "p40loss5": (bursts(.05, 1.05), {"ptime": 40}), "p60loss5": (bursts(.05, 1.05), {"ptime": 60}),
    "p40jit60": (uniform(60), {"ptime": 40}), "p60jit60": (uniform(60), {"ptime": 60}), "p10jit60": (uniform(60), {"ptime": 10}),
    "p10loss5": (bursts(.05, 1.05), {"ptime": 10}),
    "dtxloss3": (bursts(.03, 1.03), {"dtx": 1}), "dtxjit60": (uniform(60), {"dtx": 1}), "dtx": (quiet, {"dtx": 1}),
    "g711": (quiet, {"codec": 2}), "g711loss3": (bursts(.03, 1.03), {"codec": 2}), "g711ge5": (bursts(.05, 3), {"codec": 2}),
    "g711jit60": (uniform(60), {"codec": 2}), "g722": (quiet, {"codec": 1}), "g722loss3": (bursts(.03, 1.03), {"codec": 1}),
    "g722jit60": (uniform(60), {"codec": 1}), "nored5": (bursts(.05, 1.05), {"red": 0}), "noredge5": (bursts(.05, 3), {"red": 0}),
    "bare5": (bursts(.05, 1.05), {"red": 0, "fec": 0}), "barejit120": (uniform(120), {"red": 0, "fec": 0}),
    "fast500": (uniform(20), {"ppmA": 500}), "slow500": (uniform(20), {"ppmA": -500}),
}


def trace(network, seed, ms):
    t = network(np.random.default_rng(seed), ms)
    if not t:
        return ""
    drop = t.get("drop", np.zeros(N, bool)).astype(int)
    delay, again = np.asarray(t.get("delay", np.zeros(N))), np.asarray(t.get("dup", np.full(N, -.001)))
    out = [f"fifo {int(t.get('fifo', False))}"] + [f"stall {a:.1f} {b:.1f}" for a, b in t.get("stall", [])]
    out += [f"p {a} {b * 1000:.0f} {c * 1000:.0f}" for a, b, c in zip(drop, delay, again)]
    return "\n".join(out) + "\n"


def prepare(folder, name, seed):
    """Writes what a call needs into `folder`."""
    network, settings = NETWORKS[name]
    settings = dict({"ptime": 20, "seed": seed}, **settings)
    rng = np.random.default_rng(1000 + seed)
    x, _ = speech.cached(rundir())
    for side, roll in (("a", 0), ("b", len(x) // 2)):
        noise = np.random.default_rng(3).standard_normal(int(WARMUP * FS)) * 10 ** (-70 / 20)
        said = np.concatenate([noise, np.roll(x, -roll)])
        (np.clip(said, -1, 1) * 32767).astype("<i2").tofile(os.path.join(folder, side + ".raw"))
    for i, way in enumerate(("ab", "ba")):
        with open(os.path.join(folder, way + ".txt"), "w") as f:
            f.write(trace(network, 2 * seed + i, settings["ptime"]))
    settings["phaseA"], settings["phaseB"] = (10 * rng.random(2)).tolist()
    with open(os.path.join(folder, "call.txt"), "w") as f:
        f.writelines(f"{k} {v}\n" for k, v in settings.items())
    return settings


def counts(folder):
    with open(os.path.join(folder, "counts.txt")) as f:
        lines = [line.split() for line in f]
    return {w[0]: dict(zip(w[1::2], map(int, w[2::2]))) for w in lines}


def call(program, name, seed):
    """Runs one call and scores both directions."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        settings = prepare(folder, name, seed)
        subprocess.run(program, check=True, env={**os.environ, "HANDSET_TRACE_RUN": folder},
                       stdout=subprocess.DEVNULL)
        x, _ = speech.cached(rundir())
        heard, seen = {}, counts(folder)
        for side in "ab":
            y = np.fromfile(os.path.join(folder, side + ".out"), "<i2")[int(WARMUP * FS):]
            heard[side] = np.pad(y, (0, max(0, len(x) + 2 * FS - len(y))))
        npz = os.path.join(folder, "rec.npz")
        np.savez(npz, a=heard["a"], b=heard["b"], off=[0, len(x) // 2], ppm=settings.get("ppmA", 0),
                 lost=[0, 0], kbps=[0, 0])
        dirs = quality.score(npz, False)["dirs"]
    ahead = settings["phaseB"] - settings["phaseA"]
    for d, side, sign in zip(dirs, "ba", (1, -1)):
        d.update(seen[side], seed=seed, kbps=seen[side]["octets"] * 8 / (len(x) / FS + WARMUP + 2) / 1000)
        if d["delay_mean_ms"] is not None:
            for k in ("delay_mean_ms", "delay_max_ms", "delay_min_ms"):
                d[k] += CARDS + sign * ahead
    return {"network": name, "dirs": dirs}


def summary(results):
    rows = {}
    for r in results:
        rows.setdefault(r["network"], []).extend(r["dirs"])
    out = {}
    for name, d in rows.items():
        mean = lambda k: float(np.mean([v[k] for v in d if v[k] is not None] or [np.nan]))
        out[name] = {"pesq": mean("pesq"), "worst": float(min(v["pesq"] or 0 for v in d)), "delay": mean("delay_mean_ms"),
                     "delay_max": mean("delay_max_ms"), "kbps": mean("kbps"), "lost": mean("lost"),
                     "concealed_pct": mean("concealed") / 48 / 495, "scaled_ms": (mean("leftOut") + mean("putIn")) / 48}
    return out


def command(a):
    """`./run.sh simulate`: HANDSET_TESTS is the test program, built for release."""
    tests = os.environ.get("HANDSET_TESTS")
    if not tests or not os.access(tests, os.X_OK):
        sys.exit("simulate: HANDSET_TESTS must name handsetPackageTests.xctest (see README.md)")
    program = [tests, "--testing-library", "swift-testing", "--filter", "TraceTests/run"]
    names = list(NETWORKS) if a.networks == "all" else a.networks.split(",")
    unknown = [n for n in names if n not in NETWORKS]
    if unknown:
        sys.exit(f"simulate: no network {', '.join(unknown)}; there are {', '.join(NETWORKS)}")
    speech.cached(rundir())
    with cf.ProcessPoolExecutor(a.parallel) as ex:
        calls = [ex.submit(call, program, n, s) for n in names for s in range(1, a.rounds + 1)]
        results = [c.result() for c in calls]
    print("network      PESQ-WB  worst  delay ms  longest  kbit/s  made up %  scaled ms")
    for name, s in summary(results).items():
        print(f"{name:12} {s['pesq']:7.2f} {s['worst']:6.2f} {s['delay']:9.1f} {s['delay_max']:8.0f} {s['kbps']:7.1f}"
              f" {s['concealed_pct']:10.2f} {s['scaled_ms']:10.0f}")
    return results
