#pragma once

#include <string>

// Runs every test but those that are disabled in a process of its own, a fork of this one: a test
// that breaks the device, crashes or hangs does no harm to the next. GoogleTest must be
// initialised, and nothing may have started a thread.
//
// Writes to `results_file`, for each test, as soon as it has ended, a line
//
//     <verdict> <exit status> <bytes of facts> <bytes of output> <name of the test>
//
// then the facts that it recorded (facts.h), what it printed to stdout and stderr, and a line's
// end. The verdict is
// GoogleTest's, from within the test's process: passed, failed or skipped; `none` if the process
// ended without one; `stopped` if it was killed as all tests together took longer than `limit_s`
// seconds. That test is then the last. A process that prints over 64 MiB is killed. The exit status
// is minus the signal's number for a process that a signal ended. The last line is `done`; without
// it, not all tests have run.
//
// Returns the exit code for main(): 1 if a test neither passed nor was skipped. Throws
// std::runtime_error for what the system refuses, and if there is another thread.
int run_each_test_alone(const std::string& results_file, double limit_s);
