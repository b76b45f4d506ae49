#pragma once
#include <stddef.h>
#include <stdint.h>

// Threads and memory of the audio loop, for Swift, whose Glibc module lacks them. Failures are negative errno values.

/// Maps `size` bytes (a multiple of the page size) of zeroed, prefaulted memory below which an unmapped `guard` lies.
/// `lock_error` becomes 0 where the pages were locked, or why they were not. NULL where there is no memory.
void *clinux_map_locked(size_t size, size_t guard, int *lock_error);
/// Undoes `clinux_map_locked` of the same sizes.
void clinux_unmap(void *memory, size_t size, size_t guard);
size_t clinux_page_size(void);

/// Starts a thread on the given stack, SCHED_FIFO at `priority`, or SCHED_OTHER where it is 0.
int clinux_thread_start(
    unsigned long *thread, const char *name, void *stack, size_t stack_size, int priority, void *(*entry)(void *),
    void *context);
/// Waits at most `timeout_ms` for the end of the thread; -ETIMEDOUT where it still runs.
int clinux_thread_join(unsigned long thread, int timeout_ms);
/// The highest SCHED_FIFO priority that RLIMIT_RTPRIO grants without privilege; 0 where none.
int clinux_thread_priority_limit(void);
/// The kernel's id of the calling thread.
int clinux_thread_id(void);
/// The processor that the calling thread is on, or a negative errno.
int clinux_thread_processor(void);
/// Keeps the calling thread on `processor`. -EPERM for a thread that has to share it: one of SCHED_OTHER.
int clinux_thread_stay(int processor);
/// Sleeps until `deadline_ns` of CLOCK_MONOTONIC. Returns at once where it has passed.
void clinux_sleep_until(uint64_t deadline_ns);
