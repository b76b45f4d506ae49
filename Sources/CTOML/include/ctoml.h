#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Parses `length` bytes of TOML. Returns a JSON text in which every node is
/// `{"k": kind, "l": line, "v": value}` with kind `s`, `i`, `f`, `b`, `a`, `t` or `x` (a date or time, as text);
/// the caller frees it with `ctoml_free`. On failure returns null, with the line (from 1) and a message, which the
/// caller frees too. Never throws.
char *ctoml_parse(const char *text, size_t length, int *error_line, char **error);
void ctoml_free(char *text);

#ifdef __cplusplus
}
#endif
