#include "clinux_watch.h"

#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

int clinux_watch_file(const char *path) {
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd < 0) return -errno;
    // A file that is still open is not deleted: its number of links, an attribute, changes.
    if (inotify_add_watch(fd, path, IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF | IN_DONT_FOLLOW) < 0) {
        int code = -errno;
        close(fd);
        return code;
    }
    return fd;
}

void clinux_watch_take(int fd) {
    char events[1024];
    while (read(fd, events, sizeof events) > 0) {
    }
}
