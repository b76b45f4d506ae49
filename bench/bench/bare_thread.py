"""A thread of a higher priority than the audio loop's, bound to one processor, that does nothing but wake up every period: what
it comes late by, no program of the machine could have helped. Run as a program; prints when and how late, until it is
interrupted."""
import ctypes
import gc
import os
import sys
import time


def main(processor, period_ms, worth_ms):
    os.sched_setaffinity(0, {processor})
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
    main(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
