// The main() of every test program: GoogleTest's, which also refuses unknown options.

#include <gtest/gtest.h>

#include <cstdio>

// Linked with a test program whose operation has a description (operation_tests.h).
[[gnu::weak]] void register_operation_tests();

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1) {
    std::fprintf(stderr, "'%s' is not an option.\n", argv[1]);
    return 2;
  }
  if (register_operation_tests) register_operation_tests();
  return RUN_ALL_TESTS();
}
