#pragma once
#include <stddef.h>

/// Takes what alsa-lib would have printed on stderr (an snd_lib_error_handler_t): kept, for the calling thread.
void clinux_keep_message(const char *file, int line, const char *function, int error, const char *format, ...);
/// Writes the calling thread's last kept message, without a line end, and forgets it. Returns its length; 0: none.
size_t clinux_take_message(char *buffer, size_t capacity);
