#include "tests/support/each_test_alone.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr rlim_t kMaxOutputBytes = 64 << 20;  // the output is in memory

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

[[noreturn]] void refused(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

File checked(std::FILE* file, const std::string& name) {
  if (!file) refused(name);
  return File(file);
}

File file_in_memory(const char* name) {
  return checked(fdopen(memfd_create(name, MFD_CLOEXEC), "w+"), "memfd_create");
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
};

struct Ending {
  std::string verdict, facts;
  int exit_status;
};

// A verdict in the report of a test's process, followed by the recorded facts. The report is a file
// of its own, so nothing that the test prints can look like a verdict.
enum class Verdict : char { passed, failed, skipped };
constexpr const char* kVerdictNames[] = {"passed", "failed", "skipped"};

class VerdictReporter : public testing::EmptyTestEventListener {
 public:
  explicit VerdictReporter(std::FILE* report) : report_(report) {}

 private:
  void OnTestEnd(const testing::TestInfo& test) override {
    const testing::TestResult& result = *test.result();
    const Verdict verdict = result.Failed()    ? Verdict::failed
                            : result.Skipped() ? Verdict::skipped
                                               : Verdict::passed;
    std::fputc(static_cast<char>(verdict), report_);
    for (int i = 0; i < result.test_property_count(); ++i) {
      const testing::TestProperty& property = result.GetTestProperty(i);
      if (std::string(property.key()) == "facts") std::fputs(property.value(), report_);
    }
    if (std::fflush(report_) != 0) std::abort();
  }

  std::FILE* const report_;
};

std::vector<std::string> enabled_tests() {
  std::vector<std::string> names;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      std::string name = std::string(suite.name()) + "." + suite.GetTestInfo(t)->name();
      if (name.find("DISABLED_") == std::string::npos) names.push_back(std::move(name));
    }
  }
  return names;
}

bool ends_before(Clock::time_point end, pid_t process) {
  const Descriptor ending(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (ending.number() < 0) refused("pidfd_open");
  for (;;) {
    const std::chrono::duration<double, std::milli> left = end - Clock::now();
    pollfd polled{ending.number(), POLLIN, 0};
    const int ready = poll(&polled, 1, std::max(0, static_cast<int>(std::ceil(left.count()))));
    if (ready >= 0) return ready == 1;
    if (errno != EINTR) refused("poll");
  }
}

void write_result(std::FILE* results, const std::string& test, const Ending& ending,
                  std::FILE* output) {
  std::fseek(output, 0, SEEK_END);
  const long bytes = std::ftell(output);
  std::rewind(output);
  std::fprintf(results, "%s %d %zu %ld %s\n%s", ending.verdict.c_str(), ending.exit_status,
               ending.facts.size(), bytes, test.c_str(), ending.facts.c_str());
  for (long i = 0; i < bytes; ++i) std::fputc(std::fgetc(output), results);
  std::fputc('\n', results);
  if (std::fflush(results) != 0) refused("the results");
}

// Runs one test, in the test's own process.
[[noreturn]] void run_alone(const std::string& test, std::FILE* report, std::FILE* output) {
  setpgid(0, 0);  // the processes that it starts end with it
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit bytes{kMaxOutputBytes, kMaxOutputBytes};
  setrlimit(RLIMIT_FSIZE, &bytes);
  dup2(fileno(output), STDOUT_FILENO);
  dup2(fileno(output), STDERR_FILENO);
  testing::GTEST_FLAG(filter) = test;
  testing::UnitTest::GetInstance()->listeners().Append(new VerdictReporter(report));
  std::exit(RUN_ALL_TESTS());
}

Ending run_in_own_process(const std::string& test, Clock::time_point end, std::FILE* output) {
  const File report = file_in_memory("report");
  std::fflush(nullptr);
  const pid_t process = fork();
  if (process < 0) refused("fork");
  if (process == 0) run_alone(test, report.get(), output);
  const bool in_time = ends_before(end, process);
  kill(process, SIGKILL);
  kill(-process, SIGKILL);
  int status = 0;
  waitpid(process, &status, 0);
  std::rewind(report.get());
  const int verdict = std::fgetc(report.get());
  std::string facts;
  for (int c; (c = std::fgetc(report.get())) != EOF;) facts += static_cast<char>(c);
  return {!in_time         ? "stopped"
          : verdict != EOF ? kVerdictNames[verdict]
                           : "none",
          facts, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)};
}

}  // namespace

int run_each_test_alone(const std::string& results_file, double limit_s) {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  if (std::distance(threads, {}) != 1) {
    throw std::runtime_error("A program that has started a thread cannot be forked for its tests.");
  }
  const File results = checked(std::fopen(results_file.c_str(), "we"), results_file);
  const auto limit = std::chrono::duration<double>(limit_s);
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  int exit_code = 0;
  for (const std::string& test : enabled_tests()) {
    const File output = file_in_memory("output");
    const Ending ending = run_in_own_process(test, end, output.get());
    write_result(results.get(), test, ending, output.get());
    if (ending.exit_status != 0 || ending.verdict == "none") exit_code = 1;
    if (ending.verdict == "stopped") return 1;
  }
  std::fputs("done\n", results.get());
  return exit_code;
}
