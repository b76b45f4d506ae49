#define _GNU_SOURCE
#include "cresolver.h"

#include <arpa/nameser.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <string.h>
#include <sys/socket.h>

/// Reads one record; 0 where it is no SRV record that can be read.
static int read_record(ns_msg *message, int index, struct cresolver_srv *record) {
    ns_rr answer;
    if (ns_parserr(message, ns_s_an, index, &answer) < 0) return 0;
    if (ns_rr_type(answer) != ns_t_srv || ns_rr_rdlen(answer) < 7) return 0;
    const unsigned char *data = ns_rr_rdata(answer);
    record->priority = (uint16_t)ns_get16(data);
    record->weight = (uint16_t)ns_get16(data + 2);
    record->port = (uint16_t)ns_get16(data + 4);
    record->ttl = ns_rr_ttl(answer);
    return ns_name_uncompress(ns_msg_base(*message), ns_msg_end(*message), data + 6, record->target,
                              sizeof record->target) >= 0;
}

int cresolver_read_srv(const uint8_t *octets, int length, struct cresolver_srv *records, int capacity) {
    ns_msg message;
    if (ns_initparse(octets, length, &message) < 0) return CRESOLVER_FAILED;
    int count = 0;
    int answers = ns_msg_count(message, ns_s_an);
    for (int index = 0; index < answers && count < capacity; index++) {
        if (read_record(&message, index, &records[count])) count++;
    }
    return count > 0 ? count : CRESOLVER_NONE;
}

int cresolver_find_srv(const char *name, struct cresolver_srv *records, int capacity) {
    struct __res_state state;
    memset(&state, 0, sizeof state);
    if (res_ninit(&state) < 0) return CRESOLVER_FAILED;
    state.retrans = 2;
    state.retry = 2;
    unsigned char octets[8192];
    int length = res_nquery(&state, name, ns_c_in, ns_t_srv, octets, sizeof octets);
    int error = state.res_h_errno;
    res_nclose(&state);
    if (length > (int)sizeof octets) length = sizeof octets;
    if (length >= 0) return cresolver_read_srv(octets, length, records, capacity);
    if (error == HOST_NOT_FOUND || error == NO_DATA) return CRESOLVER_NONE;
    return error == TRY_AGAIN ? CRESOLVER_AGAIN : CRESOLVER_FAILED;
}

int cresolver_find_addresses(const char *name, struct cresolver_address *addresses, int capacity) {
    struct addrinfo wanted = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_ADDRCONFIG};
    struct addrinfo *list = 0;
    int code = getaddrinfo(name, 0, &wanted, &list);
    if (code == EAI_AGAIN) return CRESOLVER_AGAIN;
    if (code == EAI_NONAME || code == EAI_NODATA) return CRESOLVER_NONE;
    if (code != 0) return CRESOLVER_FAILED;
    int count = 0;
    for (struct addrinfo *item = list; item && count < capacity; item = item->ai_next) {
        struct cresolver_address *address = &addresses[count];
        memset(address, 0, sizeof *address);
        if (item->ai_family == AF_INET) {
            address->version = 4;
            memcpy(address->octets, &((struct sockaddr_in *)item->ai_addr)->sin_addr, 4);
        } else if (item->ai_family == AF_INET6) {
            address->version = 6;
            address->scope = ((struct sockaddr_in6 *)item->ai_addr)->sin6_scope_id;
            memcpy(address->octets, &((struct sockaddr_in6 *)item->ai_addr)->sin6_addr, 16);
        } else {
            continue;
        }
        count++;
    }
    freeaddrinfo(list);
    return count > 0 ? count : CRESOLVER_NONE;
}
