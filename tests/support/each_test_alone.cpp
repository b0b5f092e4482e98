#include "tests/support/each_test_alone.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
#include <optional>
#include <system_error>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

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

class Pipe {
 public:
  Pipe() {
    if (pipe(ends_) != 0) refused("pipe");
  }
  ~Pipe() {
    close_writing();
    close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_writing() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2];
};

// A verdict on its way out of a test's process. What the test prints cannot be taken for one.
enum class Verdict : char { passed, failed, skipped };
constexpr const char* kVerdictNames[] = {"passed", "failed", "skipped"};

class VerdictTeller : public testing::EmptyTestEventListener {
 public:
  // Its own end of the pipe stays open until the process ends.
  explicit VerdictTeller(int pipe) : pipe_(dup(pipe)) {}

 private:
  void OnTestEnd(const testing::TestInfo& test) override {
    const testing::TestResult& result = *test.result();
    const Verdict verdict = result.Failed()    ? Verdict::failed
                            : result.Skipped() ? Verdict::skipped
                                               : Verdict::passed;
    if (write(pipe_, &verdict, 1) != 1) std::abort();
  }

  const int pipe_;
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

// The other end of the pipe closes when the test's process ends. False if that is past `end`.
bool wait_for_end(const Pipe& verdicts, Clock::time_point end, std::optional<Verdict>& verdict) {
  for (;;) {
    const std::chrono::duration<double, std::milli> left = end - Clock::now();
    pollfd polled{verdicts.reading(), POLLIN, 0};
    const int ready = poll(&polled, 1, std::max(0, static_cast<int>(std::ceil(left.count()))));
    if (ready < 0 && errno != EINTR) refused("poll");
    if (ready == 0) return false;
    if (ready < 0) continue;
    Verdict told;
    if (read(verdicts.reading(), &told, 1) != 1) return true;
    verdict = told;
  }
}

void write_result(std::FILE* results, const std::string& test, const std::string& verdict,
                  int exit_status, std::FILE* output) {
  std::fseek(output, 0, SEEK_END);
  const long bytes = std::ftell(output);
  std::rewind(output);
  std::fprintf(results, "%s %d %ld %s\n", verdict.c_str(), exit_status, bytes, test.c_str());
  for (long i = 0; i < bytes; ++i) std::fputc(std::fgetc(output), results);
  std::fputc('\n', results);
  if (std::fflush(results) != 0) refused("the results");
}

// In the test's process: makes of it one that runs this test alone.
void become(const std::string& test, const Pipe& verdicts, std::FILE* output) {
  setpgid(0, 0);  // what it starts may be killed with it
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(fileno(output), STDOUT_FILENO);
  dup2(fileno(output), STDERR_FILENO);
  testing::GTEST_FLAG(filter) = test;
  testing::UnitTest::GetInstance()->listeners().Append(new VerdictTeller(verdicts.writing()));
}

}  // namespace

int run_each_test_alone(const std::string& results_file, double limit_s) {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  if (std::distance(threads, {}) != 1) {
    throw std::runtime_error("A program that has started a thread cannot be forked for its tests.");
  }
  const File results = checked(std::fopen(results_file.c_str(), "we"), results_file);
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(limit_s));
  bool all_pass = true;
  for (const std::string& test : enabled_tests()) {
    const File output =
        checked(fdopen(memfd_create("output", MFD_CLOEXEC), "w+"), "a file in memory");
    Pipe verdicts;
    std::fflush(nullptr);
    const pid_t process = fork();
    if (process < 0) refused("fork");
    if (process == 0) {
      become(test, verdicts, output.get());
      return RUN_ALL_TESTS();
    }
    verdicts.close_writing();
    std::optional<Verdict> verdict;
    const bool ended = wait_for_end(verdicts, end, verdict);
    if (!ended) kill(-process, SIGKILL);
    int status = 0;
    waitpid(process, &status, 0);
    const int exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    const std::string told = verdict ? kVerdictNames[static_cast<int>(*verdict)] : "none";
    write_result(results.get(), test, ended ? told : "stopped", exit_status, output.get());
    all_pass = all_pass && exit_status == 0 && verdict && *verdict != Verdict::failed;
    if (!ended) return 1;
  }
  std::fputs("done\n", results.get());
  return all_pass ? 0 : 1;
}
