"""Call after call in real time, and holds and resumes while many clients watch: what is left over, and what is lost.

Two daemons call each other directly, without a relay. Memory, descriptors and threads are A's.
"""
import json
import os
import select
import socket
import time

from .cli import mem_of
from .endpoint import EndpointError
from .figures_tools import Figure
from .pair import Pair

CLIENTS = 50
PACE = 0.25             # seconds from call to call, at least
QUIET = 35              # seconds after which no SIP transaction is left (64 * T1), and the audio session is closed


def footprint(pid):
    """(resident KiB, descriptors, threads)"""
    return mem_of(pid)["rss_kb"], len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task"))


def one_call(p, reader):
    """Dial, answer, hold, resume, hang up."""
    p.call()
    p.A.rpc("call.hold", id=p.A.id)
    p.A.rpc("call.resume", id=p.A.id)
    p.A.rpc("call.end", id=p.A.id)
    p.B.poll_until(lambda: not p.B.calls("connected"), 5, "waiting for the end")
    reader.take()


class Watcher:
    """A client that subscribes and notes where the numbers of its events jump."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.socket.sendall(b'{"id":1,"method":"events.subscribe"}\n')
        self.rest, self.seen, self.jumps, self.events = b"", None, 0, 0
        while self.seen is None:
            self.take(1)

    def take(self, wait=0):
        """Reads what has come."""
        while select.select([self.socket], [], [], wait)[0]:
            data = self.socket.recv(1 << 18)
            if not data:
                raise EndpointError("handset: a client was cut off")
            *lines, self.rest = (self.rest + data).split(b"\n")
            for line in lines:
                self.note(json.loads(line))
            wait = 0

    def note(self, message):
        if "result" in message:
            self.seen = message["result"]["seq"]
            return
        seq = message["params"]["seq"]
        self.jumps += seq != self.seen + 1
        self.seen = seq
        self.events += 1

    def close(self):
        self.socket.close()


def calls(a):
    with Pair("handset", "handset", seconds=a.calls * 1.5 + 2 * QUIET + 60, tag="load", slot=a.slot) as p:
        p.start()
        reader = Watcher(p.A.path)
        times, base = [], None
        for k in range(a.calls):
            began = time.monotonic()
            one_call(p, reader)
            times.append(time.monotonic() - began)
            time.sleep(max(0, PACE - times[-1]))
            if k + 1 == min(100, a.calls // 3):
                time.sleep(QUIET)
                base = footprint(p.A.pid)
        time.sleep(QUIET)
        after = footprint(p.A.pid)
    p.drop_cards()
    print(f"  load: {a.calls} calls, memory, descriptors, threads {base} -> {after}", flush=True)
    return [Figure(f"{a.calls} calls, each held and resumed: memory after, less that after the first third (100 at most)",
                   "KiB", 1024, [after[0] - base[0]]),
            Figure("the same: descriptors", "", 0, [after[1] - base[1]]),
            Figure("the same: threads", "", 0, [after[2] - base[2]]),
            Figure("the same: time of one call", "s", None, times)]


def actions(a):
    with Pair("handset", "handset", seconds=a.actions * 0.2 + 60, tag="load", slot=a.slot) as p:
        p.start()
        p.call()
        watchers = [Watcher(p.A.path) for _ in range(CLIENTS)]
        stalled = Watcher(p.A.path)
        times, began = [], time.monotonic()
        for k in range(a.actions):
            t = time.monotonic()
            p.A.rpc("call.resume" if k % 2 else "call.hold", id=p.A.id)
            times.append((time.monotonic() - t) * 1000)
            if k % 25 == 24:
                for w in watchers:
                    w.take()
        seconds = time.monotonic() - began
        last = p.A.rpc("events.subscribe")["seq"]
        for w in watchers:
            deadline = time.monotonic() + 5
            while w.seen < last and time.monotonic() < deadline:
                w.take(0.1)
        lost = sum(w.jumps + (last - w.seen) for w in watchers)
        for w in watchers + [stalled]:
            w.close()
    p.drop_cards()
    print(f"  load: {a.actions} actions in {seconds:.1f} s, {watchers[0].events} events to each of {CLIENTS} clients, "
          "and one that did not read", flush=True)
    return [Figure(f"2,000 holds and resumes with {CLIENTS} clients take", "s", 60, [seconds * 2000 / a.actions]),
            Figure("the same: events lost or out of turn, all clients", "", 0, [lost]),
            Figure("the same: one action, as its client sees it", "ms", None, times)]


def run(a):
    return calls(a) + actions(a)
