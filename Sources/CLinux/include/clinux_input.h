#pragma once
#include <stddef.h>
#include <stdint.h>

// Input devices (evdev, <linux/input.h>). Every call returns a negative errno on failure.

enum { CLINUX_INPUT_KEY = 1, CLINUX_INPUT_SWITCH = 2, CLINUX_INPUT_DROPPED = 3 };

/// A change of a key (0 released, 1 pressed, 2 repeated) or switch (0 or 1). `CLINUX_INPUT_DROPPED`: some were lost.
struct clinux_input_event {
    uint16_t kind;
    uint16_t code;
    int32_t value;
};

/// The number of a key, button or switch, by its name in <linux/input-event-codes.h> (`KEY_PHONE`, `SW_LID`); -ENOENT
/// where there is none of that name.
int clinux_input_code(const char *name, uint16_t *kind);
/// Opens `device`, a path or what the device calls itself, non-blocking.
int clinux_input_open(const char *device);
/// Takes one change of a key or switch: 1; 0 where none waits.
int clinux_input_read(int fd, struct clinux_input_event *event);
/// 1 while the key is pressed or the switch is set, else 0.
int clinux_input_state(int fd, uint16_t kind, uint16_t code);
/// 1 where the device has such a key or switch, else 0.
int clinux_input_has(int fd, uint16_t kind, uint16_t code);
