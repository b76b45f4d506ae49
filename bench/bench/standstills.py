"""When the machine itself stood still, as one that is virtual does while others have its processors."""
import os
import signal
import subprocess
import sys


class BareThreads:
    """Note when the machine itself stood still, one for each processor: see bare_thread.py."""

    def __init__(self, period_ms, worth_ms):
        self.procs = [subprocess.Popen([sys.executable, "-m", "bench.bare_thread", str(cpu), str(period_ms), str(worth_ms)],
                                       stdout=subprocess.PIPE, text=True) for cpu in sorted(os.sched_getaffinity(0))]

    def stop(self):
        """[(monotonic second at which one should have woken, ms that it was late)]"""
        stood = []
        for proc in self.procs:
            proc.send_signal(signal.SIGINT)
            out, _ = proc.communicate(timeout=10)
            stood += [tuple(float(v) for v in line.split()) for line in out.splitlines()]
        return sorted(stood)
