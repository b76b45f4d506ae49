"""`cancellers`: echo cancellers over files, side by side, in computed and recorded rooms with recorded voices. See README.md."""
import json
import os
import shutil
import subprocess

import numpy as np
from scipy.signal import fftconvolve

from . import cli, speech
from .pair import built, rundir
from .rooms import image_room, noise_room, recorded_rooms, reverberation
from .signals import to16k

FS = 48000


def pcm(x):
    return np.clip(np.round(x * 32768), -32768, 32767).astype("<i2")


def cancellers():
    found = {}
    folder = os.environ.get("HANDSET_BIN")
    own = os.path.join(folder, "cancel") if folder else None
    if own and os.path.exists(own):
        found["handset"] = [own]
    for name in ("speex_cancel", "webrtc_cancel"):
        if os.path.exists(built(name)):
            found[name.split("_")[0]] = [built(name)]
    if "speex" in found:
        found["speex, filter alone"] = found["speex"]
    return found


def process(name, program, mic, far):
    d = os.path.join(rundir(), "work", "cancel")
    os.makedirs(d, exist_ok=True)
    paths = [os.path.join(d, f) for f in ("mic.raw", "far.raw", "out.raw")]
    pcm(mic).tofile(paths[0])
    pcm(far).tofile(paths[1])
    r = subprocess.run(program + paths + (["linear"] if "alone" in name else []), capture_output=True, text=True, check=True)
    told = json.loads(r.stdout.strip().splitlines()[-1])
    out = np.fromfile(paths[2], "<i2").astype(float) / 32768
    lat = told["latency"]
    out = np.concatenate((out[lat:], np.zeros(lat)))
    shutil.rmtree(d)
    return out, told


def power(x, a, b):
    return 10 * np.log10(np.mean(x[int(a * FS):int(b * FS)] ** 2) + 1e-12)


def wb(ref, deg):
    from pesq import pesq
    return float(pesq(16000, to16k(ref), to16k(deg), "wb"))


def scenes(x):
    """(what, far, near, echo, [(figure, function of what is sent)])"""
    voices = [x[int(k * 8.5 * FS):int((k * 8.5 + 8) * FS)] for k in range(5)]
    far = np.concatenate((voices[0], voices[1]))
    rng = np.random.default_rng(1)
    noise = rng.standard_normal(len(far)) * 10 ** (-75 / 20)
    quiet = np.zeros(len(far))
    rooms = [(f"room {rt} s", image_room(rt), gain) for rt, gain in ((0.2, 0.3), (0.3, 0.5), (0.3, 1.0), (0.45, 0.5), (0.6, 1.0))]
    rooms += [(f"noise room {rt} s", noise_room(rt, seed), gain) for rt, gain, seed in ((0.4, 0.5, 1), (0.6, 1.0, 2), (0.8, 0.5, 3))]
    recorded = recorded_rooms()
    for name, response in recorded.items():
        rooms += [(f"{name} ({reverberation(response):.2f} s)", response, gain) for gain in (0.5, 1.0)]
    for name, response, gain in rooms:
        echo = fftconvolve(far, response)[:len(far)] * gain
        yield f"{name}, echo {20 * np.log10(gain):+.0f} dB", far, quiet + noise, echo, [
            ("ERLE 1-3 s", lambda o, e=echo: power(e, 1, 3) - power(o, 1, 3)),
            ("ERLE 3-8 s", lambda o, e=echo: power(e, 3, 8) - power(o, 3, 8)),
            ("ERLE 8-16 s", lambda o, e=echo: power(e, 8, 16) - power(o, 8, 16))]
    changes = [("path changes at 9 s", image_room(0.35), image_room(0.35, mic=(2.6, 3.1, 1.2)))]
    if recorded:
        changes.append(("recorded path changes at 9 s", recorded["recorded room 2, near"], recorded["recorded room 2, far"]))
    for what, a, b in changes:
        echo = fftconvolve(far, a)[:len(far)] * 0.5
        other = fftconvolve(far, b)[:len(far)] * 0.6
        at = 9 * FS
        echo[at:] = other[at:]
        yield what, far, quiet + noise, echo, [
            (f"ERLE {x}-{y} s", lambda o, e=echo, x=x, y=y: power(e, x, y) - power(o, x, y))
            for x, y in ((7, 9), (9, 10), (10, 11), (11, 16))]
    near = np.concatenate((np.zeros(6 * FS), voices[2][:6 * FS], np.zeros(4 * FS)))
    talks = [("", image_room(0.3), gain) for gain in (0.25, 0.5, 1.0)]
    talks += [(f" in {name}", response, 0.5) for name, response in recorded.items()]
    for where, response, gain in talks:
        echo3 = fftconvolve(far, response)[:len(far)] * gain
        lo, hi = 6 * FS, 12 * FS

        def kept(o):
            n, s = near[lo:hi], o[lo:hi]
            return 20 * np.log10(max(np.dot(n, s) / np.dot(n, n), 1e-6))
        yield f"both talk at 6-12 s{where}, echo {20 * np.log10(gain):+.0f} dB", far, near + noise, echo3, [
            ("near speech, dB", kept),
            ("PESQ-WB of it", lambda o: wb(near[lo:hi], o[lo:hi])),
            ("without canceller", lambda o, m=near + noise + echo3: wb(near[lo:hi], m[lo:hi]))]
    whole = np.concatenate((voices[2], voices[3]))
    yield "both talk, no echo", far, whole, quiet, [
        ("PESQ-WB lost", lambda o: 4.644 - wb(whole, o)),
        ("near speech, dB", lambda o: 20 * np.log10(np.dot(whole, o) / np.dot(whole, whole)))]
    # Two seconds of noise alone, then speech in it.
    speech_after = np.concatenate((np.zeros(2 * FS), whole[:-2 * FS]))
    for level in (-40, -45, -50):
        hiss = rng.standard_normal(len(whole)) * 10 ** (level / 20)
        yield f"noise of {level} dBFS", quiet, speech_after + hiss, quiet, [
            ("noise falls by, dB", lambda o, m=hiss: power(m, 1.3, 1.9) - power(o, 1.3, 1.9)),
            ("PESQ-WB gained", lambda o, m=hiss: wb(speech_after[2 * FS:], o[2 * FS:])
                - wb(speech_after[2 * FS:], (speech_after + m)[2 * FS:]))]


def command(a):
    x, _ = speech.cached(rundir())
    rows, table = [], cancellers()
    names = list(table)
    costs = {n: [] for n in names}
    for what, far, near, echo, figures in scenes(x):
        sent = {}
        for n in names:
            sent[n], told = process(n, table[n], near + echo, far)
            costs[n].append(told)
        for figure, f in figures:
            rows.append([what, figure] + [f"{f(sent[n]):.2f}" for n in names])
    rows.append(["cost", "µs per 10 ms"] + [f"{np.median([t['microsPer10ms'] for t in costs[n]]):.0f}" for n in names])
    rows.append(["allocations", "a block"] + [f"{costs[n][0].get('mallocsPerBlock', 0):.1f}" for n in names])
    cli.table(["scene", "figure"] + names, rows)
    cli.save("cancellers" + a.tag, {"machine": cli.machine(), "columns": ["scene", "figure"] + names, "rows": rows})
    return 0
