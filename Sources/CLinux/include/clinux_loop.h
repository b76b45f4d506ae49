#pragma once
#include <stdint.h>

// epoll, eventfd and timerfd for Swift, whose Glibc module lacks them. Every call returns a negative errno on failure.

/// Readiness bits of `clinux_epoll_*`.
// CLINUX_EDGE (to ask for): report once for each change, not as long as it lasts.
enum { CLINUX_READ = 1, CLINUX_WRITE = 2, CLINUX_HANGUP = 4, CLINUX_EDGE = 8 };

/// One readiness report: `token` is what was given at registration, `events` are CLINUX_* bits.
struct clinux_ready {
    uint64_t token;
    uint32_t events;
};

int clinux_epoll_create(void);
/// Watches `fd` for `events`; `token` comes back with each report.
int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t token);
int clinux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token);
int clinux_epoll_remove(int epoll, int fd);
/// Waits for at most `timeout_ms` (-1: for ever). Returns how many of `capacity` reports were written.
int clinux_epoll_wait(int epoll, struct clinux_ready *reports, int capacity, int timeout_ms);

/// A non-blocking, close-on-exec eventfd.
int clinux_eventfd(void);
int clinux_eventfd_signal(int fd);
/// Takes the counter; 0 where nothing was signalled.
int64_t clinux_eventfd_take(int fd);

/// A non-blocking timer on CLOCK_MONOTONIC.
int clinux_timerfd(void);
/// Arms the timer for the absolute `deadline_ns` of CLOCK_MONOTONIC; 0 disarms it.
int clinux_timerfd_set(int fd, uint64_t deadline_ns);
/// Takes the expiry count; 0 where it has not expired.
int64_t clinux_timerfd_take(int fd);

/// CLOCK_MONOTONIC in nanoseconds.
uint64_t clinux_monotonic_ns(void);
