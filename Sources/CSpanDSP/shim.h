#pragma once
#include <features.h>
#include <stdint.h>
#include <spandsp/telephony.h>
#include <spandsp/bit_operations.h>
#include <spandsp/g711.h>
#include <spandsp/g722.h>

// G.711 by the buffer: the library's functions are inline and convert one sample.

static inline void cspandsp_encode_alaw(const int16_t *samples, uint8_t *bytes, int count) {
    for (int index = 0; index < count; index++) bytes[index] = linear_to_alaw(samples[index]);
}
static inline void cspandsp_encode_ulaw(const int16_t *samples, uint8_t *bytes, int count) {
    for (int index = 0; index < count; index++) bytes[index] = linear_to_ulaw(samples[index]);
}
static inline void cspandsp_decode_alaw(const uint8_t *bytes, int16_t *samples, int count) {
    for (int index = 0; index < count; index++) samples[index] = alaw_to_linear(bytes[index]);
}
static inline void cspandsp_decode_ulaw(const uint8_t *bytes, int16_t *samples, int count) {
    for (int index = 0; index < count; index++) samples[index] = ulaw_to_linear(bytes[index]);
}
