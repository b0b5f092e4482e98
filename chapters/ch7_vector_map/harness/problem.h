#pragma once

#include "common/harness/measurement.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

// What a program of this chapter does with n elements.
struct Operation {
  // Runs it once. Throws std::runtime_error if the result is wrong.
  std::function<void(std::size_t n)> check;
  // Times it. Throws std::runtime_error if the result is wrong. Null: nothing to time beside a
  // copy.
  std::function<Measurement(std::size_t n)> measure;
  std::size_t element_bytes;
  int arrays_on_host;  // that a run needs at one time; on the device it needs two
};

// The main() of every program. Checks the operation, then times it, on a GPU. Returns the exit code
// (common/harness/program.h).
int run_program(const Operation& operation, int argc, const char* const* argv);

// Throws std::runtime_error if the result is not what the program's accuracy() promises.
template <typename T>
void require_right(const T* h_y, const T* h_x, std::size_t n);

// What a program measured beside a plain copy on the GPU of as many bytes, in the same process.
Measurement beside_copy(std::size_t n, std::size_t element_bytes, const Timing& own,
                        const Timing& copy, std::vector<std::string> notes = {});

// Throws std::runtime_error unless x is what it was.
template <typename T>
void require_unchanged(const std::vector<T>& h_x_after, const std::vector<T>& h_x);
