#define _GNU_SOURCE
#include "clinux.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

extern char **environ;

int lockstep_peer_credentials(int descriptor, pid_t *process, uid_t *user, gid_t *group) {
  struct ucred credentials;
  socklen_t length = sizeof credentials;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
  *process = credentials.pid;
  *user = credentials.uid;
  *group = credentials.gid;
  return 0;
}

int lockstep_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

int lockstep_unix_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

static int address_of(const char *path, struct sockaddr_un *address) {
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof address->sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, length + 1);
  return 0;
}

int lockstep_bind_path(int descriptor, const char *path) {
  struct sockaddr_un address;
  if (address_of(path, &address) != 0) return -1;
  return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

int lockstep_connect_path(int descriptor, const char *path) {
  struct sockaddr_un address;
  if (address_of(path, &address) != 0) return -1;
  return connect(descriptor, (struct sockaddr *)&address, sizeof address);
}

int lockstep_forbid_tracing(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int lockstep_spawn_detached(const char *path, char *const arguments[], int log, pid_t *process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return error;
  error = posix_spawnattr_init(&attributes);
  if (error != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  if (error == 0) error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (error == 0) error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, log, 2);
  if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  if (error == 0) error = posix_spawnattr_setsigmask(&attributes, &none);
  if (error == 0) error = posix_spawnattr_setsigdefault(&attributes, &all);
  if (error == 0)
    error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (error == 0) error = posix_spawn(process, path, &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}
