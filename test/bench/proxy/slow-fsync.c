/* Preloaded into a server: each fsync takes SLOW_FSYNC_MS milliseconds more, as on the disk of a cloud. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int slowly(const char *name, int fd) {
  const char *ms = getenv("SLOW_FSYNC_MS");
  struct timespec wait = {0, (ms ? atol(ms) : 0) * 1000000L};
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  if (wait.tv_nsec > 0) nanosleep(&wait, NULL);
  return real(fd);
}

int fsync(int fd) { return slowly("fsync", fd); }
int fdatasync(int fd) { return slowly("fdatasync", fd); }
