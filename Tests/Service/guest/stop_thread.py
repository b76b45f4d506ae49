"""PID: stops the audio loop's thread of that process alone, as a debugger would, until it dies."""
import ctypes
import os
import sys

pid = int(sys.argv[1])
for task in os.listdir(f"/proc/{pid}/task"):
    with open(f"/proc/{pid}/task/{task}/comm") as comm:
        name = comm.read().strip()
    if "audio" in name:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.ptrace(16, int(task), None, None) != 0:  # PTRACE_ATTACH
            sys.exit(os.strerror(ctypes.get_errno()))
        os.waitpid(int(task), 0x40000000)  # __WALL: has stopped
        print(f"      stopped thread {task} ({name})", flush=True)
        # A traced thread that has died is there until its tracer has seen it.
        os.waitpid(int(task), 0x40000000)
        sys.exit(0)
sys.exit("no audio thread")
