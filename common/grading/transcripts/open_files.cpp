// The files of a graded program. It cannot open a file for writing: the grader opens them, and
// names them /proc/self/fd/N. The system would open such a file again, but for the fopen() of this
// file the name means the open file N. Other files can only be read.
//
// An answer can find the C library's function for system calls in memory, and write a report of its
// own. So a filter of system calls is set up before any constructor runs. The files with the
// results of the tests and with the simulator's report can then be neither emptied nor replaced,
// they are written once, and only a program that comes to the end of its exit handlers ends with
// success.

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <thread>

namespace {

constexpr char kOpenFile[] = "/proc/self/fd/";
constexpr std::size_t kPrefixLength = sizeof kOpenFile - 1;

// A report is written through a duplicate of the grader's descriptor.
struct Report {
  int opened, written;
};

// Zeros until seal() runs, which comes before all constructors.
Report reports[2];
std::size_t report_count;
std::uint32_t secret[2];

// A program of the kernel's for each system call (BPF).
class CallFilter {
 public:
  struct Equal {
    int argument;
    std::uint32_t value;
  };
  // Returns `action` for the call if its arguments have these values.
  void add(long call, std::uint32_t action, std::initializer_list<Equal> arguments) {
    auto skipped = static_cast<unsigned char>(2 * arguments.size() + 1);
    add_comparison(offsetof(seccomp_data, nr), static_cast<std::uint32_t>(call), skipped);
    for (const Equal& equal : arguments) {
      skipped = static_cast<unsigned char>(skipped - 2);
      const std::size_t low_half = offsetof(seccomp_data, args) +
                                   sizeof(std::uint64_t) * static_cast<unsigned>(equal.argument);
      add_comparison(low_half, equal.value, skipped);
    }
    add_instruction(BPF_RET | BPF_K, action);
  }
  void install() {
    add_instruction(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    sock_fprog program{static_cast<unsigned short>(count_), instructions_};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(1);
  }

 private:
  void add_comparison(std::size_t offset, std::uint32_t value, unsigned char skipped_if_not_equal) {
    add_instruction(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
    add_instruction(BPF_JMP | BPF_JEQ | BPF_K, value, skipped_if_not_equal);
  }
  void add_instruction(unsigned code, std::uint32_t constant, unsigned char if_false = 0) {
    if (count_ == kMost) _exit(1);
    instructions_[count_++] = {static_cast<unsigned short>(code), 0, if_false, constant};
  }

  static constexpr std::size_t kMost = 300;
  sock_filter instructions_[kMost];
  std::size_t count_ = 0;
};

void protect(CallFilter& filter, const Report& report) {
  constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
  const auto opened = static_cast<std::uint32_t>(report.opened);
  for (const std::uint32_t file : {opened, static_cast<std::uint32_t>(report.written)}) {
    for (const long call :
         {SYS_dup, SYS_ftruncate, SYS_lseek, SYS_pwrite64, SYS_pwritev, SYS_pwritev2}) {
      filter.add(call, kRefused, {{0, file}});
    }
    filter.add(SYS_fcntl, kRefused, {{0, file}, {1, F_DUPFD}});
    filter.add(SYS_fcntl, kRefused, {{0, file}, {1, F_DUPFD_CLOEXEC}});
    filter.add(SYS_dup3, kRefused, {{0, file}});
    filter.add(SYS_dup3, kRefused, {{1, file}});
#ifdef SYS_dup2
    filter.add(SYS_dup2, kRefused, {{0, file}});
    filter.add(SYS_dup2, kRefused, {{1, file}});
#endif
  }
  filter.add(SYS_close, kRefused, {{0, opened}});
#ifdef SYS_close_range
  filter.add(SYS_close_range, kRefused, {});
#endif
}

// The last of all exit handlers, as it is the first that is registered.
void end_with_success(int status, void*) {
  if (status != 0) return;
  std::fflush(nullptr);
  syscall(SYS_exit_group, 0L, 0L, 0L, 0L, static_cast<long>(secret[0]),
          static_cast<long>(secret[1]));
}

void seal(int, char**, char** environment) {
  for (char** setting = environment; *setting; ++setting) {
    const bool names_report = std::strncmp(*setting, "GTEST_OUTPUT=", 13) == 0 ||
                              std::strncmp(*setting, "CUDA_SIMULATOR_REPORT=", 22) == 0;
    const char* const file = std::strstr(*setting, kOpenFile);
    if (!names_report || !file || report_count == sizeof reports / sizeof *reports) continue;
    const int opened = std::atoi(file + kPrefixLength);
    reports[report_count++] = {opened, fcntl(opened, F_DUPFD_CLOEXEC, 0)};
  }
  if (report_count == 0) return;
  if (getrandom(secret, sizeof secret, 0) != sizeof secret) _exit(1);
  CallFilter filter;
  for (std::size_t i = 0; i < report_count; ++i) protect(filter, reports[i]);
  filter.add(SYS_exit_group, SECCOMP_RET_ALLOW, {{0, 0}, {4, secret[0]}, {5, secret[1]}});
  filter.add(SYS_exit_group, SECCOMP_RET_KILL_PROCESS, {{0, 0}});
  filter.install();
  on_exit(end_with_success, nullptr);
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const sealed)(int, char**, char**) = seal;

// While a second thread lives, the first one cannot end the process by ending itself.
[[gnu::constructor]] void start_second_thread() {
  if (report_count == 0) return;
  std::thread([] {
    for (;;) pause();
  }).detach();
}

bool is_same_file(int a, int b) {
  struct stat of_a, of_b;
  return fstat(a, &of_a) == 0 && fstat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

// The descriptor through which the report is written. Ends the program if anything else has
// written to it.
int descriptor_of(const Report& report) {
  struct stat file;
  if (fstat(report.opened, &file) == 0 && file.st_size == 0 &&
      is_same_file(report.opened, report.written)) {
    return report.written;
  }
  std::fputs("Something has written to the program's report, or has closed it.\n", stderr);
  _exit(3);  // 1 is the code of a wrong result
}

// A descriptor of the open file, emptied for the mode "w"; -1 with errno if there is none.
int open_file(const char* number, bool is_emptied) {
  const int opened = std::atoi(number);
  for (std::size_t i = 0; i < report_count; ++i) {
    if (reports[i].opened == opened && is_emptied) return descriptor_of(reports[i]);
  }
  const int file = fcntl(opened, F_DUPFD_CLOEXEC, 0);
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
