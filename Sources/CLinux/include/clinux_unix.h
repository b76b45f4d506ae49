#pragma once
#include <stddef.h>
#include <stdint.h>

// Unix stream sockets: what Swift's Glibc module lacks of them. Every call returns a negative errno on failure.

/// A listening, non-blocking, close-on-exec socket at `path`, which must not exist; only its owner may connect yet.
int clinux_unix_listen(const char *path, int backlog);
/// A non-blocking, close-on-exec socket connected to `path`; never waits. -EAGAIN: the listener's backlog is full.
int clinux_unix_connect(const char *path);
/// A socket connected to `path`, for programs that may wait.
int clinux_unix_connect_waiting(const char *path);
/// 1 where `fd` is a listening Unix stream socket, else 0. Makes it non-blocking and close-on-exec.
int clinux_unix_adopt(int fd);
/// The next connection, non-blocking and close-on-exec; -EAGAIN where none waits.
int clinux_unix_accept(int fd);
/// Sends without waiting and without SIGPIPE.
long clinux_unix_send(int fd, const void *bytes, size_t count);
/// Sends, waiting where it must, without SIGPIPE.
long clinux_unix_send_waiting(int fd, const void *bytes, size_t count);

/// Who is at the other end (SO_PEERCRED): of a listener's client, or of the listener one has connected to.
struct clinux_peer {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};
int clinux_unix_peer(int fd, struct clinux_peer *peer);
/// 1 where the peer has `gid` among its supplementary groups (SO_PEERGROUPS), else 0.
int clinux_unix_peer_in_group(int fd, uint32_t gid);
/// The number of a group by its name. Asks the name service: may wait. -ENOENT where there is none.
int64_t clinux_group_number(const char *name);
