"""tone FILE HZ | heard FILE HZ | silent FILE: makes a tone of 10 minutes, or looks for one, or for exact silence."""
import math
import statistics
import struct
import sys
import wave

RATE = 48000
WINDOW = 960
action, path = sys.argv[1:3]
if action == "tone":
    frequency = float(sys.argv[3])
    second = b"".join(
        struct.pack("<h", int(9000 * math.sin(2 * math.pi * frequency * n / RATE))) for n in range(RATE))
    with wave.open(path, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        for _ in range(600):
            out.writeframesraw(second)
    sys.exit(0)
with open(path, "rb") as recording:
    data = recording.read()[44:]
samples = struct.unpack(f"<{len(data) // 2}h", data[: len(data) // 2 * 2])
if action == "silent":
    loud = sum(1 for s in samples if s)
    print(f"      {len(samples)} samples, {loud} of them not zero")
    sys.exit(0 if samples and not loud else 1)
c = 2 * math.cos(2 * math.pi * float(sys.argv[3]) / RATE)
# In windows of 20 ms, since the emulated processor is late now and then and a lost packet shifts the phase.
levels = []
purities = []
for start in range(0, len(samples) - WINDOW + 1, WINDOW):
    a = b = 0.0
    for s in samples[start : start + WINDOW]:
        a, b = s + c * a - b, a
    tone = max(a * a + b * b - c * a * b, 1e-9) * 2 / WINDOW
    total = sum(s * s for s in samples[start : start + WINDOW])
    levels.append(10 * math.log10(tone / WINDOW / 32768**2))
    purities.append(tone / total if total else 0)
level = statistics.median(levels or [-99])
purity = statistics.median(purities or [0])
good = sum(1 for p in purities if p > 0.8)
print(f"      {level:.1f} dBFS, {100 * purity:.0f} % of it the tone (medians; {good} of {len(levels)} windows)")
sys.exit(0 if level > -17 and purity > 0.95 else 1)
