#define _GNU_SOURCE
#include "clinux_udp.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 32, EXPEDITED = 46 << 2, PRIORITY = 6 };

static int result(int value) { return value < 0 ? -errno : value; }

static struct clinux_endpoint from_v6(const struct sockaddr_in6 *address) {
    struct clinux_endpoint endpoint = {.scope = address->sin6_scope_id, .port = ntohs(address->sin6_port)};
    uint64_t halves[2];
    memcpy(halves, &address->sin6_addr, sizeof halves);
    endpoint.high = be64toh(halves[0]);
    endpoint.low = be64toh(halves[1]);
    return endpoint;
}

static struct clinux_endpoint from_v4(const struct sockaddr_in *address) {
    return (struct clinux_endpoint){
        .low = 0xFFFF00000000u | ntohl(address->sin_addr.s_addr), .port = ntohs(address->sin_port)};
}

static int is_v4(const struct clinux_endpoint *endpoint) {
    return endpoint->high == 0 && endpoint->low >> 32 == 0xFFFF;
}

static struct sockaddr_in6 to_v6(const struct clinux_endpoint *endpoint) {
    struct sockaddr_in6 address = {
        .sin6_family = AF_INET6, .sin6_port = htons(endpoint->port), .sin6_scope_id = endpoint->scope};
    uint64_t halves[2] = {htobe64(endpoint->high), htobe64(endpoint->low)};
    memcpy(&address.sin6_addr, halves, sizeof halves);
    return address;
}

static struct sockaddr_in to_v4(const struct clinux_endpoint *endpoint) {
    return (struct sockaddr_in){
        .sin_family = AF_INET,
        .sin_port = htons(endpoint->port),
        .sin_addr.s_addr = htonl((uint32_t)endpoint->low)};
}

int clinux_endpoint_parse(const char *host, uint16_t port, struct clinux_endpoint *endpoint) {
    struct sockaddr_in v4 = {.sin_port = htons(port)};
    if (inet_pton(AF_INET, host, &v4.sin_addr) == 1) {
        *endpoint = from_v4(&v4);
        return 0;
    }
    char numeric[INET6_ADDRSTRLEN];
    size_t length = strcspn(host, "%");
    if (length >= sizeof numeric) return -EINVAL;
    memcpy(numeric, host, length);
    numeric[length] = 0;
    struct sockaddr_in6 v6 = {.sin6_port = htons(port)};
    if (inet_pton(AF_INET6, numeric, &v6.sin6_addr) != 1) return -EINVAL;
    if (host[length]) {
        v6.sin6_scope_id = if_nametoindex(host + length + 1);
        if (!v6.sin6_scope_id) v6.sin6_scope_id = (uint32_t)strtoul(host + length + 1, NULL, 10);
        if (!v6.sin6_scope_id) return -EINVAL;
    }
    *endpoint = from_v6(&v6);
    return 0;
}

int clinux_endpoint_format(const struct clinux_endpoint *endpoint, char *host, int capacity) {
    if (capacity < 64) return -EINVAL;
    if (is_v4(endpoint)) {
        struct sockaddr_in v4 = to_v4(endpoint);
        return inet_ntop(AF_INET, &v4.sin_addr, host, (socklen_t)capacity) ? 0 : -errno;
    }
    struct sockaddr_in6 v6 = to_v6(endpoint);
    if (!inet_ntop(AF_INET6, &v6.sin6_addr, host, (socklen_t)capacity)) return -errno;
    size_t length = strlen(host);
    if (endpoint->scope) snprintf(host + length, (size_t)capacity - length, "%%%u", endpoint->scope);
    return 0;
}

static int bound(int fd, const struct sockaddr *address, socklen_t length) {
    int traffic = EXPEDITED, priority = PRIORITY, buffer = 256 << 10;
    // Marks and buffers are wishes: a kernel that refuses them still carries the sound.
    (void)setsockopt(fd, IPPROTO_IP, IP_TOS, &traffic, sizeof traffic);
    if (address->sa_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &traffic, sizeof traffic);
    (void)setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, sizeof priority);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    if (bind(fd, address, length) == 0) return fd;
    int code = -errno;
    close(fd);
    return code;
}

int clinux_udp_open(const struct clinux_endpoint *endpoint) {
    struct clinux_endpoint local = *endpoint;
    if (!is_v4(&local)) {
        int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd >= 0) {
            int only = 0;
            if (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only) == 0) {
                struct sockaddr_in6 address = to_v6(&local);
                int code = bound(fd, (struct sockaddr *)&address, sizeof address);
                // With IPv6 switched off by sysctl the socket is there, but no address of it is.
                if (code != -EADDRNOTAVAIL || local.high | local.low) return code;
            } else {
                close(fd);
            }
        } else if (errno != EAFNOSUPPORT || local.high | local.low) {
            return -errno;
        }
        local.low = 0xFFFF00000000u;
    }
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    struct sockaddr_in address = to_v4(&local);
    return bound(fd, (struct sockaddr *)&address, sizeof address);
}

int clinux_udp_port(int fd) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &length) < 0) return -errno;
    if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
    return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
}

int clinux_udp_close(int fd) { return result(close(fd)); }

int clinux_udp_receive(int fd, struct clinux_datagram *datagrams, int count, uint8_t *bytes, uint32_t stride) {
    struct mmsghdr messages[MOST];
    struct iovec pieces[MOST];
    struct sockaddr_storage addresses[MOST];
    if (count > MOST) count = MOST;
    for (int i = 0; i < count; i++) {
        pieces[i] = (struct iovec){.iov_base = bytes + (size_t)i * stride, .iov_len = stride};
        messages[i].msg_hdr = (struct msghdr){
            .msg_iov = &pieces[i], .msg_iovlen = 1, .msg_name = &addresses[i], .msg_namelen = sizeof addresses[i]};
    }
    int taken = recvmmsg(fd, messages, (unsigned)count, MSG_DONTWAIT | MSG_TRUNC, NULL);
    if (taken < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    for (int i = 0; i < taken; i++) {
        datagrams[i].length = messages[i].msg_len;
        datagrams[i].from = addresses[i].ss_family == AF_INET ? from_v4((struct sockaddr_in *)&addresses[i])
                                                              : from_v6((struct sockaddr_in6 *)&addresses[i]);
    }
    return taken;
}

int clinux_udp_is_ipv4(int fd) {
    int domain = AF_INET6;
    socklen_t length = sizeof domain;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) < 0) return -errno;
    return domain == AF_INET;
}

int clinux_udp_send(int fd, int is_ipv4, const struct clinux_endpoint *to, const uint8_t *bytes, uint32_t length) {
    ssize_t sent;
    if (is_ipv4) {
        if (!is_v4(to)) return -EAFNOSUPPORT;
        struct sockaddr_in address = to_v4(to);
        sent = sendto(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&address, sizeof address);
    } else {
        struct sockaddr_in6 address = to_v6(to);
        sent = sendto(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&address, sizeof address);
    }
    return sent < 0 ? -errno : 0;
}

int clinux_random(uint8_t *bytes, uint32_t length) {
    while (length > 0) {
        ssize_t got = getrandom(bytes, length, 0);
        if (got < 0 && errno != EINTR) return -errno;
        if (got > 0) {
            bytes += got;
            length -= (uint32_t)got;
        }
    }
    return 0;
}

uint64_t clinux_realtime_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
