#include "clinux_message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// On the thread that failed, and of fixed size: a plug-in that complains on the audio thread costs no allocation.
static __thread char last[256];

void clinux_keep_message(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(last, sizeof last, format, arguments);
    va_end(arguments);
}

size_t clinux_take_message(char *buffer, size_t capacity) {
    size_t length = strcspn(last, "\n");
    if (!capacity) return 0;
    if (length >= capacity) length = capacity - 1;
    memcpy(buffer, last, length);
    buffer[length] = 0;
    last[0] = 0;
    return length;
}
