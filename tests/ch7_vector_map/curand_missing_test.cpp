#include "chapters/ch7_vector_map/baselines/curand_doubles.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace {

// What generate_curand does where CMake found no cuRAND: a sentence that says how to get it, and
// what does the same without.
TEST(CurandMissing, SaysSoAndWhatToDo) {
  try {
    curand_doubles(nullptr, 7, Distribution::uniform, /*seed=*/1, nullptr);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    for (const char* part : {"needs cuRAND", "CMake found none", "apt install libcurand-dev",
                             "ch7_vector_map_generate_philox"}) {
      EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
    }
  }
}

}  // namespace
