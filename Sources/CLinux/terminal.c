#define _GNU_SOURCE
#include "clinux_terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static volatile sig_atomic_t taken;
static int signal_pipe[2] = {-1, -1};

int clinux_terminal_size(int fd, int *columns, int *rows) {
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) < 0) return -errno;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}

int clinux_terminal_take(int fd) {
    struct termios now;
    if (tcgetattr(fd, &now) < 0) return -errno;
    if (!taken) before = now;
    now.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
    now.c_cc[VMIN] = 1;
    now.c_cc[VTIME] = 0;
    if (tcsetattr(fd, TCSANOW, &now) < 0) return -errno;
    taken = 1;
    return 0;
}

int clinux_terminal_restore(int fd) {
    if (!taken) return 0;
    taken = 0;
    return tcsetattr(fd, TCSANOW, &before) < 0 ? -errno : 0;
}

static void note(int number) {
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    // A full pipe has what the reader needs to know already.
    ssize_t written = write(signal_pipe[1], &byte, 1);
    (void)written;
    errno = saved;
}

static int catch(const int *signals, int count, int flags) {
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART | flags};
    for (int i = 0; i < count; i++)
        if (sigaction(signals[i], &action, NULL) < 0) return -errno;
    return 0;
}

int clinux_terminal_end_signals(void) {
    const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) < 0) return -errno;
    int code = catch(ends, 3, (int)SA_RESETHAND);
    return code < 0 ? code : signal_pipe[0];
}

int clinux_terminal_signals(void) {
    const int lasting[] = {SIGWINCH, SIGTSTP, SIGCONT};
    int descriptor = clinux_terminal_end_signals();
    if (descriptor < 0) return descriptor;
    int code = catch(lasting, 3, 0);
    return code < 0 ? code : descriptor;
}

void clinux_terminal_stop(void) { raise(SIGSTOP); }

void clinux_terminal_end(int number) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    _exit(128 + number);
}
