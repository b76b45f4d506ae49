#pragma once

// A terminal for a program that draws on it. Every call returns a negative errno on failure.

/// The size of the terminal `fd` in characters.
int clinux_terminal_size(int fd, int *columns, int *rows);
/// Makes `fd` give each key at once and without echo; Ctrl-C and Ctrl-Z still make signals. What was set before is kept
/// for `clinux_terminal_restore`, once.
int clinux_terminal_take(int fd);
/// Puts back what was set before `clinux_terminal_take`. Does nothing where nothing was taken.
int clinux_terminal_restore(int fd);

/// A descriptor from which a byte can be read for each SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGTERM and SIGHUP: its
/// number. The last three have their usual effect when they come a second time. Once a process.
int clinux_terminal_signals(void);
/// The same for the last three alone: for a program that draws nothing. Once a process, and one of the two.
int clinux_terminal_end_signals(void);
/// Stops the process, as SIGTSTP does where nobody catches it; returns when it is continued.
void clinux_terminal_stop(void);
/// Ends the process by a signal, as if nobody caught it.
_Noreturn void clinux_terminal_end(int number);
