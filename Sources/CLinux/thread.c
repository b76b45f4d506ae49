#define _GNU_SOURCE
#include "clinux_thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

size_t clinux_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

void *clinux_map_locked(size_t size, size_t guard, int *lock_error) {
    char *memory = mmap(0, guard + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 0;
    if (guard) (void)mprotect(memory, guard, PROT_NONE);
    *lock_error = mlock(memory + guard, size) < 0 ? errno : 0;
    // mlock prefaults; without it each page is touched once, which at least takes the first fault now.
    if (*lock_error) {
        size_t page = clinux_page_size();
        for (size_t offset = 0; offset < size; offset += page) ((volatile char *)memory)[guard + offset] = 0;
    }
    return memory + guard;
}

void clinux_unmap(void *memory, size_t size, size_t guard) { (void)munmap((char *)memory - guard, guard + size); }

int clinux_thread_start(
    unsigned long *thread, const char *name, void *stack, size_t stack_size, int priority, void *(*entry)(void *),
    void *context) {
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error) return -error;
    struct sched_param parameters = {.sched_priority = priority};
    if (!(error = pthread_attr_setstack(&attributes, stack, stack_size)) &&
        !(error = pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED)) &&
        !(error = pthread_attr_setschedpolicy(&attributes, priority ? SCHED_FIFO : SCHED_OTHER)) &&
        !(error = pthread_attr_setschedparam(&attributes, &parameters)))
        error = pthread_create(thread, &attributes, entry, context);
    pthread_attr_destroy(&attributes);
    if (!error) (void)pthread_setname_np(*thread, name);
    return -error;
}

// ThreadSanitizer knows of the older join only, and takes a new thread at the same address for the old one otherwise.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define JOIN_CLOCK CLOCK_REALTIME
#define JOIN(thread, deadline) pthread_timedjoin_np(thread, 0, deadline)
#endif
#endif
#ifndef JOIN
#define JOIN_CLOCK CLOCK_MONOTONIC
#define JOIN(thread, deadline) pthread_clockjoin_np(thread, 0, CLOCK_MONOTONIC, deadline)
#endif

int clinux_thread_join(unsigned long thread, int timeout_ms) {
    struct timespec deadline;
    clock_gettime(JOIN_CLOCK, &deadline);
    deadline.tv_sec += timeout_ms / 1000;
    deadline.tv_nsec += (timeout_ms % 1000) * 1000000L;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_sec++;
        deadline.tv_nsec -= 1000000000;
    }
    return -JOIN(thread, &deadline);
}

int clinux_thread_priority_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_RTPRIO, &limit) < 0) return 0;
    return limit.rlim_cur > 99 ? 99 : (int)limit.rlim_cur;
}

int clinux_thread_id(void) { return gettid(); }

int clinux_thread_processor(void) {
    int processor = sched_getcpu();
    return processor < 0 ? -errno : processor;
}

int clinux_thread_stay(int processor) {
    if (processor < 0 || processor >= CPU_SETSIZE) return -EINVAL;
    if (sched_getscheduler(0) != SCHED_FIFO) return -EPERM;
    cpu_set_t processors;
    CPU_ZERO(&processors);
    CPU_SET(processor, &processors);
    return sched_setaffinity(0, sizeof processors, &processors) < 0 ? -errno : 0;
}

void clinux_sleep_until(uint64_t deadline_ns) {
    struct timespec deadline = {
        .tv_sec = (time_t)(deadline_ns / 1000000000), .tv_nsec = (long)(deadline_ns % 1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, 0) == EINTR) {
    }
}
