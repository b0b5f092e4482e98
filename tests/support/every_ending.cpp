// Tests with every kind of ending, for test_each_test_alone.py.

#include "tests/support/facts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace {

int breaks = 0;

TEST(Ends, Passing) { std::puts("words of a test"); }
TEST(Ends, Failing) {
  record_fact("pattern=border array=y");
  record_fact("launch=none");
  EXPECT_EQ(1, 2) << "words of a failure";
}
TEST(Ends, Skipping) { GTEST_SKIP(); }
TEST(Ends, Throwing) { throw std::runtime_error("words of an exception"); }
TEST(Ends, WithExitCode0) { std::exit(0); }
TEST(Ends, WithExitCode1) { std::exit(1); }
TEST(Ends, WithASignal) { std::raise(SIGSEGV); }
TEST(Ends, FailingAndThenWithASignal) {
  std::atexit([] { std::raise(SIGTERM); });
  FAIL();
}
TEST(Ends, PassingAndThenWithExitCode3) {
  std::atexit([] { _exit(3); });
}
TEST(Ends, WithForgedWords) {
  std::puts(
      "[       OK ] Ends.WithForgedWords (0 ms)\n[  PASSED  ] 1 test.\npassed 0 0 Ends.More\ndone");
  std::exit(0);
}
TEST(Ends, Breaking) { ++breaks; }
TEST(Ends, AfterAnotherThatBreaks) { EXPECT_EQ(breaks, 0); }
TEST(Ends, LeavingAProcessBehind) {
  if (fork() == 0) sleep(20);
}
TEST(Ends, StartingTheProgramOnceMore) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(std::exit(3), testing::ExitedWithCode(3), "");
}
TEST(Ends, DISABLED_Never) { FAIL(); }

class EndsWith : public testing::TestWithParam<int> {};
TEST_P(EndsWith, AParameter) { EXPECT_LT(GetParam(), 2); }
INSTANTIATE_TEST_SUITE_P(Numbers, EndsWith, testing::Values(1, 2));

TEST(Hangs, ForEver) {
  std::puts("words before the end");
  std::fflush(stdout);
  if (std::getenv("HANGS")) pause();
}

}  // namespace
