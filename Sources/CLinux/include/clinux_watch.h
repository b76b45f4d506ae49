#pragma once

// A file that may be removed: what Swift's Glibc module lacks of inotify.

/// A non-blocking, close-on-exec descriptor that becomes readable when the file at `path` is removed, renamed or given other
/// permissions. Returns a negative errno on failure.
int clinux_watch_file(const char *path);
/// Takes what waits. No effect on a descriptor that has nothing.
void clinux_watch_take(int fd);
