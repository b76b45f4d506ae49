"""Responses of rooms: computed ones, and recorded ones, by a sweep, which `setup.sh` fetches."""
import os
from math import gcd

import numpy as np
from scipy.io import wavfile
from scipy.signal import butter, resample_poly, sosfilt

from .pair import rundir

FS = 48000
SWEEP = "Sweep(10-22000Hz,10s-0.2s).wav"
RECORDINGS = {"recorded room 1": "GrCLab1SSRPos2.wav", "recorded room 2, near": "GrCLab2SSRPos1Src1.wav",
              "recorded room 2, far": "GrCLab2SSRPos1Src2.wav"}


def image_room(reverberation, size=(4.1, 5.3, 2.6), speaker=(1.9, 2.2, 0.9), mic=(2.05, 2.35, 0.85), seconds=0.35):
    """The response of a room of plain walls, by mirror images (Allen and Berkley 1979), of energy 1."""
    size, speaker, mic = map(np.array, (size, speaker, mic))
    surface = 2 * (size[0] * size[1] + size[1] * size[2] + size[0] * size[2])
    beta = np.exp(-0.161 * size.prod() / (surface * reverberation) / 2)
    n = np.ceil(343 * seconds / (2 * size)).astype(int)
    m = np.stack(np.meshgrid(*[np.arange(-k, k + 1) for k in n], indexing="ij"), -1).reshape(-1, 3)
    h = np.zeros(int(seconds * FS) + 1)
    for q in range(8):
        u = np.array([q & 1, q >> 1 & 1, q >> 2])
        d = np.linalg.norm((1 - 2 * u) * speaker + 2 * m * size - mic, axis=1)
        g = beta ** np.abs(np.concatenate((m - u, m), 1)).sum(1) / d
        t = d / 343 * FS
        ok = t < len(h) - 1
        i = t[ok].astype(int)
        np.add.at(h, i, g[ok] * (1 - (t[ok] - i)))
        np.add.at(h, i + 1, g[ok] * (t[ok] - i))
    return h / np.sqrt(np.sum(h ** 2))


def noise_room(reverberation, seed):
    """A response of noise that dies away, behind a direct sound as loud as all of it, of energy 1; its high notes die sooner."""
    rng = np.random.default_rng(seed)
    n = int(1.2 * reverberation * FS)
    t = np.arange(n) / FS
    low, high = (sosfilt(butter(4, 2500, kind, fs=FS, output="sos"), rng.standard_normal(n)) for kind in ("low", "high"))
    h = low * 10 ** (-3 * t / reverberation) + high * 10 ** (-3 * t / (0.6 * reverberation))
    h = sosfilt(butter(2, [100, 12000], "band", fs=FS, output="sos"), h)
    h = np.concatenate((np.zeros(144), h))
    h[120] = np.sqrt(np.sum(h ** 2))
    return h / np.sqrt(np.sum(h ** 2))


def read(*path):
    """A recording that was fetched, at 48 kHz."""
    rate, x = wavfile.read(os.path.join(rundir(), "rooms", *path))
    k = gcd(FS, rate)
    return resample_poly(x / 32768, FS // k, rate // k)


def deconvolved(recording, sweep):
    """What a room has made of a sweep, by division of spectra; where the sweep has nothing, neither has the response."""
    n = len(recording) + len(sweep)
    s, r = np.fft.rfft(sweep, n), np.fft.rfft(recording, n)
    power = np.abs(s) ** 2
    return np.fft.irfft(r * np.conj(s) / (power + 1e-4 * power.max()), n)


def settled(h):
    """From 2 ms before the direct sound until the noise of the recording begins, faded out over the last fifth; of energy 1."""
    peak = int(np.argmax(np.abs(h)))
    h = h[max(0, peak - FS // 500):]
    blocks = np.array([np.mean(b ** 2) for b in np.split(h[:len(h) // 480 * 480], len(h) // 480)])
    smooth = np.convolve(blocks, np.ones(3) / 3, "same")
    floor = np.median(blocks[-len(blocks) // 4:])
    end = int(np.argmax(smooth[1:] < 2 * floor) + 1) if np.any(smooth[1:] < 2 * floor) else len(blocks)
    h = h[:end * 480].copy()
    fade = len(h) // 5
    h[-fade:] *= np.linspace(1, 0, fade)
    return h / np.sqrt(np.sum(h ** 2))


def reverberation(h):
    """Seconds to 60 dB less, from the fall between 5 and 25 dB (ISO 3382), of a response without noise."""
    e = np.cumsum(h[::-1] ** 2)[::-1]
    e = 10 * np.log10(e / e[0] + 1e-12)
    return 3 * (np.argmax(e < -25) - np.argmax(e < -5)) / FS


def recorded_rooms():
    """{name: response}; none where they were not fetched."""
    if not os.path.exists(os.path.join(rundir(), "rooms", SWEEP)):
        return {}
    sweep = read(SWEEP)
    return {name: settled(deconvolved(read(path), sweep)) for name, path in RECORDINGS.items()}
