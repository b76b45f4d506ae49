#define _GNU_SOURCE
#include "clinux_input.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int open_path(const char *path, char *name, size_t capacity) {
    // Non-blocking: the path is the user's, and may be anything.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return -errno;
    memset(name, 0, capacity);
    if (ioctl(fd, EVIOCGNAME(capacity - 1), name) >= 0) return fd;
    int code = -errno;
    close(fd);
    return code;
}

int clinux_input_open(const char *device) {
    enum { MOST_DEVICES = 256 };
    char path[64], name[256];
    if (device[0] == '/') return open_path(device, name, sizeof name);
    int result = -ENOENT;
    for (int number = 0; number < MOST_DEVICES; number++) {
        snprintf(path, sizeof path, "/dev/input/event%d", number);
        int fd = open_path(path, name, sizeof name);
        if (fd == -EACCES) result = fd;
        if (fd < 0) continue;
        if (strcmp(name, device) == 0) return fd;
        close(fd);
    }
    return result;
}

int clinux_input_read(int fd, struct clinux_input_event *event) {
    struct input_event next;
    for (;;) {
        ssize_t count = read(fd, &next, sizeof next);
        if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
        if (count != sizeof next) return -EIO;
        event->code = next.code;
        event->value = next.value;
        switch (next.type) {
        case EV_KEY: event->kind = CLINUX_INPUT_KEY; return 1;
        case EV_SW: event->kind = CLINUX_INPUT_SWITCH; return 1;
        case EV_SYN:
            if (next.code != SYN_DROPPED) continue;
            event->kind = CLINUX_INPUT_DROPPED;
            return 1;
        default: continue; // a mouse's way, a headset's volume wheel
        }
    }
}

static int bit(const unsigned char *bits, size_t size, uint16_t code) {
    return code / 8u < size && bits[code / 8u] >> code % 8u & 1;
}

int clinux_input_state(int fd, uint16_t kind, uint16_t code) {
    unsigned char bits[KEY_CNT / 8] = {0};
    unsigned long request = kind == CLINUX_INPUT_SWITCH ? EVIOCGSW(sizeof bits) : EVIOCGKEY(sizeof bits);
    return ioctl(fd, request, bits) < 0 ? -errno : bit(bits, sizeof bits, code);
}

int clinux_input_has(int fd, uint16_t kind, uint16_t code) {
    unsigned char bits[KEY_CNT / 8] = {0};
    int type = kind == CLINUX_INPUT_SWITCH ? EV_SW : EV_KEY;
    return ioctl(fd, EVIOCGBIT(type, sizeof bits), bits) < 0 ? -errno : bit(bits, sizeof bits, code);
}
