#pragma once

/// Blocks SIGTERM, SIGINT and SIGHUP for this thread and those it will create, ignores SIGPIPE and SIGXFSZ, and returns a
/// non-blocking descriptor that delivers the three. Call before any thread is made. Negative errno on failure.
int clinux_signals_open(void);
/// The next signal's number; 0 where none waits.
int clinux_signals_take(int fd);
