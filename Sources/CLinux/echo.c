#define _GNU_SOURCE
#include "clinux.h"
#include <errno.h>
#include <signal.h>
#include <termios.h>

// In C, because a signal handler may run at any moment and must touch nothing that Swift initialises lazily.

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
enum { ending_count = sizeof ending / sizeof ending[0] };
static struct sigaction previous[ending_count];
static struct termios saved;
static volatile sig_atomic_t silenced = -1; // the terminal whose echo is off

static int set_silent(int terminal) {
  struct termios silent = saved;
  silent.c_lflag &= ~(tcflag_t)(ECHO | ECHOE | ECHOK);
  silent.c_lflag |= ECHONL | ICANON | ISIG;
  // TCSAFLUSH: what was typed before the prompt is no passphrase.
  return tcsetattr(terminal, TCSAFLUSH, &silent);
}

static void on_signal(int number) {
  int error = errno;
  if (silenced >= 0) tcsetattr(silenced, TCSADRAIN, &saved);
  // Let the signal do what it would have done.
  struct sigaction standard = {.sa_handler = SIG_DFL}, ours;
  sigemptyset(&standard.sa_mask);
  sigaction(number, &standard, &ours);
  sigset_t mask, before;
  sigemptyset(&mask);
  sigaddset(&mask, number);
  raise(number);
  sigprocmask(SIG_UNBLOCK, &mask, &before);
  // Here again only after SIGTSTP and SIGCONT.
  sigprocmask(SIG_SETMASK, &before, NULL);
  sigaction(number, &ours, NULL);
  if (silenced >= 0) set_silent(silenced);
  errno = error;
}

int lockstep_echo_off(int terminal) {
  if (tcgetattr(terminal, &saved) != 0) return -1;
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < ending_count; i++) {
    sigaction(ending[i], NULL, &previous[i]);
    // A signal that is ignored, as under nohup, stays ignored.
    if (previous[i].sa_handler != SIG_IGN) sigaction(ending[i], &action, NULL);
  }
  silenced = terminal;
  if (set_silent(terminal) == 0) return 0;
  int error = errno;
  lockstep_echo_on();
  errno = error;
  return -1;
}

void lockstep_echo_on(void) {
  if (silenced < 0) return;
  tcsetattr(silenced, TCSADRAIN, &saved);
  silenced = -1;
  for (int i = 0; i < ending_count; i++) sigaction(ending[i], &previous[i], NULL);
}
