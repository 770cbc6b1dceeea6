// Stands between a process and the file system (LD_PRELOAD): records what is written to the files of one folder, makes
// the n-th of these calls fail, or lets them hang. Compiled by shim.ts; used by the tests of failing disks alone.
// SHIM_FOLDER: the folder; SHIM_LOG: where calls are recorded. A write to a file named "shim-control" is an order:
// "fail N ERRNO COUNT" (from the N-th call on, COUNT calls fail; 0 = all) or "off". From outside: while a file
// "shim-hang" is in the folder neither flushes nor reads of snapshots end, and while there is one named "shim-readonly" nothing is written.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long calls, fail_from, fail_count, fail_errno;
static int log_fd = -2;

/** 1: a file of the folder, 2: the control file, 0: any other file. The path is left in `path`. */
static int kind_of(int fd, char *path, size_t size) {
  const char *folder = getenv("SHIM_FOLDER");
  char link[64];
  if (folder == NULL) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  if (strncmp(path, folder, strlen(folder)) != 0) return 0;
  const char *name = strrchr(path, '/') + 1;
  if (strcmp(name, "shim-control") == 0) return 2;
  return strcmp(name, "data.mdb") == 0 || strcmp(name, "acks") == 0 || strcmp(name, "format.json.new") == 0;
}

static void obey(const char *text) {
  pthread_mutex_lock(&lock);
  calls = 0;
  fail_from = fail_count = 0;
  if (sscanf(text, "fail %ld %ld %ld", &fail_from, &fail_errno, &fail_count) != 3) fail_from = 0;
  pthread_mutex_unlock(&lock);
}

/** Whether a file of this name is in the folder. */
static int is_there(const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", getenv("SHIM_FOLDER"), name);
  return access(path, F_OK) == 0;
}

/** Counts a call; returns its errno if it must fail, else 0. */
static long failure(void) {
  if (is_there("shim-readonly")) return EROFS;
  pthread_mutex_lock(&lock);
  calls += 1;
  int fails = fail_from > 0 && calls >= fail_from && (fail_count == 0 || calls < fail_from + fail_count);
  pthread_mutex_unlock(&lock);
  return fails ? fail_errno : 0;
}

/** One record: operation, flags, offset, lengths, then path and bytes. Written in one call, so records never mix. */
static void record(char operation, const char *path, int flags, int64_t offset, const struct iovec *parts, int count) {
  const char *file = getenv("SHIM_LOG");
  if (file == NULL) return;
  pthread_mutex_lock(&lock);
  if (log_fd == -2) log_fd = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  uint64_t bytes = 0;
  for (int i = 0; i < count; i++) bytes += parts[i].iov_len;
  unsigned char head[32] = {0};
  uint32_t path_length = strlen(path);
  head[0] = operation;
  head[1] = flags;
  memcpy(head + 4, &path_length, 4);
  memcpy(head + 8, &offset, 8);
  memcpy(head + 16, &bytes, 8);
  struct iovec all[count + 2];
  all[0] = (struct iovec){head, sizeof head};
  all[1] = (struct iovec){(void *)path, path_length};
  if (count > 0) memcpy(all + 2, parts, count * sizeof *parts);
  syscall(SYS_writev, log_fd, all, count + 2);
  pthread_mutex_unlock(&lock);
}

/**
 * Whether a write goes to space that the file already has. Only a disk that dies altogether refuses that, and then lmdb's
 * binding writes past the end of its error text and the process ends as if it were killed: not rehearsed here.
 */
static int is_overwrite(int fd, const struct iovec *parts, int count, int64_t at) {
  struct stat status;
  if ((fcntl(fd, F_GETFL) & O_DSYNC) != 0 || fstat(fd, &status) != 0) return 0;
  for (int i = 0; i < count; i++) at += parts[i].iov_len;
  return at <= status.st_size;
}

static ssize_t write_parts(char operation, int fd, const struct iovec *parts, int count, int64_t offset) {
  char path[4096];
  int kind = kind_of(fd, path, sizeof path);
  if (kind == 2) {
    char text[128] = {0};
    memcpy(text, parts[0].iov_base, parts[0].iov_len < 127 ? parts[0].iov_len : 127);
    obey(text);
    return parts[0].iov_len;
  }
  int64_t at = offset;
  if (kind == 1 && offset < 0) at = syscall(SYS_lseek, fd, 0, SEEK_CUR);
  if (kind == 1 && !is_overwrite(fd, parts, count, at)) {
    long error = failure();
    if (error != 0) {
      errno = error;
      return -1;
    }
  }
  int flags = kind == 1 && (fcntl(fd, F_GETFL) & O_DSYNC) != 0;
  ssize_t done = offset < 0 ? syscall(SYS_writev, fd, parts, count) : syscall(SYS_pwritev, fd, parts, count, offset, 0);
  if (kind == 1 && done >= 0) record(operation, path, flags, at, parts, count);
  return done;
}

/** Whether a file is in the folder and its name ends so. */
static int ends_in(const char *path, const char *wanted) {
  const char *folder = getenv("SHIM_FOLDER");
  const char *ending = strrchr(path, '.');
  return folder != NULL && strncmp(path, folder, strlen(folder)) == 0 && ending != NULL && strcmp(ending, wanted) == 0;
}

/** Waits while the disk is to hang. */
static void hang(void) {
  struct timespec wait = {0, 20 * 1000000};
  while (is_there("shim-hang")) nanosleep(&wait, NULL);
}

static int flush(int fd, long number) {
  char path[4096] = "";
  int kind = kind_of(fd, path, sizeof path);
  if (kind == 1 || ends_in(path, ".draft")) hang();
  if (kind == 1) {
    long error = failure();
    if (error != 0) {
      errno = error;
      return -1;
    }
  }
  int result = syscall(number, fd);
  if (kind == 1 && result == 0) record('s', path, 0, 0, NULL, 0);
  return result;
}

ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset) {
  char path[4096] = "";
  kind_of(fd, path, sizeof path);
  if (ends_in(path, ".snapshot")) hang();
  return syscall(SYS_pread64, fd, bytes, length, offset);
}
ssize_t pread(int fd, void *bytes, size_t length, off_t offset) { return pread64(fd, bytes, length, offset); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  struct iovec part = {(void *)bytes, length};
  return write_parts('w', fd, &part, 1, offset);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }
ssize_t write(int fd, const void *bytes, size_t length) {
  struct iovec part = {(void *)bytes, length};
  return write_parts('w', fd, &part, 1, -1);
}
ssize_t writev(int fd, const struct iovec *parts, int count) { return write_parts('w', fd, parts, count, -1); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  return write_parts('w', fd, parts, count, offset);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return write_parts('w', fd, parts, count, offset);
}
int fdatasync(int fd) { return flush(fd, SYS_fdatasync); }
int fsync(int fd) { return flush(fd, SYS_fsync); }
int ftruncate64(int fd, off64_t length) {
  char path[4096];
  int kind = kind_of(fd, path, sizeof path);
  if (kind == 1) {
    long error = failure();
    if (error != 0) {
      errno = error;
      return -1;
    }
  }
  int result = syscall(SYS_ftruncate, fd, length);
  if (kind == 1 && result == 0) record('t', path, 0, length, NULL, 0);
  return result;
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }
