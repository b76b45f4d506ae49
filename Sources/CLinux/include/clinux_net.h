#pragma once
#include <stddef.h>
#include <stdint.h>

// Sockets for SIP in plain C types. Every descriptor is non-blocking and close-on-exec. Every call returns a negative
// errno on failure.

/// An IPv4 or IPv6 address and a port.
struct clinux_net_address {
    /// 4 or 6.
    uint8_t version;
    /// In network order; 4 or 16 of them count.
    uint8_t octets[16];
    /// In host order.
    uint16_t port;
    /// Interface index of a link-local IPv6 address, else 0.
    uint32_t scope;
};

/// An address of one of our interfaces, and the length of its network's prefix.
struct clinux_net_interface {
    struct clinux_net_address address;
    uint8_t prefix;
    uint8_t loopback;
};

/// A bound UDP socket that queues ICMP errors. Never shares its port.
int clinux_net_udp(const struct clinux_net_address *local);
/// A listening TCP socket. Takes a port that only closed connections still occupy.
int clinux_net_listen(const struct clinux_net_address *local, int backlog);
/// A TCP connection that is being made: writable once it is made or has failed.
int clinux_net_connect(const struct clinux_net_address *remote);
/// The next connection of a listening socket.
int clinux_net_accept(int fd, struct clinux_net_address *remote);
/// The error that waits on a socket, as a positive errno; 0 where none does.
int clinux_net_pending_error(int fd);
/// The address a socket is bound to.
int clinux_net_local(int fd, struct clinux_net_address *local);

/// Sends one datagram.
int64_t clinux_net_send_to(int fd, const void *octets, size_t count, const struct clinux_net_address *remote);
/// Receives one datagram; longer ones than `capacity` return the length they had.
int64_t clinux_net_receive_from(int fd, void *octets, size_t capacity, struct clinux_net_address *remote);
/// Takes one ICMP error off a UDP socket: its errno, and whom the datagram was for. 0 where there is none.
int clinux_net_take_icmp(int fd, struct clinux_net_address *remote);
/// Writes what a stream takes now, without SIGPIPE.
int64_t clinux_net_write(int fd, const void *octets, size_t count);
/// Reads what a stream has; 0 at its end.
int64_t clinux_net_read(int fd, void *octets, size_t capacity);
int clinux_net_close(int fd);

/// The address of ours that datagrams to `remote` leave from, by the routing table; nothing is sent.
int clinux_net_source(const struct clinux_net_address *remote, struct clinux_net_address *local);
/// The addresses of interfaces that are up. Returns how many of `capacity` were written.
int clinux_net_interfaces(struct clinux_net_interface *found, int capacity);
/// Reads a numeric address, IPv4 or IPv6, without brackets; port and scope are 0. 0, or -EINVAL.
int clinux_net_parse(const char *text, struct clinux_net_address *address);
