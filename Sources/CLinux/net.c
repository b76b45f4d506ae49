#define _GNU_SOURCE
#include "clinux_net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/errqueue.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int result(int value) { return value < 0 ? -errno : value; }

static socklen_t to_sockaddr(const struct clinux_net_address *address, struct sockaddr_storage *storage) {
    memset(storage, 0, sizeof *storage);
    if (address->version == 4) {
        struct sockaddr_in *v4 = (struct sockaddr_in *)storage;
        v4->sin_family = AF_INET;
        v4->sin_port = htons(address->port);
        memcpy(&v4->sin_addr, address->octets, 4);
        return sizeof *v4;
    }
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)storage;
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(address->port);
    v6->sin6_scope_id = address->scope;
    memcpy(&v6->sin6_addr, address->octets, 16);
    return sizeof *v6;
}

static int from_sockaddr(const struct sockaddr *sockaddr, struct clinux_net_address *address) {
    memset(address, 0, sizeof *address);
    if (sockaddr->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)sockaddr;
        address->version = 4;
        address->port = ntohs(v4->sin_port);
        memcpy(address->octets, &v4->sin_addr, 4);
        return 0;
    }
    if (sockaddr->sa_family != AF_INET6) return -EAFNOSUPPORT;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)sockaddr;
    address->version = 6;
    address->port = ntohs(v6->sin6_port);
    address->scope = v6->sin6_scope_id;
    memcpy(address->octets, &v6->sin6_addr, 16);
    return 0;
}

static int family(const struct clinux_net_address *address) { return address->version == 4 ? AF_INET : AF_INET6; }

static int on(int fd, int level, int option) {
    int one = 1;
    return setsockopt(fd, level, option, &one, sizeof one);
}

/// Closes `fd` and keeps the errno of what failed before.
static int failed(int fd) {
    int error = errno;
    close(fd);
    return -error;
}

static int open_socket(const struct clinux_net_address *local, int type) {
    int fd = socket(family(local), type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    // The families are kept apart: each is listened to where it is configured.
    if (local->version == 6 && on(fd, IPPROTO_IPV6, IPV6_V6ONLY) < 0) return failed(fd);
    return fd;
}

int clinux_net_udp(const struct clinux_net_address *local) {
    int fd = open_socket(local, SOCK_DGRAM);
    if (fd < 0) return fd;
    struct sockaddr_storage storage;
    socklen_t length = to_sockaddr(local, &storage);
    if (bind(fd, (struct sockaddr *)&storage, length) < 0) return failed(fd);
    if (local->version == 4 ? on(fd, IPPROTO_IP, IP_RECVERR) : on(fd, IPPROTO_IPV6, IPV6_RECVERR)) return failed(fd);
    return fd;
}

int clinux_net_listen(const struct clinux_net_address *local, int backlog) {
    int fd = open_socket(local, SOCK_STREAM);
    if (fd < 0) return fd;
    struct sockaddr_storage storage;
    socklen_t length = to_sockaddr(local, &storage);
    // For TCP this lets TIME_WAIT pass, but not a second listener.
    if (on(fd, SOL_SOCKET, SO_REUSEADDR) < 0 || bind(fd, (struct sockaddr *)&storage, length) < 0 ||
        listen(fd, backlog) < 0)
        return failed(fd);
    return fd;
}

/// A peer that is gone without a word is noticed within two minutes.
static void watch_peer(int fd) {
    int idle = 60, interval = 10, count = 6;
    unsigned int timeout_ms = 30000;
    on(fd, SOL_SOCKET, SO_KEEPALIVE);
    on(fd, IPPROTO_TCP, TCP_NODELAY);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof timeout_ms);
}

int clinux_net_connect(const struct clinux_net_address *remote) {
    int fd = open_socket(remote, SOCK_STREAM);
    if (fd < 0) return fd;
    watch_peer(fd);
    struct sockaddr_storage storage;
    socklen_t length = to_sockaddr(remote, &storage);
    if (connect(fd, (struct sockaddr *)&storage, length) < 0 && errno != EINPROGRESS) return failed(fd);
    return fd;
}

int clinux_net_accept(int fd, struct clinux_net_address *remote) {
    struct sockaddr_storage storage;
    socklen_t length = sizeof storage;
    int accepted = accept4(fd, (struct sockaddr *)&storage, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted < 0) return -errno;
    watch_peer(accepted);
    int code = from_sockaddr((struct sockaddr *)&storage, remote);
    if (code < 0) {
        close(accepted);
        return code;
    }
    return accepted;
}

int clinux_net_pending_error(int fd) {
    int error = 0;
    socklen_t length = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0 ? -errno : error;
}

