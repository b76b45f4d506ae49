"""tone FILE HZ | heard FILE HZ | silent FILE: makes a tone of 10 minutes, or looks for one, or for exact silence."""
import math
import struct
import sys
import wave

RATE = 48000
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
a = b = 0.0
for s in samples:
    a, b = s + c * a - b, a
level = 10 * math.log10(max(a * a + b * b - c * a * b, 1e-9) / (max(len(samples), 1) / 2 * 32768) ** 2) - 3.01
print(f"      {level:.1f} dBFS")
sys.exit(0 if level > -25 else 1)
