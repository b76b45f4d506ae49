#define _GNU_SOURCE
#include "clinux_signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

int clinux_signals_open(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    signal(SIGPIPE, SIG_IGN);
    // A recording that meets the limit of a file's size (LimitFSIZE=) ends with an error, and the daemon goes on.
    signal(SIGXFSZ, SIG_IGN);
    int code = pthread_sigmask(SIG_BLOCK, &set, 0);
    if (code != 0) return -code;
    int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int clinux_signals_take(int fd) {
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}
