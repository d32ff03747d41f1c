/* Stands between a program and libc (LD_PRELOAD) to make it fail where a test wants it to. Tests/Crash/faultshim.py
 * compiles it and says what each variable does; Docs/Testing.md says what is proved with it.
 *
 * An *event* is a call that changes a regular file (write, truncate, sync, rename, unlink) or sends on a socket.
 *
 *   LOCKSTEP_FAULT_CONTROL  a file of four 64-bit numbers, mapped: events so far; the event to die at (0: none);
 *                           1 to let that event happen by half first; set to 1 if it really was torn in two
 *   LOCKSTEP_FAULT_LOG      every change of a file and every sync, appended in the order in which they happened
 *   LOCKSTEP_FAULT_PREFIX, LOCKSTEP_FAULT_SPACE   below that path writes fail with ENOSPC once so many bytes were written
 *   LOCKSTEP_FAULT_CLOCK    a file of one signed 64-bit number, mapped: seconds that every clock goes ahead
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define REAL(result, name, ...) \
  static result (*real_##name)(__VA_ARGS__); \
  if (!real_##name) real_##name = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

struct control {
  volatile uint64_t events, die_at, half, torn;
};

/* What one entry of the log begins with; the path and the data follow. */
struct entry {
  uint32_t magic, kind;
  uint64_t inode, offset, length;
  uint32_t path_length, zero;
};

enum kind { WRITE = 1, TRUNCATE, SYNC, CREATE, RENAME, UNLINK, MAKE_FOLDER };

static struct control *control;
static volatile int64_t *clock_ahead;
static int log_fd = -1;
static const char *space_prefix;
static uint64_t space_left;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

static void *map_file(const char *variable, size_t size) {
  const char *path = getenv(variable);
  if (!path) return NULL;
  int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  if (fd < 0) abort();
  void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) abort();
  return mapped;
}

__attribute__((constructor)) static void begin(void) {
  control = map_file("LOCKSTEP_FAULT_CONTROL", sizeof *control);
  clock_ahead = map_file("LOCKSTEP_FAULT_CLOCK", sizeof *clock_ahead);
  const char *log = getenv("LOCKSTEP_FAULT_LOG");
  if (log) {
    log_fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (log_fd < 0) abort();
    /* Out of the way of programs that close or number the low descriptors. */
    int high = fcntl(log_fd, F_DUPFD_CLOEXEC, 500);
    if (high >= 0) { close(log_fd); log_fd = high; }
  }
  space_prefix = getenv("LOCKSTEP_FAULT_PREFIX");
  const char *space = getenv("LOCKSTEP_FAULT_SPACE");
  space_left = space ? strtoull(space, NULL, 10) : 0;
}

static int is_kind(int fd, mode_t kind, uint64_t *inode) {
  struct stat about;
  if (fd <= 2 || fd == log_fd || fstat(fd, &about) != 0) return 0;
  if (inode) *inode = about.st_ino;
  return (about.st_mode & S_IFMT) == kind;
}
static int is_file(int fd, uint64_t *inode) { return is_kind(fd, S_IFREG, inode); }
static int is_socket(int fd) { return is_kind(fd, S_IFSOCK, NULL); }

/* Counts an event. Returns 1 if the program is to die at it after half of it; dies at once if before it. */
static int event(void) {
  if (!control) return 0;
  uint64_t number = __atomic_add_fetch(&control->events, 1, __ATOMIC_SEQ_CST);
  if (control->die_at == 0 || number != control->die_at) return 0;
  if (control->half) return 1;
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}
static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

static void die_torn(void) {
  control->torn = 1;
  die();
}

static void path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length > 0 ? length : 0] = 0;
}

/* The path with its folder resolved; the last part may not exist. */
static void absolute(const char *path, char *out) {
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  if (slash) snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
  else strcpy(folder, ".");
  char resolved[PATH_MAX];
  if (!realpath(folder, resolved)) strcpy(resolved, folder);
  if (snprintf(out, PATH_MAX, "%s/%s", strcmp(resolved, "/") ? resolved : "", slash ? slash + 1 : path) >= PATH_MAX) abort();
}

/* Appends to the log; the caller holds `order`, so the log has the order of the file system's. */
static void note(enum kind kind, uint64_t inode, uint64_t offset, const char *path, const void *data, uint64_t length) {
  if (log_fd < 0) return;
  struct entry entry = {0x4c4f434b, kind, inode, offset, length, strlen(path), 0};
  struct iovec parts[3] = {{&entry, sizeof entry}, {(void *)path, entry.path_length}, {(void *)data, data ? length : 0}};
  ssize_t total = sizeof entry + entry.path_length + (data ? length : 0);
  if (syscall(SYS_writev, log_fd, parts, 3) != total) abort();
}

static int no_space(int fd, uint64_t count) {
  if (!space_prefix) return 0;
  char path[PATH_MAX];
  path_of(fd, path);
  if (strncmp(path, space_prefix, strlen(space_prefix)) != 0) return 0;
  if (__atomic_load_n(&space_left, __ATOMIC_SEQ_CST) < count) { errno = ENOSPC; return 1; }
  __atomic_sub_fetch(&space_left, count, __ATOMIC_SEQ_CST);
  return 0;
}

