// Nothing of a test run is left behind, however it ends.
//
// Before `main`, the process gets a separate temporary folder, in which everything that the tests and the processes that they
// start put into "the temporary directory" is. A shell waits until the process has ended, also if it was killed, kills the processes
// that were started and still run, and removes the folder.
//
// TestProcess is linked into the tests of this package only. Tests that run in a separate process use the folder of the process
// that started them.

#if defined(__linux__) || defined(__APPLE__)

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

/// The shell's program. `$0` is the folder, by which it also knows the processes of the run: they have inherited the variable.
static const char script[] =
    "trap '' INT TERM HUP; cat >/dev/null; "
    "for process in $(grep -lszxF \"TENON_TEST_RUN=$0\" /proc/[0-9]*/environ | cut -d / -f 3); do kill -9 $process; "
    "done 2>/dev/null; rm -rf \"$0\"";

__attribute__((constructor)) static void make_temporary_folder(void) {
  const char *run = getenv("TENON_TEST_RUN");
  if (run && *run) return;
  const char *temporary = getenv("TMPDIR");
  if (!temporary || !*temporary) temporary = "/tmp";
  char folder[512];
  int length = snprintf(folder, sizeof folder, "%s/tenon-%d", temporary, (int)getpid());
  if (length < 0 || (size_t)length >= sizeof folder || (mkdir(folder, 0700) != 0 && errno != EEXIST))
    return;

  int ends[2];
  if (pipe(ends) != 0) return;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  // The process keeps this end open until it ends, and no process that it starts inherits it.
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  // Whoever reads the output of the tests doesn't wait for the shell.
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  char *arguments[] = {"/bin/sh", "-c", (char *)script, folder, NULL};
  pid_t shell;
  int failure = posix_spawn(&shell, "/bin/sh", &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  if (failure) {
    close(ends[1]);
    rmdir(folder);
    return;
  }
  setenv("TMPDIR", folder, 1);
  setenv("TENON_TEST_RUN", folder, 1);
}

#endif
