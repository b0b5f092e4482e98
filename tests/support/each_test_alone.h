#pragma once

#include <string>

// Runs every test that is not disabled in a process of its own, a fork of this one, so that a test
// that breaks the device, crashes or hangs does not affect the next. GoogleTest must be
// initialised, and this process must have only one thread.
//
// As soon as a test has ended, writes to `results_file` a line
//
//     <verdict> <exit status> <bytes of facts> <bytes of output> <name of the test>
//
// then the facts that the test recorded (facts.h), its output to stdout and stderr, and a newline.
// The verdict is GoogleTest's, from within the test's process: passed, failed or skipped. It is
// `none` if the process ended without a verdict, and `stopped` if it was killed because all tests
// together took longer than `limit_s` seconds; then that test is the last. A process that prints
// more than 64 MiB is killed. If a signal ended the process, the exit status is minus the signal's
// number. The last line is `done`; without it, not all tests have run.
//
// Returns the exit code for main(): 1 if a test neither passed nor was skipped. Throws
// std::runtime_error if a system call fails, or if there is another thread.
int run_each_test_alone(const std::string& results_file, double limit_s);