/* Writes that go to a place of their own (pwrite) or to the descriptor's (offset -1). */
static ssize_t write_file(int fd, uint64_t inode, const void *data, size_t count, off_t offset) {
  if (no_space(fd, count)) return -1;
  int half = event();
  if (half) count /= 2;
  pthread_mutex_lock(&order);
  off_t at = offset;
  if (offset < 0) {
    int flags = fcntl(fd, F_GETFL);
    at = flags & O_APPEND ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
  }
  ssize_t done = offset < 0 ? syscall(SYS_write, fd, data, count) : syscall(SYS_pwrite64, fd, data, count, offset);
  int error = errno;
  if (done > 0 && log_fd >= 0) {
    char path[PATH_MAX];
    path_of(fd, path);
    note(WRITE, inode, at, path, data, done);
  }
  pthread_mutex_unlock(&order);
  if (half) die_torn();
  errno = error;
  return done;
}

static ssize_t write_vector(int fd, uint64_t inode, const struct iovec *parts, int count, off_t offset) {
  size_t total = 0, used = 0;
  for (int i = 0; i < count; i++) total += parts[i].iov_len;
  char *joined = malloc(total ? total : 1);
  if (!joined) { errno = ENOMEM; return -1; }
  for (int i = 0; i < count; i++) {
    memcpy(joined + used, parts[i].iov_base, parts[i].iov_len);
    used += parts[i].iov_len;
  }
  ssize_t done = write_file(fd, inode, joined, total, offset);
  int error = errno;
  free(joined);
  errno = error;
  return done;
}

ssize_t write(int fd, const void *data, size_t count) {
  uint64_t inode;
  if (is_file(fd, &inode)) return write_file(fd, inode, data, count, -1);
  if (is_socket(fd) && event()) { syscall(SYS_write, fd, data, count / 2); die_torn(); }
  return syscall(SYS_write, fd, data, count);
}

ssize_t pwrite(int fd, const void *data, size_t count, off_t offset) {
  uint64_t inode;
  if (is_file(fd, &inode)) return write_file(fd, inode, data, count, offset);
  return syscall(SYS_pwrite64, fd, data, count, offset);
}
ssize_t pwrite64(int fd, const void *data, size_t count, off64_t offset) { return pwrite(fd, data, count, offset); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
  uint64_t inode;
  if (is_file(fd, &inode)) return write_vector(fd, inode, parts, count, -1);
  if (is_socket(fd) && event()) { syscall(SYS_writev, fd, parts, 1); die_torn(); }
  return syscall(SYS_writev, fd, parts, count);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  uint64_t inode;
  if (is_file(fd, &inode)) return write_vector(fd, inode, parts, count, offset);
  errno = ESPIPE;
  return -1;
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  return pwritev(fd, parts, count, offset);
}

ssize_t send(int fd, const void *data, size_t count, int flags) {
  if (event()) { syscall(SYS_sendto, fd, data, count / 2, flags, NULL, 0); die_torn(); }
  return syscall(SYS_sendto, fd, data, count, flags, NULL, 0);
}
ssize_t sendto(int fd, const void *data, size_t count, int flags, const struct sockaddr *to, socklen_t length) {
  if (event()) { syscall(SYS_sendto, fd, data, count / 2, flags, to, length); die_torn(); }
  return syscall(SYS_sendto, fd, data, count, flags, to, length);
}
ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  if (event()) die();
  return syscall(SYS_sendmsg, fd, message, flags);
}
ssize_t sendfile(int to, int from, off_t *offset, size_t count) {
  if (event()) { syscall(SYS_sendfile, to, from, offset, count / 2); die_torn(); }
  return syscall(SYS_sendfile, to, from, offset, count);
}
ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) { return sendfile(to, from, offset, count); }

static int sync_file(int fd, long number) {
  uint64_t inode = 0;
  int file = is_file(fd, &inode) || is_kind(fd, S_IFDIR, &inode);
  if (file && event()) die();
  pthread_mutex_lock(&order);
  int result = syscall(number, fd);
  int error = errno;
  if (file && result == 0 && log_fd >= 0) {
    char path[PATH_MAX];
    path_of(fd, path);
    note(SYNC, inode, 0, path, NULL, 0);
  }
  pthread_mutex_unlock(&order);
  errno = error;
  return result;
}
int fsync(int fd) { return sync_file(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_file(fd, SYS_fdatasync); }

int ftruncate(int fd, off_t length) {
  uint64_t inode = 0;
  int file = is_file(fd, &inode);
  if (file && event()) die();
  pthread_mutex_lock(&order);
  int result = syscall(SYS_ftruncate, fd, length);
  int error = errno;
  if (file && result == 0 && log_fd >= 0) {
    char path[PATH_MAX];
    path_of(fd, path);
    note(TRUNCATE, inode, length, path, NULL, 0);
  }
  pthread_mutex_unlock(&order);
  errno = error;
  return result;
}
int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }

