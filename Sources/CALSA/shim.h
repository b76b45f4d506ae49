#include <features.h>
#include <alsa/asoundlib.h>

// Of CLinux: Swift can neither write nor import a variadic function.
void clinux_keep_message(const char *file, int line, const char *function, int error, const char *format, ...);

/// Keeps alsa-lib from writing to stderr; each thread's last message is kept for `clinux_take_message` instead.
static inline int calsa_keep_messages(void) { return snd_lib_error_set_handler(clinux_keep_message); }
