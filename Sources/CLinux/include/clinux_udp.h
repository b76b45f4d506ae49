#pragma once
#include <stdint.h>

// UDP sockets for media. Every call returns a negative errno on failure.

/// An address and a port. IPv4 is written as an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2).
struct clinux_endpoint {
    /// The 16 octets of the address, each half in the host's order.
    uint64_t high, low;
    /// The interface of a link-local address, else 0.
    uint32_t scope;
    uint16_t port;
};

/// Reads a numeric address, `fe80::1%eth0` included. -EINVAL where `host` is none.
int clinux_endpoint_parse(const char *host, uint16_t port, struct clinux_endpoint *endpoint);
/// Writes the address in numbers, without the port; 64 bytes are enough for any.
int clinux_endpoint_format(const struct clinux_endpoint *endpoint, char *host, int capacity);

/// A non-blocking, close-on-exec UDP socket bound to `endpoint`, its packets marked as voice (DSCP EF, RFC 3246).
///
/// The address `::` takes IPv6 and IPv4 alike, or IPv4 alone where the kernel has no IPv6.
int clinux_udp_open(const struct clinux_endpoint *endpoint);
/// The port a socket is bound to.
int clinux_udp_port(int fd);
int clinux_udp_close(int fd);
/// 1 where the socket speaks IPv4 alone.
int clinux_udp_is_ipv4(int fd);

/// A received datagram. `length` is beyond the slot's size where the end was cut off.
struct clinux_datagram {
    struct clinux_endpoint from;
    uint32_t length;
};

/// Takes what has arrived, at most `count` (up to 32) datagrams: the n-th is written to `bytes` + n * `stride`.
/// Returns how many, 0 where nothing waits.
int clinux_udp_receive(int fd, struct clinux_datagram *datagrams, int count, uint8_t *bytes, uint32_t stride);
/// Sends one datagram, or loses it where the socket's buffer is full (-EAGAIN): it never waits. `is_ipv4` is what
/// `clinux_udp_is_ipv4` said of the socket.
int clinux_udp_send(int fd, int is_ipv4, const struct clinux_endpoint *to, const uint8_t *bytes, uint32_t length);

/// Fills `bytes` with the kernel's random numbers.
int clinux_random(uint8_t *bytes, uint32_t length);
/// CLOCK_REALTIME in nanoseconds since 1970.
uint64_t clinux_realtime_ns(void);
