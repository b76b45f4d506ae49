"""`figures`: what Handset promises, measured, in one table. See README.md."""
import time

from . import cli, costs, drift, groups, held_session, load, readiness, thousand_holds
from .adapters import adapter
from .figures_tools import HEAD, Figure

PARTS = ("ready", "costs", "costs-srtp", "closing", "groups", "holds", "load", "drift", "latency")


def latency(a):
    """Handset's calls of `latency`, as that command measures them."""
    values = []
    for k in range(a.rounds):
        r = cli.attempt(lambda: cli.latency_run("handset", "handset", k, a), "handset")
        if "error" not in r:
            values += [v for v in r["lat_ms"]]
    return [Figure("mouth to ear", "ms", 70, values)]


def command(a):
    wanted = PARTS if a.parts == "all" else a.parts.split(",")
    run = {"ready": lambda: readiness.run(a), "costs": lambda: costs.run(a),
           "costs-srtp": lambda: costs.run(a, srtp="optional"), "closing": lambda: held_session.run(a),
           "groups": lambda: groups.run(a), "holds": lambda: thousand_holds.run(a)[0],
           "load": lambda: load.run(a), "drift": lambda: drift.run(a), "latency": lambda: latency(a)}
    figures, loads = [], {}
    for part in PARTS:
        if part not in wanted:
            continue
        with cli.Load() as busy:
            got = cli.attempt(run[part], part)
        loads[part] = busy.r
        figures += [Figure(f"{part}: {got['error']}", "", 0, [])] if isinstance(got, dict) else got
        print(f"  {time.strftime('%H:%M:%S')} {part}: busy {busy.r['busy_pct']} %", flush=True)
    cli.table(HEAD, [f.row() for f in figures])
    missed = [f.name for f in figures if f.ok() is False]
    print("all within what is wanted" if not missed else "missed: " + "; ".join(missed))
    cli.save("figures" + a.tag, {"machine": cli.machine(), "version": adapter("handset").version(), "load": loads,
                                 "figures": [f.plain() for f in figures]})
    return 1 if missed else 0
