// The main() of every test program: GoogleTest's main(), and in addition
//
//     <program> --each-test-alone=RESULTS_FILE [--limit-s=60]
//
// (see each_test_alone.h).

#include "tests/support/each_test_alone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

// Linked with a test program whose operation has a description (operation_tests.h).
[[gnu::weak]] void register_operation_tests();

namespace {

// Sets `value` to the text after `option`, if the argument starts with it.
bool value_of(const std::string& argument, const std::string& option, std::string& value) {
  if (argument.rfind(option, 0) != 0) return false;
  value = argument.substr(option.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  // A death test can start this program again, with the same options, to run one statement.
  const bool is_death_test = std::any_of(argv, argv + argc, [](const std::string& argument) {
    return argument.rfind("--gtest_internal_run_death_test=", 0) == 0;
  });
  testing::InitGoogleTest(&argc, argv);
  if (register_operation_tests) register_operation_tests();
  std::string results_file, limit_s = "60";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (!value_of(argument, "--each-test-alone=", results_file) &&
        !value_of(argument, "--limit-s=", limit_s)) {
      std::fprintf(stderr, "'%s' is not an option.\n", argv[i]);
      return 2;
    }
  }
  if (results_file.empty() || is_death_test) return RUN_ALL_TESTS();
  try {
    return run_each_test_alone(results_file, std::stod(limit_s));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
