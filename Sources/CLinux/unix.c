#define _GNU_SOURCE
#include "clinux_unix.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int fill(struct sockaddr_un *address, const char *path) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) return -ENAMETOOLONG;
    strcpy(address->sun_path, path);
    return 0;
}

static int failed(int fd) {
    int code = -errno;
    close(fd);
    return code;
}

int clinux_unix_listen(const char *path, int backlog) {
    struct sockaddr_un address;
    int code = fill(&address, path);
    if (code < 0) return code;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    // The node gets the mode of its socket: never, not even for a moment, one that lets others in.
    if (fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0) return failed(fd);
    if (listen(fd, backlog) < 0) return failed(fd);
    return fd;
}

static int connected(const char *path, int flags) {
    struct sockaddr_un address;
    int code = fill(&address, path);
    if (code < 0) return code;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    if (fd < 0) return -errno;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) return failed(fd);
    return fd;
}

int clinux_unix_connect(const char *path) { return connected(path, SOCK_NONBLOCK); }

int clinux_unix_connect_waiting(const char *path) { return connected(path, 0); }

int clinux_unix_adopt(int fd) {
    int listening = 0, domain = 0, type = 0;
    socklen_t size = sizeof(int);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) < 0) return -errno;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0) return -errno;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0) return -errno;
    if (!listening || domain != AF_UNIX || type != SOCK_STREAM) return 0;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) return -errno;
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) return -errno;
    return 1;
}

int clinux_unix_accept(int fd) {
    int client = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return client < 0 ? -errno : client;
}

static long sent(int fd, const void *bytes, size_t count, int flags) {
    ssize_t taken;
    do {
        taken = send(fd, bytes, count, MSG_NOSIGNAL | flags);
    } while (taken < 0 && errno == EINTR);
    return taken < 0 ? -errno : (long)taken;
}

long clinux_unix_send(int fd, const void *bytes, size_t count) { return sent(fd, bytes, count, MSG_DONTWAIT); }

long clinux_unix_send_waiting(int fd, const void *bytes, size_t count) { return sent(fd, bytes, count, 0); }

int clinux_unix_peer(int fd, struct clinux_peer *peer) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0) return -errno;
    peer->pid = credentials.pid;
    peer->uid = credentials.uid;
    peer->gid = credentials.gid;
    return 0;
}

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

int clinux_unix_peer_in_group(int fd, uint32_t gid) {
    gid_t few[64], *groups = few;
    socklen_t size = sizeof few;
    int code = getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size);
    if (code < 0 && errno == ERANGE) {  // `size` now says how much is needed, 65,536 groups at most
        groups = malloc(size);
        if (!groups) return -ENOMEM;
        code = getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size);
    }
    int found = code < 0 ? -errno : 0;
    for (size_t i = 0; code == 0 && i < size / sizeof *groups; i++)
        if (groups[i] == gid) found = 1;
    if (groups != few) free(groups);
    return found;
}

int64_t clinux_group_number(const char *name) {
    struct group entry, *found = NULL;
    size_t size = 4096;
    for (;;) {
        char *buffer = malloc(size);
        if (!buffer) return -ENOMEM;
        int code = getgrnam_r(name, &entry, buffer, size, &found);
        int64_t number = found ? (int64_t)entry.gr_gid : code ? -code : -ENOENT;
        free(buffer);
        if (code != ERANGE || size >= 1 << 20) return number;
        size *= 4;
    }
}