/* Allocation counts as truncation to at least that length: the bytes read as zeros. */
int fallocate(int fd, int mode, off_t offset, off_t length) {
  if (no_space(fd, length)) return -1;
  struct stat about;
  if (mode == 0 && is_file(fd, NULL) && fstat(fd, &about) == 0) {
    return about.st_size >= offset + length ? 0 : ftruncate(fd, offset + length);
  }
  return syscall(SYS_fallocate, fd, mode, offset, length);
}
int fallocate64(int fd, int mode, off64_t offset, off64_t length) { return fallocate(fd, mode, offset, length); }
int posix_fallocate(int fd, off_t offset, off_t length) { return fallocate(fd, 0, offset, length) == 0 ? 0 : errno; }
int posix_fallocate64(int fd, off64_t offset, off64_t length) { return posix_fallocate(fd, offset, length); }

static int open_file(int folder, const char *path, int flags, mode_t mode) {
  if (log_fd < 0 || !(flags & (O_CREAT | O_TRUNC))) return syscall(SYS_openat, folder, path, flags, mode);
  pthread_mutex_lock(&order);
  struct stat before, after;
  int existed = fstatat(folder, path, &before, 0) == 0;
  int fd = syscall(SYS_openat, folder, path, flags, mode);
  int error = errno;
  if (fd >= 0 && fstat(fd, &after) == 0 && S_ISREG(after.st_mode) && (flags & O_TMPFILE) != O_TMPFILE) {
    char found[PATH_MAX];
    path_of(fd, found);
    if (!existed) note(CREATE, after.st_ino, 0, found, NULL, 0);
    else if (flags & O_TRUNC) note(TRUNCATE, after.st_ino, 0, found, NULL, 0);
  }
  pthread_mutex_unlock(&order);
  errno = error;
  return fd;
}
#define OPEN_MODE(last) \
  mode_t mode = 0; \
  if (flags & (O_CREAT | __O_TMPFILE)) { va_list more; va_start(more, last); mode = va_arg(more, int); va_end(more); }
int open(const char *path, int flags, ...) { OPEN_MODE(flags) return open_file(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { OPEN_MODE(flags) return open_file(AT_FDCWD, path, flags | O_LARGEFILE, mode); }
int openat(int folder, const char *path, int flags, ...) { OPEN_MODE(flags) return open_file(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { OPEN_MODE(flags) return open_file(folder, path, flags | O_LARGEFILE, mode); }
int creat(const char *path, mode_t mode) { return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

static int move(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  if (event()) die();
  char old[PATH_MAX], new[PATH_MAX];
  absolute(from, old);
  absolute(to, new);
  pthread_mutex_lock(&order);
  int result = syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
  int error = errno;
  if (result == 0) note(RENAME, 0, 0, old, new, strlen(new));
  pthread_mutex_unlock(&order);
  errno = error;
  return result;
}
int rename(const char *from, const char *to) { return move(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int a, const char *from, int b, const char *to) { return move(a, from, b, to, 0); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) { return move(a, from, b, to, flags); }

static int removal(int folder, const char *path, int flags) {
  if (event()) die();
  char gone[PATH_MAX];
  absolute(path, gone);
  pthread_mutex_lock(&order);
  int result = syscall(SYS_unlinkat, folder, path, flags);
  int error = errno;
  if (result == 0) note(UNLINK, 0, 0, gone, NULL, 0);
  pthread_mutex_unlock(&order);
  errno = error;
  return result;
}
int unlink(const char *path) { return removal(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char *path, int flags) { return removal(folder, path, flags); }

int mkdir(const char *path, mode_t mode) {
  int result = syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  if (result == 0 && log_fd >= 0) {
    char made[PATH_MAX];
    absolute(path, made);
    pthread_mutex_lock(&order);
    note(MAKE_FOLDER, 0, 0, made, NULL, 0);
    pthread_mutex_unlock(&order);
  }
  return result;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  REAL(int, clock_gettime, clockid_t, struct timespec *);
  int result = real_clock_gettime(clock, now);
  if (result == 0 && clock_ahead && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID) {
    now->tv_sec += *clock_ahead;
  }
  return result;
}
/* Waits until a time of the clock that goes ahead are given to the kernel as times of its own clock. */
static struct timespec real_time(const struct timespec *ahead) {
  struct timespec real = *ahead;
  if (clock_ahead) real.tv_sec = real.tv_sec > *clock_ahead ? real.tv_sec - *clock_ahead : 0;
  return real;
}
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
  static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  if (!real) real = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  struct timespec translated = real_time(until);
  return real(condition, mutex, &translated);
}
int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
                           const struct timespec *restrict until) {
  REAL(int, pthread_cond_clockwait, pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
  struct timespec translated = real_time(until);
  return real_pthread_cond_clockwait(condition, mutex, clock, &translated);
}
time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}