int clinux_net_local(int fd, struct clinux_net_address *local) {
    struct sockaddr_storage storage;
    socklen_t length = sizeof storage;
    if (getsockname(fd, (struct sockaddr *)&storage, &length) < 0) return -errno;
    return from_sockaddr((struct sockaddr *)&storage, local);
}

int64_t clinux_net_send_to(int fd, const void *octets, size_t count, const struct clinux_net_address *remote) {
    struct sockaddr_storage storage;
    socklen_t length = to_sockaddr(remote, &storage);
    ssize_t sent = sendto(fd, octets, count, MSG_NOSIGNAL, (struct sockaddr *)&storage, length);
    // An ICMP error of an earlier datagram is reported once, in the place of this one: it is in the queue as well.
    if (sent < 0 && (errno == ECONNREFUSED || errno == EHOSTUNREACH || errno == ENETUNREACH))
        sent = sendto(fd, octets, count, MSG_NOSIGNAL, (struct sockaddr *)&storage, length);
    return sent < 0 ? -errno : sent;
}

int64_t clinux_net_receive_from(int fd, void *octets, size_t capacity, struct clinux_net_address *remote) {
    struct sockaddr_storage storage;
    socklen_t length = sizeof storage;
    ssize_t count = recvfrom(fd, octets, capacity, MSG_TRUNC, (struct sockaddr *)&storage, &length);
    if (count < 0) return -errno;
    int code = from_sockaddr((struct sockaddr *)&storage, remote);
    return code < 0 ? code : count;
}

int clinux_net_take_icmp(int fd, struct clinux_net_address *remote) {
    struct sockaddr_storage storage;
    char control[512], octet;
    struct iovec part = {.iov_base = &octet, .iov_len = 1};
    struct msghdr message = {.msg_name = &storage,
                             .msg_namelen = sizeof storage,
                             .msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    if (recvmsg(fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return errno == EAGAIN ? 0 : -errno;
    for (struct cmsghdr *item = CMSG_FIRSTHDR(&message); item; item = CMSG_NXTHDR(&message, item)) {
        int is_error = (item->cmsg_level == IPPROTO_IP && item->cmsg_type == IP_RECVERR) ||
                       (item->cmsg_level == IPPROTO_IPV6 && item->cmsg_type == IPV6_RECVERR);
        if (!is_error || from_sockaddr((struct sockaddr *)&storage, remote) < 0) continue;
        struct sock_extended_err error;
        memcpy(&error, CMSG_DATA(item), sizeof error);
        return (int)error.ee_errno;
    }
    return -ENOMSG;
}

int64_t clinux_net_write(int fd, const void *octets, size_t count) {
    ssize_t written = send(fd, octets, count, MSG_NOSIGNAL);
    return written < 0 ? -errno : written;
}

int64_t clinux_net_read(int fd, void *octets, size_t capacity) {
    ssize_t count = read(fd, octets, capacity);
    return count < 0 ? -errno : count;
}

int clinux_net_close(int fd) { return result(close(fd)); }

int clinux_net_source(const struct clinux_net_address *remote, struct clinux_net_address *local) {
    int fd = socket(family(remote), SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    struct clinux_net_address destination = *remote;
    if (destination.port == 0) destination.port = 5060;
    struct sockaddr_storage storage;
    socklen_t length = to_sockaddr(&destination, &storage);
    if (connect(fd, (struct sockaddr *)&storage, length) < 0) return failed(fd);
    int code = clinux_net_local(fd, local);
    close(fd);
    local->port = 0;
    return code;
}

static uint8_t prefix_length(const struct sockaddr *mask) {
    struct clinux_net_address address;
    if (!mask || from_sockaddr(mask, &address) < 0) return 0;
    uint8_t bits = 0;
    for (int i = 0; i < (address.version == 4 ? 4 : 16); i++) bits += (uint8_t)__builtin_popcount(address.octets[i]);
    return bits;
}

int clinux_net_interfaces(struct clinux_net_interface *found, int capacity) {
    struct ifaddrs *list;
    if (getifaddrs(&list) < 0) return -errno;
    int count = 0;
    for (struct ifaddrs *item = list; item && count < capacity; item = item->ifa_next) {
        if (!item->ifa_addr || !(item->ifa_flags & IFF_UP)) continue;
        if (from_sockaddr(item->ifa_addr, &found[count].address) < 0) continue;
        found[count].prefix = prefix_length(item->ifa_netmask);
        found[count].loopback = (item->ifa_flags & IFF_LOOPBACK) != 0;
        count++;
    }
    freeifaddrs(list);
    return count;
}

int clinux_net_parse(const char *text, struct clinux_net_address *address) {
    memset(address, 0, sizeof *address);
    address->version = 4;
    if (inet_pton(AF_INET, text, address->octets) == 1) return 0;
    address->version = 6;
    return inet_pton(AF_INET6, text, address->octets) == 1 ? 0 : -EINVAL;
}
