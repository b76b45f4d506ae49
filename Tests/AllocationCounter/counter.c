#define _GNU_SOURCE
#include "allocation_counter.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

struct counters {
    atomic_long mallocs, frees, locks;
};
static struct counters slots[ALLOCATION_COUNTER_SLOTS];
static atomic_int trapping;

static __thread struct allocation_counts mine;
static __thread struct counters *watched;

void allocation_counter_reset_thread(void) { mine = (struct allocation_counts){0}; }
long allocation_counter_mallocs(void) { return mine.mallocs; }
long allocation_counter_frees(void) { return mine.frees; }
long allocation_counter_locks(void) { return mine.locks; }
void allocation_counter_trap(int on) { trapping = on; }

void allocation_counter_watch_this_thread(int slot) {
    watched = 0;
    if (slot < 0 || slot >= ALLOCATION_COUNTER_SLOTS) return;
    slots[slot].mallocs = slots[slot].frees = slots[slot].locks = 0;
    watched = &slots[slot];
}

struct allocation_counts allocation_counter_read(int slot) {
    if (slot < 0 || slot >= ALLOCATION_COUNTER_SLOTS) return (struct allocation_counts){0};
    return (struct allocation_counts){slots[slot].mallocs, slots[slot].frees, slots[slot].locks};
}

#ifdef SANITIZED

int allocation_counter_available(void) { return 0; }

#else

int allocation_counter_available(void) { return 1; }

static void count_malloc(void) {
    mine.mallocs++;
    if (!watched) return;
    atomic_fetch_add_explicit(&watched->mallocs, 1, memory_order_relaxed);
    if (trapping) abort();
}

static void count_free(void) {
    mine.frees++;
    if (watched) atomic_fetch_add_explicit(&watched->frees, 1, memory_order_relaxed);
}

static void count_lock(void) {
    mine.locks++;
    if (watched) atomic_fetch_add_explicit(&watched->locks, 1, memory_order_relaxed);
}

// The heap: glibc has other names for its own functions.

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

void *malloc(size_t size) {
    count_malloc();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    count_malloc();
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    count_malloc();
    return __libc_realloc(memory, size);
}

void *reallocarray(void *memory, size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        errno = ENOMEM;
        return 0;
    }
    return realloc(memory, total);
}

void *memalign(size_t alignment, size_t size) {
    count_malloc();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
    void *made = memalign(alignment, size);
    if (!made) return ENOMEM;
    *memory = made;
    return 0;
}

void *valloc(size_t size) { return memalign((size_t)sysconf(_SC_PAGESIZE), size); }

void free(void *memory) {
    count_free();
    __libc_free(memory);
}

// Locks: no other names, so the next definition is looked up. dlsym takes no pthread mutex through these symbols.

#define FORWARD(NAME, PARAMETERS, ARGUMENTS)                                      \
    int NAME PARAMETERS {                                                         \
        static int(*_Atomic next) PARAMETERS;                                     \
        int(*function) PARAMETERS = atomic_load_explicit(&next, memory_order_relaxed); \
        if (!function) {                                                          \
            *(void **)&function = dlsym(RTLD_NEXT, #NAME);                        \
            atomic_store_explicit(&next, function, memory_order_relaxed);         \
        }                                                                         \
        count_lock();                                                             \
        return function ARGUMENTS;                                                \
    }

FORWARD(pthread_mutex_lock, (pthread_mutex_t * lock), (lock))
FORWARD(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
FORWARD(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
FORWARD(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *lock), (condition, lock))
FORWARD(
    pthread_cond_timedwait, (pthread_cond_t * condition, pthread_mutex_t *lock, const struct timespec *deadline),
    (condition, lock, deadline))

#endif
