"""`figures`: what Handset promises, measured, in one table. See README.md."""
import time

from . import cli, costs, drift, echo, groups, held_session, load, readiness, realtime, thousand_holds
from .adapters import adapter
from .figures_tools import HEAD, Figure

# Variant, packet, look-ahead and period in ms, and what mouth to ear may take.
LATENCIES = (("default", 20, 6.5, 10, 60), ("short", 10, 6.5, 10, 50), ("low", 20, 6.5, 5, 45), ("lowest", 10, 2.5, 5, 28))


def floor(packet, lookahead, period):
    """What cannot be undercut by who waits for whole periods: the packet, the look-ahead of Opus, a period of capture, two of
    playback."""
    return packet + lookahead + 3 * period


def latency(a):
    """Handset's calls of `latency`, as that command measures them, at each of its settings; and what the daemon itself says."""
    figures = []
    values, said = {v[0]: [] for v in LATENCIES}, {v[0]: [] for v in LATENCIES}
    for k in range(a.rounds):
        for variant, *_ in LATENCIES:
            name = f"handset:{variant}"
            r = cli.attempt(lambda: cli.latency_run(name, name, k, a), name)
            if "error" not in r:
                values[variant] += r["lat_ms"]
                said[variant].append(abs(r["said"]["total"] - r["median"]))
                print(f"  {name}: {r['median']:.1f} ms, of which it says " +
                      ", ".join(f"{n} {v:.1f}" for n, v in r["said"].items()) + f"; busy {r['load']['busy_pct']} %",
                      flush=True)
    for variant, packet, lookahead, period, most in LATENCIES:
        least = floor(packet, lookahead, period)
        name = f"mouth to ear, {variant} ({packet} ms packets, {period} ms periods; floor {least:g})"
        figures += [Figure(name, "ms", min(most, 1.15 * least), values[variant]),
                    Figure("  what it says of it is off by", "ms", 4, said[variant])]
    return figures


PARTS = {
    "ready": readiness.run,
    "costs": costs.run,
    "costs-srtp": lambda a: costs.run(a, srtp="optional"),
    "closing": held_session.run,
    "groups": groups.run,
    "holds": lambda a: thousand_holds.run(a)[0],
    "load": load.run,
    "drift": drift.run,
    "echo": echo.run,
    "latency": latency,
    "realtime": realtime.run,
}


def command(a):
    wanted = list(PARTS) if a.parts == "all" else a.parts.split(",")
    unknown = [part for part in wanted if part not in PARTS]
    if unknown:
        raise SystemExit(f"figures: no part is called {', '.join(unknown)}; there are {', '.join(PARTS)}")
    figures, loads = [], {}
    for part, run in PARTS.items():
        if part not in wanted:
            continue
        with cli.Load() as busy:
            got = cli.attempt(lambda: run(a), part)
        loads[part] = busy.r
        figures += [Figure(f"{part}: {got['error']}", "", 0, [])] if isinstance(got, dict) else got
        print(f"  {time.strftime('%H:%M:%S')} {part}: busy {busy.r['busy_pct']} %", flush=True)
    cli.table(HEAD, [f.row() for f in figures])
    missed = [f.name for f in figures if f.ok() is False]
    print("all within what is wanted" if not missed else "missed: " + "; ".join(missed))
    cli.save("figures" + a.tag, {"machine": cli.machine(), "version": adapter("handset").version(), "load": loads,
                                 "figures": [f.plain() for f in figures]})
    return 1 if missed else 0
