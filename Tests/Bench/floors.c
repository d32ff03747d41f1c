/* The floors and the probes of bench.py, one program with a word for each:
 *
 *   spawn COUNT PROGRAM ARGUMENT…   starts a program COUNT times, one after the other; median of whole processes
 *   nothing                         the empty process
 *   echo SOCKET                     answers every frame (4 bytes of length, body) with a frame of the size that the body's
 *                                   first four bytes name
 *   ask SOCKET FILE                 sends the frames of FILE one after the other, waits for the answer to each; median
 *   commit DATABASE COUNT SIZE      commits rows one by one, WAL and synchronous=FULL; median
 *   insert DATABASE COUNT SIZE      inserts rows in one such transaction; the whole
 *
 * Each prints microseconds: median, and the 99th percentile.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void report(double *times, size_t count) {
  qsort(times, count, sizeof *times, ascending);
  printf("%.2f %.2f\n", times[count / 2], times[count * 99 / 100]);
}

static int spawn(int count, char **argv) {
  double *times = malloc(count * sizeof *times);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  for (int i = -5; i < count; i++) {
    pid_t child;
    int status;
    double start = now();
    if (posix_spawn(&child, argv[0], &quiet, NULL, argv, environ) != 0) fail(argv[0]);
    waitpid(child, &status, 0);
    if (i >= 0) times[i] = now() - start;
    if (status != 0) { fprintf(stderr, "%s ended with %d\n", argv[0], status); return 1; }
  }
  report(times, count);
  return 0;
}

static struct sockaddr_un address(const char *path) {
  struct sockaddr_un where = {.sun_family = AF_UNIX};
  strncpy(where.sun_path, path, sizeof where.sun_path - 1);
  return where;
}

static int get(int fd, void *into, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t piece = read(fd, (char *)into + done, count - done);
    if (piece <= 0) return 0;
    done += piece;
  }
  return 1;
}

static void put(int fd, const void *data, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t piece = write(fd, (const char *)data + done, count - done);
    if (piece <= 0) fail("write");
    done += piece;
  }
}

static _Noreturn void echo(const char *path) {
  struct sockaddr_un where = address(path);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&where, sizeof where) || listen(listener, 8)) fail(path);
  static char frame[1 << 22];
  for (;;) {
    int client = accept(listener, NULL, NULL);
    uint32_t length;
    while (get(client, &length, 4) && (length = ntohl(length)) <= sizeof frame && length >= 4 && get(client, frame, length)) {
      uint32_t answer;
      memcpy(&answer, frame, 4);
      memcpy(frame, &answer, 4);
      put(client, frame, 4 + ntohl(answer));
    }
    close(client);
  }
}

static int ask(const char *path, const char *file) {
  struct sockaddr_un where = address(path);
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(server, (struct sockaddr *)&where, sizeof where)) fail(path);
  int fd = open(file, O_RDONLY);
  struct stat about;
  if (fd < 0 || fstat(fd, &about)) fail(file);
  char *frames = malloc(about.st_size), *answer = malloc(1 << 25);
  if (!get(fd, frames, about.st_size)) fail(file);
  size_t room = 1 << 20, count = 0;
  double *times = malloc(room * sizeof *times);
  for (char *at = frames; at < frames + about.st_size && count < room;) {
    uint32_t length;
    memcpy(&length, at, 4);
    double start = now();
    put(server, at, 4 + ntohl(length));
    at += 4 + ntohl(length);
    if (!get(server, &length, 4) || !get(server, answer, ntohl(length))) fail("the answer");
    times[count++] = now() - start;
  }
  report(times, count);
  return 0;
}

static void sql(sqlite3 *database, const char *text) {
  char *message = NULL;
  if (sqlite3_exec(database, text, NULL, NULL, &message)) { fprintf(stderr, "%s: %s\n", text, message); exit(1); }
}

static int rows(const char *path, int count, int size, int one_by_one) {
  sqlite3 *database;
  if (sqlite3_open(path, &database)) fail(path);
  sql(database, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (slot BLOB PRIMARY KEY, record BLOB) WITHOUT ROWID");
  sqlite3_stmt *insert;
  sqlite3_prepare_v2(database, "INSERT INTO t VALUES (randomblob(32), randomblob(?))", -1, &insert, NULL);
  double *times = malloc(count * sizeof *times), begin = now();
  if (!one_by_one) sql(database, "BEGIN");
  for (int i = 0; i < count; i++) {
    double start = now();
    sqlite3_bind_int(insert, 1, size);
    if (sqlite3_step(insert) != SQLITE_DONE) { fprintf(stderr, "%s\n", sqlite3_errmsg(database)); return 1; }
    sqlite3_reset(insert);
    times[i] = now() - start;
  }
  if (!one_by_one) sql(database, "COMMIT");
  double whole = now() - begin;
  if (one_by_one) report(times, count);
  else printf("%.2f %.2f\n", whole, whole);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "nothing")) return 0;
  if (argc >= 4 && !strcmp(argv[1], "spawn")) return spawn(atoi(argv[2]), argv + 3);
  if (argc == 3 && !strcmp(argv[1], "echo")) echo(argv[2]);
  if (argc == 4 && !strcmp(argv[1], "ask")) return ask(argv[2], argv[3]);
  if (argc == 5 && !strcmp(argv[1], "commit")) return rows(argv[2], atoi(argv[3]), atoi(argv[4]), 1);
  if (argc == 5 && !strcmp(argv[1], "insert")) return rows(argv[2], atoi(argv[3]), atoi(argv[4]), 0);
  fprintf(stderr, "floors: see the comment at the top of floors.c\n");
  return 2;
}
