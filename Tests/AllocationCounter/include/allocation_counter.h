#pragma once
#include <stddef.h>

// Counts what threads of the test process do to the heap and to pthread locks, by standing before libc's functions.
// Each thread has counters of its own, so that a test looks at the audio loop's alone.

/// Whether counting works; not under the sanitizers, which stand before the same functions themselves.
int allocation_counter_available(void);

/// Zeroes the calling thread's counters.
void allocation_counter_reset_thread(void);
/// Calls of malloc, calloc, realloc, aligned_alloc and their like by the calling thread since its last reset.
long allocation_counter_mallocs(void);
/// Calls of free by the calling thread (NULL included) since its last reset.
long allocation_counter_frees(void);
/// Calls of pthread_mutex_lock, pthread_rwlock_*lock and pthread_cond_*wait by the calling thread since its last reset.
long allocation_counter_locks(void);

/// Slots by which one thread's counters are read on another.
enum { ALLOCATION_COUNTER_SLOTS = 16 };
struct allocation_counts {
    long mallocs, frees, locks;
};
/// From now on, and from zero, the calling thread also counts in `slot`. A slot out of range ends the watch.
void allocation_counter_watch_this_thread(int slot);
/// What the thread that watches itself in `slot` has counted.
struct allocation_counts allocation_counter_read(int slot);
/// Makes the next malloc of a watched thread abort the process, so that a debugger shows who it was.
void allocation_counter_trap(int on);
