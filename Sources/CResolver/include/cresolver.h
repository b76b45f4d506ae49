#pragma once
#include <stdint.h>

// Blocking look-ups in plain C types, safe on any thread. Not for a thread that must not wait.

/// One SRV record (RFC 2782).
struct cresolver_srv {
    uint16_t priority;
    uint16_t weight;
    uint16_t port;
    /// Seconds.
    uint32_t ttl;
    /// Without the last dot; empty where the service is decidedly not available.
    char target[256];
};

/// A numeric address.
struct cresolver_address {
    /// 4 or 6.
    uint8_t version;
    /// In network order; 4 or 16 of them count.
    uint8_t octets[16];
    /// Interface index of a link-local IPv6 address, else 0.
    uint32_t scope;
};

enum {
    /// The name exists not, or has no such record.
    CRESOLVER_NONE = -1,
    /// No server answered, or one failed: a later try may succeed.
    CRESOLVER_AGAIN = -2,
    /// The question cannot be asked or the answer not be read.
    CRESOLVER_FAILED = -3,
};

/// The SRV records of `name` by the system's DNS servers. Returns how many of `capacity` were written, or CRESOLVER_*.
int cresolver_find_srv(const char *name, struct cresolver_srv *records, int capacity);
/// The SRV records of a whole DNS message. Returns how many of `capacity` were written, or CRESOLVER_*.
int cresolver_read_srv(const uint8_t *octets, int length, struct cresolver_srv *records, int capacity);
/// The addresses of `name` as getaddrinfo finds them: hosts file, mDNS and DNS, in the order of RFC 6724.
int cresolver_find_addresses(const char *name, struct cresolver_address *addresses, int capacity);
