/*
 * Makes one call of the C library fail, or ends the process there: the FAULT_AT-th (counted from 1) of the calls below
 * after FAULT_ARMED was set in the environment. FAULT_KIND: count (names the calls in FAULT_SEEN, as many as fit, with their number in
 * FAULT_COUNT), kill, killafter, short, full (that call and all that write after it), or the name of an errno. Built by the tests, loaded
 * by LD_PRELOAD.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int seen;
static char names[4096];

enum action { PASS, FAIL, SHORT, KILL_AFTER };

static int error_number(const char *kind) {
  if (!strcmp(kind, "ENOSPC")) return ENOSPC;
  if (!strcmp(kind, "EACCES")) return EACCES;
  if (!strcmp(kind, "EDQUOT")) return EDQUOT;
  if (!strcmp(kind, "EROFS")) return EROFS;
  return EIO;
}

static enum action decide(const char *call) {
  const char *kind = getenv("FAULT_KIND");
  if (!kind || !getenv("FAULT_ARMED")) {
    seen = 0;
    names[0] = 0;
    return PASS;
  }
  seen++;
  if (!strcmp(kind, "count")) {
    if (strlen(names) + strlen(call) + 2 < sizeof names) strcat(strcat(names, call), " ");
    setenv("FAULT_SEEN", names, 1);
    char number[16];
    snprintf(number, sizeof number, "%d", seen);
    setenv("FAULT_COUNT", number, 1);
    return PASS;
  }
  if (!strcmp(kind, "full")) {
    if (seen < atoi(getenv("FAULT_AT")) || (!strstr(call, "write") && !strstr(call, "truncate") && strcmp(call, "mkdir"))) return PASS;
    errno = ENOSPC;
    return FAIL;
  }
  if (seen != atoi(getenv("FAULT_AT"))) return PASS;
  if (!strcmp(kind, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(kind, "killafter")) return KILL_AFTER;
  if (!strcmp(kind, "short")) return SHORT;
  errno = error_number(kind);
  return FAIL;
}

#define AROUND(type, name, parameters, arguments)                          \
  type name parameters {                                                   \
    static type(*real) parameters;                                         \
    if (!real) real = dlsym(RTLD_NEXT, #name);                             \
    enum action action = decide(#name);                                    \
    if (action == FAIL) return -1;                                         \
    type result = real arguments;                                          \
    if (action == KILL_AFTER) kill(getpid(), SIGKILL);                     \
    return result;                                                         \
  }

AROUND(int, fsync, (int fd), (fd))
AROUND(int, fdatasync, (int fd), (fd))
AROUND(int, rename, (const char *from, const char *to), (from, to))
AROUND(int, link, (const char *from, const char *to), (from, to))
AROUND(int, symlink, (const char *target, const char *path), (target, path))
AROUND(int, unlink, (const char *path), (path))
AROUND(int, mkdir, (const char *path, mode_t mode), (path, mode))
AROUND(int, rmdir, (const char *path), (path))
AROUND(int, fchmod, (int fd, mode_t mode), (fd, mode))
AROUND(int, fchown, (int fd, uid_t uid, gid_t gid), (fd, uid, gid))
AROUND(int, scandir64,
       (const char *path, struct dirent64 ***names, int (*filter)(const struct dirent64 *),
        int (*order)(const struct dirent64 **, const struct dirent64 **)),
       (path, names, filter, order))
AROUND(ssize_t, readlink, (const char *path, char *target, size_t size), (path, target, size))
AROUND(int, ftruncate, (int fd, off_t length), (fd, length))
AROUND(int, ftruncate64, (int fd, off64_t length), (fd, length))

/* A failing close has closed the file all the same. */
int close(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "close");
  enum action action = decide("close");
  int number = errno;
  int result = real(fd);
  if (action == KILL_AFTER) kill(getpid(), SIGKILL);
  if (action == FAIL) { errno = number; return -1; }
  return result;
}

/* Node's threads wake each other by writing to pipes. */
static int is_file(int fd) {
  struct stat stat;
  return fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode);
}

#define AROUND_WRITE(name, parameters, arguments, shorter)                 \
  ssize_t name parameters {                                                \
    static ssize_t(*real) parameters;                                      \
    if (!real) real = dlsym(RTLD_NEXT, #name);                             \
    enum action action = is_file(fd) ? decide(#name) : PASS;               \
    if (action == FAIL) return -1;                                         \
    if (action == SHORT && size > 1) return real shorter;                  \
    ssize_t result = real arguments;                                       \
    if (action == KILL_AFTER) kill(getpid(), SIGKILL);                     \
    return result;                                                         \
  }

AROUND_WRITE(write, (int fd, const void *data, size_t size), (fd, data, size), (fd, data, size / 2))
AROUND_WRITE(pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at), (fd, data, size / 2, at))
AROUND_WRITE(pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at), (fd, data, size / 2, at))

#define AROUND_READ(name, parameters, arguments)                           \
  ssize_t name parameters {                                                \
    static ssize_t(*real) parameters;                                      \
    if (!real) real = dlsym(RTLD_NEXT, #name);                             \
    enum action action = is_file(fd) ? decide(#name) : PASS;               \
    if (action == FAIL) return -1;                                         \
    ssize_t result = real arguments;                                       \
    if (action == KILL_AFTER) kill(getpid(), SIGKILL);                     \
    return result;                                                         \
  }

AROUND_READ(read, (int fd, void *data, size_t size), (fd, data, size))
AROUND_READ(pread, (int fd, void *data, size_t size, off_t at), (fd, data, size, at))
AROUND_READ(pread64, (int fd, void *data, size_t size, off64_t at), (fd, data, size, at))

#define AROUND_OPEN(name)                                                  \
  int name(const char *path, int flags, ...) {                             \
    static int (*real)(const char *, int, ...);                            \
    if (!real) real = dlsym(RTLD_NEXT, #name);                             \
    mode_t mode = 0;                                                       \
    if (flags & O_CREAT) {                                                 \
      va_list rest;                                                        \
      va_start(rest, flags);                                               \
      mode = va_arg(rest, mode_t);                                         \
      va_end(rest);                                                        \
    }                                                                      \
    enum action action = decide(#name);                                    \
    if (action == FAIL) return -1;                                         \
    int result = real(path, flags, mode);                                  \
    if (action == KILL_AFTER) kill(getpid(), SIGKILL);                     \
    return result;                                                         \
  }

AROUND_OPEN(open)
AROUND_OPEN(open64)
