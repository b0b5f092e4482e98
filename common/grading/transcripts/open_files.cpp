// Replaces fopen() in graded programs, which cannot open a file for writing. The grader opens their
// files, and names them /proc/self/fd/N. The system would open such a file again, but here the name
// means the open file N. Other files can only be read.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr char kOpenFile[] = "/proc/self/fd/";
constexpr std::size_t kPrefixLength = sizeof kOpenFile - 1;

// A copy of the descriptor, emptied for the mode "w"; -1 with errno if there is none.
int open_file(const char* number, bool is_emptied) {
  const int file = fcntl(std::atoi(number), F_DUPFD_CLOEXEC, 0);
  if (file < 0 || !is_emptied) return file;
  if (ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0) return file;
  close(file);
  return -1;
}

int descriptor_of(const char* name, const char* mode) {
  if (std::strncmp(name, kOpenFile, kPrefixLength) == 0) {
    return open_file(name + kPrefixLength, mode[0] == 'w');
  }
  if (mode[0] == 'r' && !std::strchr(mode, '+')) return open(name, O_RDONLY | O_CLOEXEC);
  errno = EACCES;
  return -1;
}

}  // namespace

extern "C" std::FILE* fopen(const char* name, const char* mode) {
  const int file = descriptor_of(name, mode);
  return file < 0 ? nullptr : fdopen(file, mode);
}

// std::ofstream calls this function.
extern "C" std::FILE* fopen64(const char* name, const char* mode) { return fopen(name, mode); }
