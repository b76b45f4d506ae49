#pragma once
#include <stdint.h>

// Lines of GPIO chips through the kernel's character devices, version 2 (<linux/gpio.h>, Linux 5.10 or later). Every call
// returns a negative errno on failure.

/// How a line that is read is pulled where nothing drives it.
enum { CLINUX_PULL_AS_IS = 0, CLINUX_PULL_OFF = 1, CLINUX_PULL_UP = 2, CLINUX_PULL_DOWN = 3 };

/// Takes the line `line` (its number on the chip, or its name) of `chip` (a path, `gpiochipN`, or the chip's label) to be
/// read, and returns a non-blocking descriptor that is readable when the line has changed. The kernel, or the chip
/// itself, debounces it for `debounce_us`. `active_low`: the line is on while it is low.
int clinux_gpio_take_input(const char *chip, const char *line, int active_low, int pull, uint32_t debounce_us);
/// The same to be written; it begins off.
int clinux_gpio_take_output(const char *chip, const char *line, int active_low);
/// Takes one change: 1 the line went on, 2 it went off, 0 nothing waits.
int clinux_gpio_read(int fd);
/// 1 while the line is on, else 0.
int clinux_gpio_value(int fd);
int clinux_gpio_set(int fd, int is_on);
