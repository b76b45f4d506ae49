"""A thread of a higher priority than the audio loop's that does nothing but wake up every period: what it comes late by, no
program of the machine could have helped. Run as a program; prints when and how late, until it is interrupted."""
import ctypes
import gc
import os
import sys
import time


def main(period_ms, worth_ms):
    ctypes.CDLL(None).mlockall(3)
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(80))
    gc.disable()
    due = time.monotonic()
    try:
        while True:
            due += period_ms / 1000
            time.sleep(max(0, due - time.monotonic()))
            late = (time.monotonic() - due) * 1000
            if late > worth_ms:
                print(f"{due:.4f} {late:.2f}", flush=True)
                due = time.monotonic()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main(float(sys.argv[1]), float(sys.argv[2]))
