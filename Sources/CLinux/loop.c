#define _GNU_SOURCE
#include "clinux_loop.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int result(int value) { return value < 0 ? -errno : value; }

int clinux_epoll_create(void) { return result(epoll_create1(EPOLL_CLOEXEC)); }

static int control(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.data.u64 = token};
    if (events & CLINUX_READ) event.events |= EPOLLIN;
    if (events & CLINUX_WRITE) event.events |= EPOLLOUT;
    if (events & CLINUX_EDGE) event.events |= EPOLLET;
    return result(epoll_ctl(epoll, operation, fd, &event));
}

int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t token) {
    return control(epoll, EPOLL_CTL_ADD, fd, events, token);
}

int clinux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token) {
    return control(epoll, EPOLL_CTL_MOD, fd, events, token);
}

int clinux_epoll_remove(int epoll, int fd) { return result(epoll_ctl(epoll, EPOLL_CTL_DEL, fd, 0)); }

int clinux_epoll_wait(int epoll, struct clinux_ready *reports, int capacity, int timeout_ms) {
    enum { MOST = 64 };
    struct epoll_event events[MOST];
    int count = epoll_wait(epoll, events, capacity < MOST ? capacity : MOST, timeout_ms);
    if (count < 0) return -errno;
    for (int i = 0; i < count; i++) {
        reports[i].token = events[i].data.u64;
        reports[i].events = 0;
        if (events[i].events & EPOLLIN) reports[i].events |= CLINUX_READ;
        if (events[i].events & EPOLLOUT) reports[i].events |= CLINUX_WRITE;
        if (events[i].events & (EPOLLHUP | EPOLLERR)) reports[i].events |= CLINUX_HANGUP;
    }
    return count;
}

int clinux_eventfd(void) { return result(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)); }

int clinux_eventfd_signal(int fd) {
    uint64_t one = 1;
    return write(fd, &one, sizeof one) == sizeof one ? 0 : -errno;
}

static int64_t take(int fd) {
    uint64_t count;
    if (read(fd, &count, sizeof count) == sizeof count) return (int64_t)count;
    return errno == EAGAIN ? 0 : -errno;
}

int64_t clinux_eventfd_take(int fd) { return take(fd); }

int clinux_timerfd(void) { return result(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)); }

int clinux_timerfd_set(int fd, uint64_t deadline_ns) {
    struct itimerspec setting = {
        .it_value = {.tv_sec = (time_t)(deadline_ns / 1000000000), .tv_nsec = (long)(deadline_ns % 1000000000)}};
    return result(timerfd_settime(fd, TFD_TIMER_ABSTIME, &setting, 0));
}

int64_t clinux_timerfd_take(int fd) { return take(fd); }

uint64_t clinux_monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
