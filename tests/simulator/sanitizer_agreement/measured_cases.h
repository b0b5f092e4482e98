#pragma once

#include "tests/simulator/findings/marked_cases.h"

#include <vector>

// Cases that a GPU runs too, under compute-sanitizer. Their kernels do not get `right` as an
// argument, so each is compiled as a program of its own would be: `template <bool kRight>`.

MarkedFile global_memory_cases();
MarkedFile array_cases();
MarkedFile shared_race_cases();
MarkedFile global_race_cases();
MarkedFile initialisation_cases();
MarkedFile barrier_cases();

inline std::vector<MarkedFile> measured_files() {
  return {global_memory_cases(), array_cases(),          shared_race_cases(),
          global_race_cases(),   initialisation_cases(), barrier_cases()};
}
