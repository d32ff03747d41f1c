#pragma once
#include <stddef.h>
#include <sys/types.h>

// What Glibc's Swift module lacks. Every function returns 0 or a descriptor, or -1 and sets errno, unless said otherwise.

/// The process at the other end of a Unix socket, as the kernel noted it (SO_PEERCRED).
int lockstep_peer_credentials(int descriptor, pid_t *process, uid_t *user, gid_t *group);

/// accept4 with SOCK_CLOEXEC: no descriptor of a connection ever reaches a child process.
int lockstep_accept(int listener);

/// socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC).
int lockstep_unix_socket(void);

/// bind (or connect) with `path`, at most 107 bytes.
int lockstep_bind_path(int descriptor, const char *path);
int lockstep_connect_path(int descriptor, const char *path);

/// No core dump, and no other process of this user may trace this one or read its memory (PR_SET_DUMPABLE).
int lockstep_forbid_tracing(void);

/// Starts `path` in a session of its own with `/dev/null` as standard input and output, `log` as standard error, no other
/// descriptor and default signals. Returns 0 or an errno.
int lockstep_spawn_detached(const char *path, char *const arguments[], int log, pid_t *process);

/// Turns the echo of `terminal` off until `lockstep_echo_on`. Signals that end or stop the process turn it on first, and a
/// process that is continued turns it off again.
int lockstep_echo_off(int terminal);
void lockstep_echo_on(void);
