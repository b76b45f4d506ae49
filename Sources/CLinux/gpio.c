#define _GNU_SOURCE
#include "clinux_gpio.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int open_chip(const char *path, struct gpiochip_info *info) {
    // Non-blocking: the path is the user's, and may be anything.
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return -errno;
    memset(info, 0, sizeof *info);
    if (ioctl(fd, GPIO_GET_CHIPINFO_IOCTL, info) == 0) return fd;
    int code = -errno;
    close(fd);
    return code;
}

static int find_chip(const char *name, struct gpiochip_info *info) {
    enum { MOST_CHIPS = 64 };
    char path[64];
    if (name[0] == '/') return open_chip(name, info);
    if (strncmp(name, "gpiochip", 8) == 0) {
        int length = snprintf(path, sizeof path, "/dev/%s", name);
        return length < (int)sizeof path ? open_chip(path, info) : -ENAMETOOLONG;
    }
    int result = -ENOENT;
    for (int number = 0; number < MOST_CHIPS; number++) {
        snprintf(path, sizeof path, "/dev/gpiochip%d", number);
        int fd = open_chip(path, info);
        if (fd == -EACCES) result = fd;
        if (fd < 0) continue;
        if (strncmp(info->label, name, sizeof info->label) == 0) return fd;
        close(fd);
    }
    return result;
}

static int find_line(int chip, const struct gpiochip_info *info, const char *name) {
    char *end;
    unsigned long number = strtoul(name, &end, 10);
    if (end != name && *end == 0) return number < info->lines ? (int)number : -ENXIO;
    for (uint32_t offset = 0; offset < info->lines; offset++) {
        struct gpio_v2_line_info line = {.offset = offset};
        if (ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, &line) < 0) return -errno;
        if (strncmp(line.name, name, sizeof line.name) == 0) return (int)offset;
    }
    return -ENXIO;
}

static int take(const char *chip_name, const char *line_name, struct gpio_v2_line_config config) {
    struct gpiochip_info info;
    int chip = find_chip(chip_name, &info);
    if (chip < 0) return chip;
    int offset = find_line(chip, &info, line_name);
    struct gpio_v2_line_request request = {.num_lines = 1, .config = config, .consumer = "handset"};
    int result = offset;
    if (offset >= 0) {
        request.offsets[0] = (uint32_t)offset;
        result = ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0 ? -errno : request.fd;
    }
    close(chip);
    if (result >= 0) fcntl(result, F_SETFL, O_NONBLOCK);
    return result;
}

int clinux_gpio_take_input(const char *chip, const char *line, int active_low, int pull, uint32_t debounce_us) {
    struct gpio_v2_line_config config = {
        .flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING};
    if (active_low) config.flags |= GPIO_V2_LINE_FLAG_ACTIVE_LOW;
    if (pull == CLINUX_PULL_OFF) config.flags |= GPIO_V2_LINE_FLAG_BIAS_DISABLED;
    if (pull == CLINUX_PULL_UP) config.flags |= GPIO_V2_LINE_FLAG_BIAS_PULL_UP;
    if (pull == CLINUX_PULL_DOWN) config.flags |= GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN;
    if (debounce_us) {
        config.num_attrs = 1;
        config.attrs[0].mask = 1;
        config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE;
        config.attrs[0].attr.debounce_period_us = debounce_us;
    }
    return take(chip, line, config);
}

int clinux_gpio_take_output(const char *chip, const char *line, int active_low) {
    struct gpio_v2_line_config config = {.flags = GPIO_V2_LINE_FLAG_OUTPUT};
    if (active_low) config.flags |= GPIO_V2_LINE_FLAG_ACTIVE_LOW;
    return take(chip, line, config);
}

int clinux_gpio_read(int fd) {
    struct gpio_v2_line_event event;
    ssize_t count = read(fd, &event, sizeof event);
    if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    if (count != sizeof event) return -EIO;
    return event.id == GPIO_V2_LINE_EVENT_RISING_EDGE ? 1 : 2;
}

int clinux_gpio_value(int fd) {
    struct gpio_v2_line_values values = {.mask = 1};
    return ioctl(fd, GPIO_V2_LINE_GET_VALUES_IOCTL, &values) < 0 ? -errno : (int)(values.bits & 1);
}

int clinux_gpio_set(int fd, int is_on) {
    struct gpio_v2_line_values values = {.bits = is_on ? 1 : 0, .mask = 1};
    return ioctl(fd, GPIO_V2_LINE_SET_VALUES_IOCTL, &values) < 0 ? -errno : 0;
}
